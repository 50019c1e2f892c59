"""Services on loopback: any JSON service, a MediaWiki, a Serper-compatible search."""

import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Request(NamedTuple):
    """One request: its query parameters, its JSON body, its headers (lower case), its body as it came."""

    path: str
    params: dict[str, str]
    body: Any
    headers: dict[str, str]
    raw: bytes


class Answer(NamedTuple):
    """What is sent back; `body` as JSON unless it is bytes."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = {}


class JsonServer:
    """Answers every request with what `answer` returns for it, and keeps them all in `requests`."""

    def __init__(self, answer):
        self.requests = []
        self.most_at_once = 0
        under_way = 0
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                nonlocal under_way
                parts = urlsplit(self.path)
                params = {k: v[-1] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(raw) if raw.startswith((b"{", b"[")) else None
                request = Request(parts.path, params, body, headers, raw)
                with lock:
                    outer.requests.append(request)
                    under_way += 1
                    outer.most_at_once = max(outer.most_at_once, under_way)
                try:
                    sent = answer(request)
                finally:
                    with lock:
                        under_way -= 1
                body = sent.body if isinstance(sent.body, bytes) else json.dumps(sent.body).encode()
                self.send_response(sent.status)
                for name, value in {"Content-Length": str(len(body)), **sent.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def steps(*answers, then):
    """The given answers first, one a request."""
    waiting = list(answers)
    lock = threading.Lock()

    def answer(request):
        with lock:
            step = waiting.pop(0) if waiting else None
        return step or then(request)

    return answer


def wiki(pages, *, disambiguation=()):
    """A MediaWiki with these pages (title -> text). A search wants all words, or one of `a OR b`."""
    titles = list(pages)

    def matches(title, query):
        words = set(re.findall(r"\w+", f"{title} {pages[title]}".lower()))
        ways = [re.findall(r"\w+", way.lower()) for way in query.split(" OR ")]
        return any(way and words.issuperset(way) for way in ways)

    def answer(request):
        params = request.params
        assert params["action"] == "query"
        assert params["format"] == "json"
        assert params["formatversion"] == "2"
        if params.get("list") == "search":
            assert len(params["srsearch"]) <= 300
            hits = [i for i, title in enumerate(titles) if matches(title, params["srsearch"])]
            found = [{"ns": 0, "title": titles[i], "pageid": i} for i in hits[: int(params["srlimit"])]]
            return Answer({"batchcomplete": True, "query": {"search": found}})
        title = titles[int(params["pageids"])]
        page = {
            "pageid": int(params["pageids"]),
            "title": title,
            "extract": pages[title],
            "fullurl": f"https://wiki.example/wiki/{title.replace(' ', '_')}",
        }
        if title in disambiguation:
            page["pageprops"] = {"disambiguation": ""}
        return Answer({"batchcomplete": True, "query": {"pages": [page]}})

    return answer


def serper(results, key="right-key"):
    """A search service that knows the answers to these queries; to any other it finds nothing."""

    def answer(request):
        if request.headers.get("x-api-key") != key:
            return Answer({"message": "Unauthorized.", "statusCode": 403}, status=403)
        assert request.path == "/search"
        found = results.get(request.body["q"], ())
        return Answer({"searchParameters": request.body, "organic": [dict(r) for r in found]})

    return answer
