"""Access, routes and limits, with errors as problems; pure ASGI."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from factreasoner.serve.answers import (
    CHECK,
    JSON,
    TASK_OF,
    HttpReply,
    Refused,
    ServiceSettings,
    document,
    problem,
)
from factreasoner.serve.queue import Queue

GONE = "gone"
Route = tuple[tuple[str, ...], Callable[[Request], Awaitable[Response]]]
_WHOLE_URL = re.compile(r"https?://([^/]*)(/.*)?", re.IGNORECASE | re.DOTALL)
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
OPEN = frozenset({"/livez", "/readyz"})
"""Health-check paths, exempt from Host and token checks."""


def is_loopback(host: str) -> bool:
    """Whether `host` is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Access(NamedTuple):
    """`hosts` are the service's names, in lower case without ports; `token` may be None."""

    hosts: frozenset[str]
    token: str | None

    @classmethod
    def of(cls, host: str, allowed: Iterable[str], token: str | None) -> Access:
        """Access to a service on `host` that is also called by the names `allowed`."""
        return cls(frozenset(map(str.lower, (host, *LOOPBACK_NAMES, *allowed))), token)

    def refusal(self, path: str, headers: Headers) -> HttpReply | None:
        """Why a request is refused, or None."""
        if path in OPEN:
            return None
        host = headers.get("host")  # which HTTP/1.0 may leave out, and no browser does
        if host is not None and _split(f"//{host}").hostname not in self.hosts:
            return problem(421, "the Host header names another service; --allow-host NAME adds a name")
        origin = headers.get("origin")
        if origin is not None and (host is None or _split(origin).netloc.lower() != host.lower()):
            return problem(403, "the Origin header does not name this service")
        if self.token is not None and not self._knows(headers.get("authorization", "")):
            wrong = "the token sent is not the service's" if "authorization" in headers else ""
            return problem(401, wrong or "send it as: Authorization: Bearer TOKEN")
        return None

    def _knows(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode("latin-1"), (self.token or "").encode())
        return same and scheme.lower() == "bearer"


def _in_origin_form(scope: Scope) -> Scope:
    """A request for a whole URL, as sent to proxies, with host and path of the URL."""
    found = _WHOLE_URL.fullmatch(scope["path"])
    if found is None:
        return scope
    others = [(name, value) for name, value in scope["headers"] if name != b"host"]
    host = (b"host", found[1].encode("latin-1", "replace"))
    return {**scope, "path": found[2] or "/", "headers": [*others, host]}


def _split(url: str) -> SplitResult:
    """The parts of a URL; none if invalid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


class RequestLimits(NamedTuple):
    """`seconds` per request, and the maximum `bytes` of a body."""

    seconds: float = 30.0
    bytes: int = 1 << 20


class Service:
    """The application. `log` gets one line per request (time, id, route, status, ms), never a text."""

    def __init__(
        self,
        terms: ServiceSettings,
        queue: Queue,
        access: Access,
        limits: RequestLimits,
        log: Callable[[str], None],
    ) -> None:
        self.queue = queue
        self.counts = Counts()
        self.draining = False
        self._access = access
        self._limits = limits
        self._log = log
        names = [name for name in TASK_OF if name != CHECK or terms.rules]
        self._document = document(names, limits.bytes)
        get, post = ("GET", "HEAD"), ("POST",)
        self._routes: dict[str, Route] = {
            "/livez": (get, self._live),
            "/readyz": (get, self._ready),
            "/metrics": (get, self._metrics),
            "/openapi.json": (get, self._openapi),
            **{f"/v1/{name}": (post, partial(self._post, name)) for name in names},
        }

    def drain(self) -> None:
        """Report not ready; records are still accepted."""
        self.draining = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        scope = _in_origin_form(scope)
        request = Request(scope, receive)
        refusal = self._access.refusal(scope["path"], request.headers)
        if refusal is not None:
            self._note(uuid4().hex, "refused", str(refusal.status), time.perf_counter())
            response = _response(refusal._replace(close=True))
        else:
            response = await self._routed(request)
        await response(scope, receive, send)

    async def _routed(self, request: Request) -> Response:
        path = request.scope["path"]
        if path not in self._routes:
            message = "/openapi.json lists the paths"
            if path == f"/v1/{CHECK}":
                message = "start the service with --min NAME=NUMBER to check answers"
            return _response(problem(404, message, close=True))
        methods, endpoint = self._routes[path]
        if request.method not in methods:
            response = _response(problem(405, f"send it by {methods[0]}", close=True))
            response.headers["allow"] = ", ".join(methods)
            return response
        return await endpoint(request)

    async def _post(self, name: str, request: Request) -> Response:
        request_id, started = uuid4().hex, time.perf_counter()
        try:
            reply = await self._replied(name, request)
        except Refused as refused:
            reply = refused.reply
        self._note(request_id, name, str(reply.status) if reply else GONE, started)
        response = _response(reply or problem(504))  # which a client that left does not get
        response.headers["x-request-id"] = request_id
        return response

    async def _replied(self, name: str, request: Request) -> HttpReply | None:
        """The reply to a body; None if the client left. Raises Refused."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(ends):
                body = await _body(request, self._limits.bytes)
        except TimeoutError:
            return problem(408, close=True)
        except ClientDisconnect:
            return None
        work = asyncio.ensure_future(self.queue.answer(name, body))
        gone = asyncio.ensure_future(_wait_for_disconnect(request))
        await asyncio.wait({work, gone}, timeout=ends - loop.time(), return_when=asyncio.FIRST_COMPLETED)
        left = gone.done()
        gone.cancel()
        if not work.done():
            work.cancel()
            return None if left else problem(504, f"more than {self._limits.seconds:g} s, including the wait")
        return work.result()

    def _note(self, request_id: str, route: str, status: str, started: float) -> None:
        seconds = time.perf_counter() - started
        self.counts.add(route, status, seconds)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._log(f"{now} {request_id} {route} {status} {1000 * seconds:.0f} ms")

    async def _live(self, _request: Request) -> Response:
        return Response("ok\n", media_type="text/plain")

    async def _ready(self, _request: Request) -> Response:
        if self.draining or not self.queue.warmed:
            return _response(problem(503, "draining" if self.draining else "warming up", retry_after=1))
        return Response("ok\n", media_type="text/plain")

    async def _metrics(self, _request: Request) -> Response:
        queue = self.queue
        gauges = {"queued": queue.waiting, "running": queue.running, "threads": queue.threads}
        return Response(self.counts.text(gauges), media_type="text/plain; version=0.0.4")

    async def _openapi(self, _request: Request) -> Response:
        return Response(self._document, media_type=JSON)


async def _body(request: Request, most: int) -> bytes:
    """The body. Raises Refused if it is too large or of another type, whatever its declared length."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if kind != JSON or encoding not in ("", "identity"):
        message = "send JSON, not compressed, with Content-Type: application/json"
        raise Refused(problem(415, message, close=True))
    message = f"at most {most:,} bytes are accepted (--max-body of the server)"
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most:
        raise Refused(problem(413, message, close=True))
    chunks, size = [], 0
    async for chunk in request.stream():
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            raise Refused(problem(413, message, close=True))
    return b"".join(chunks)


async def _wait_for_disconnect(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(reply: HttpReply) -> Response:
    response = Response(reply.body, reply.status, media_type=reply.media_type)
    if reply.retry_after is not None:
        response.headers["retry-after"] = str(reply.retry_after)
    if reply.status == 401:
        response.headers["www-authenticate"] = "Bearer"
    if reply.close:
        response.headers["connection"] = "close"
    return response


BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Counts:
    """Requests by route and status, and durations by route."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def add(self, route: str, status: str, seconds: float) -> None:
        """Count one request. `status` is the reply's, or "gone" if the client left."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]
        buckets = self._buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
        buckets[bisect_left(BUCKETS, seconds)] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """All counts, and the current `gauges`, as text."""
        lines = ["# TYPE factreasoner_requests_total counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'factreasoner_requests_total{{route="{route}",status="{status}"}} {count}')
        lines.append("# TYPE factreasoner_request_seconds histogram")
        for route, buckets in sorted(self._buckets.items()):
            name, total = f'factreasoner_request_seconds_bucket{{route="{route}",le=', 0
            for edge, count in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
                total += count
                lines.append(f'{name}"{edge}"}} {total}')
            lines.append(f'factreasoner_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'factreasoner_request_seconds_count{{route="{route}"}} {total}')
        for name, value in gauges.items():
            lines += [f"# TYPE factreasoner_{name} gauge", f"factreasoner_{name} {value:g}"]
        return "\n".join([*lines, ""])
