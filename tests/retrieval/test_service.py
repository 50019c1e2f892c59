import gzip
import sqlite3
import threading
import time

import pytest
from json_server import Answer, JsonServer, steps
from raw_server import RawServer

from factreasoner.errors import ConfigError, SearchError
from factreasoner.pipeline.config import Config
from factreasoner.retrieval import service as asking
from factreasoner.retrieval.service import JsonService, RetrievalCache, ServiceFault, service_url

NOW = {"Retry-After": "0"}
FAULTS = {"busy": ServiceFault("is busy", passing=True), "broken": ServiceFault("is broken")}


def echo(request):
    return Answer({"params": request.params, "body": request.body})


def service(url, *, secret=None, **settings):
    values = {"cache": False, **settings}
    return JsonService(
        url,
        Config.model_validate(values),
        headers={"User-Agent": "tests", **({"X-API-KEY": secret} if secret else {})},
        secret=secret,
        fault=lambda answer: FAULTS.get(str(answer)),
    )


def test_get_and_post_carry_their_content_and_headers():
    with JsonServer(echo) as server:
        asked = service(server.url)
        assert asked.get({"a": 1, "b": "ü & ?"})["params"] == {"a": "1", "b": "ü & ?"}
        assert asked.post({"q": ["x"]})["body"] == {"q": ["x"]}
        assert server.requests[0].headers["user-agent"] == "tests"


@pytest.mark.parametrize(
    "busy",
    [Answer("later", 429, NOW), Answer("later", 503, NOW), Answer("oops", 500), Answer("busy", 200, NOW)],
)
def test_a_passing_error_is_retried(busy):
    with JsonServer(steps(busy, busy, then=echo)) as server:
        assert service(server.url).get({"a": 1})["params"] == {"a": "1"}
        assert len(server.requests) == 3


def test_retry_after_holds_for_every_thread(monkeypatch):
    with JsonServer(echo) as server:
        asked = service(server.url)
        waits = []
        monkeypatch.setattr(asked, "pause", lambda: waits.append(asked.resume_at))
        with JsonServer(steps(Answer("later", 429, {"Retry-After": "30"}), then=echo)) as busy:
            asked.url = busy.url
            asked.get({"a": 1})
        asked.url = server.url
        asked.get({"a": 2})
    assert waits[0] == 0.0
    assert waits[1] == waits[2] > 0.0


def test_wait_over_a_minute_is_refused():
    with JsonServer(steps(Answer("later", 429, {"Retry-After": "3600"}), then=echo)) as server:
        with pytest.raises(SearchError, match="asks to wait 3600 s"):
            service(server.url).get({})
        assert len(server.requests) == 1


def test_wait_beyond_patience_is_refused():
    with JsonServer(echo) as server:
        asked = service(server.url, patience=5.0)
        asked.resume_at = time.monotonic() + 3600
        with pytest.raises(SearchError, match="asks to wait 3600 s"):
            asked.get({})
    assert server.requests == []


@pytest.mark.parametrize("broken", [b"[" * 200_000, b"<html>Sign in</html>", b""])
def test_incomplete_json_is_requested_again(broken):
    with JsonServer(steps(Answer(broken), then=lambda request: Answer({"ok": True}))) as server:
        assert service(server.url).get({}) == {"ok": True}
        assert len(server.requests) == 2
    with JsonServer(lambda request: Answer(broken)) as server:
        with pytest.raises(SearchError, match="not JSON") as caught:
            service(server.url, max_attempts=3).get({})
        assert len(server.requests) == caught.value.attempts == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer("no such thing", 404), "status 404"),
        (Answer(None, 301, {"Location": "http://me:pw@b.example/x?k=1"}), "redirects to http://b.example/x,"),
        (Answer(None, 304), "status 304"),
        (Answer("broken"), "is broken"),
    ],
)
def test_a_lasting_error_is_not_retried(answer, message):
    with JsonServer(lambda request: answer) as server:
        with pytest.raises(SearchError, match=message):
            service(server.url).get({})
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer("No", 401), ConfigError),
        (Answer("No", 402), ConfigError),
        (Answer("No", 403), ConfigError),
        (Answer({"m": "Not enough credits"}, 400), ConfigError),
        (Answer({"m": "Your credit balance is too low"}, 400), ConfigError),
        (Answer({"m": "You are out of credits"}, 429), ConfigError),
        (Answer(b"<!doctype html><title>Blocked</title>", 403), SearchError),
        (Answer({"message": "No results for the credit of Marie Curie"}, 400), SearchError),
    ],
)
def test_refused_key_raises_but_refused_query_does_not(answer, error):
    with JsonServer(lambda request: answer) as server, pytest.raises(error) as caught:
        service(server.url, secret="sesame-open").get({})
    assert ("refuses the key" in str(caught.value)) == (error is ConfigError)


@pytest.mark.parametrize(("encoding", "body"), [("gzip", b"no gzip"), ("br", b"{}")])
def test_undecodable_body_is_an_error(encoding, body):
    answer = Answer(body, 200, {"Content-Encoding": encoding})
    with JsonServer(lambda request: answer) as server, pytest.raises(SearchError, match="packed"):
        service(server.url, max_attempts=1).get({})


def test_packed_answers_are_unpacked_and_bombs_are_not(monkeypatch):
    monkeypatch.setattr(asking, "FETCH_BYTES", 20_000)

    def packed(body):
        return Answer(gzip.compress(body), 200, {"Content-Encoding": "gzip"})

    with JsonServer(steps(packed(b"[1]"), then=lambda request: packed(b" " * 5_000_000))) as server:
        asked = service(server.url, max_attempts=1)
        assert asked.get({"a": 1}) == [1]
        with pytest.raises(SearchError, match="more than 20000 bytes"):
            asked.get({"a": 2})
        assert server.requests[0].headers["accept-encoding"] == "gzip"


def test_cookies_are_not_kept():
    with JsonServer(lambda request: Answer({}, 200, {"Set-Cookie": "id=1; Path=/"})) as server:
        asked = service(server.url)
        asked.get({"a": 1})
        asked.get({"a": 2})
        assert "cookie" not in server.requests[1].headers


def test_a_message_commands_no_terminal():
    server = JsonServer(lambda request: Answer(b"\x1b]0;title\x07\x1b[31m\xc2\x9b red", 418))
    with server, pytest.raises(SearchError) as caught:
        service(server.url).get({})
    assert str(caught.value).isprintable()


def test_key_never_appears_in_errors():
    server = JsonServer(lambda request: Answer({"you sent": request.headers["x-api-key"]}, 400))
    with server, pytest.raises(SearchError) as caught:
        service(server.url, secret="sesame-open").get({})
    assert "you sent" in str(caught.value)
    assert "sesame-open" not in str(caught.value)


def test_a_service_that_dawdles_is_a_timeout(monkeypatch):
    monkeypatch.setattr(asking, "FETCH_SECONDS", 0.2)

    def drip_head(client):
        client.write(b"HTTP/1.1 200 OK\r\n")
        client.drip(b"X: y\r\n")

    with RawServer({"/": drip_head}) as server, pytest.raises(SearchError, match=r"0.2 s|timed out"):
        service(server.url, max_attempts=1).get({})


def test_unreachable_service_error_hides_the_query():
    with JsonServer(echo) as server:
        url = server.url
    with pytest.raises(SearchError) as caught:
        service(f"{url}/api", max_attempts=1).get({"q": "hush"})
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "wiki.example/w/api.php",
        "ftp://wiki.example/",
        "http://me:hush@wiki.example/",
        "http://wiki.example/?key=hush",
        "http://wiki.example/#hush",
    ],
)
def test_invalid_url_is_a_config_error(url):
    with pytest.raises(ConfigError, match=r"^search_url: .*the URL of a service") as caught:
        service_url("search_url", url)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://w.example/w/api.php", "http://localhost:8080/", "http://[::1]:1/a"])
def test_plain_urls_are_taken_as_they_are(url):
    assert service_url("search_url", url) == url


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "gopher://me:hush@127.0.0.1:1"])
def test_unusable_proxy_is_a_config_error(monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ConfigError, match="ALL_PROXY") as caught:
        service("http://wiki.example/")
    assert "hush" not in str(caught.value)


def test_answers_are_cached_per_request(tmp_path):
    with JsonServer(echo) as server:
        for _ in range(2):
            asked = service(server.url, cache=True, cache_dir=tmp_path)
            asked.get({"a": 1})
            asked.get({"a": 2})
            asked.post({"a": 1})
        assert len(server.requests) == 3


def test_neither_keys_nor_errors_are_kept(tmp_path):
    with JsonServer(steps(Answer("no", 404), Answer("broken"), then=echo)) as server:
        asked = service(server.url, cache=True, cache_dir=tmp_path, secret="sesame-open")
        for _ in range(2):
            with pytest.raises(SearchError):
                asked.get({"a": 1})
        assert asked.get({"a": 1})["params"] == {"a": "1"}
    assert all(b"sesame-open" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_equal_requests_are_shared_and_concurrency_limited():
    gate = threading.Event()

    def slow(request):
        gate.wait(5)
        return echo(request)

    with JsonServer(slow) as server:
        asked = service(server.url)
        answers = []
        threads = [
            threading.Thread(target=lambda n=n: answers.append(asked.get({"a": n % 8})), daemon=True)
            for n in range(24)
        ]
        for thread in threads:
            thread.start()
        gate.set()
        for thread in threads:
            thread.join()
        assert len(answers) == 24
        assert len(server.requests) == 8
        assert server.most_at_once <= 4


def never():
    raise AssertionError("asked although it is known")


def test_null_is_an_answer(tmp_path):
    config = Config(cache_dir=tmp_path)
    assert RetrievalCache(config).value({"q": 1}, lambda: None) is None
    assert RetrievalCache(config).value({"q": 1}, never) is None


def test_answers_are_forgotten_after_thirty_days(tmp_path):
    config = Config(cache_dir=tmp_path)
    RetrievalCache(config).value({"q": 1}, lambda: "old")
    with sqlite3.connect(tmp_path / "retrieval.sqlite") as connection:
        connection.execute("UPDATE found SET saved = ?", (time.time() - 31 * 86400,))
    connection.close()
    assert RetrievalCache(config).value({"q": 1}, lambda: "new") == "new"


def test_disabled_cache_leaves_no_file(tmp_path):
    config = Config(cache=False, cache_dir=tmp_path)
    kept = RetrievalCache(config)
    kept.value({"q": 1}, lambda: "x")
    assert kept.value({"q": 1}, never) == "x"
    assert list(tmp_path.iterdir()) == []
