"""Clients that are still sending a body when it is refused read the reply."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import httpx
import pytest
import requests
from service_scene import RECORD, running, until

from factreasoner.serve import server as connection
from factreasoner.serve.app import RequestLimits

MEGABYTE = 1 << 20
LARGE = 40 * MEGABYTE
JSON = {"Content-Type": "application/json"}
HEAD = b"POST /v1/assess HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def service():
    with running() as found:
        yield found


def pieces(size=LARGE, piece=1 << 16):
    yield from (b" " * piece for _ in range(size // piece))


def by_requests(url, body, headers):
    return requests.post(url, data=body, headers=headers, timeout=60).status_code


def by_requests_session(url, body, headers):
    with requests.Session() as session:
        first = session.post(url, data=body, headers=headers, timeout=60).status_code
        assert session.post(url, json=RECORD, timeout=60).status_code == 200
    return first


def by_httpx(url, body, headers):
    with httpx.Client(timeout=60) as client:
        first = client.post(url, content=body, headers=headers).status_code
        assert client.post(url, json=RECORD).status_code == 200
    return first


def by_http_client(url, body, headers):
    host, _, path = url.removeprefix("http://").partition("/")
    client = http.client.HTTPConnection(host, timeout=60)
    client.request("POST", f"/{path}", body, headers)
    status = client.getresponse().status
    client.close()
    return status


def by_urllib(url, body, headers):
    request = urllib.request.Request(url, body, headers)
    with pytest.raises(urllib.error.HTTPError) as caught, urllib.request.urlopen(request, timeout=60):
        pass
    caught.value.close()
    return caught.value.code


CLIENTS = [by_requests, by_requests_session, by_httpx, by_http_client, by_urllib]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("size", [2 * MEGABYTE, LARGE])
@pytest.mark.parametrize("chunked", [False, True])
def test_oversized_body_is_answered(service, client, size, chunked):
    body = pieces(size) if chunked else b" " * size
    assert client(f"{service.url}/v1/assess", body, JSON) == 413


@pytest.mark.parametrize("client", [by_requests, by_httpx, by_http_client])
@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (403, "/v1/assess", JSON | {"Origin": "https://evil.example"}),
        (404, "/v1/nothing", JSON),
        (405, "/metrics", JSON),
        (415, "/v1/assess", {"Content-Type": "text/plain"}),
        (415, "/v1/assess", JSON | {"Content-Encoding": "gzip"}),
        (421, "/v1/assess", JSON | {"Host": "evil.example"}),
    ],
)
def test_refused_large_body_is_answered(service, client, status, path, headers):
    if client is by_httpx:
        assert httpx.post(service.url + path, content=pieces(), headers=headers).status_code == status
    else:
        assert client(service.url + path, b" " * LARGE, headers) == status


def test_missing_token_is_answered_before_body():
    with running(token="s3cret") as guarded:
        assert by_requests(f"{guarded.url}/v1/assess", pieces(), JSON) == 401


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("expect", ["Expect: 100-continue", "Expect:"])
@pytest.mark.parametrize("length", [(), ("-H", "Transfer-Encoding: chunked")])
def test_curl_reads_the_refusal(service, tmp_path, expect, length):
    (tmp_path / "body").write_bytes(b" " * LARGE)
    command = ["curl", "-sS", "-m", "60", "-H", expect, "-H", "Content-Type: application/json", *length]
    command += ["--data-binary", f"@{tmp_path / 'body'}", f"{service.url}/v1/assess"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["status"], done.stderr) == (0, 413, "")


def test_expect_continue_is_answered_without_the_body(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")
        assert b" 413 " in client.makefile("rb").readline()


def test_expect_continue_of_a_small_body_is_served(service):
    body = json.dumps(RECORD).encode()
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        reader = client.makefile("rb")
        assert b" 100 " in reader.readline()
        assert reader.readline() == b"\r\n"
        client.sendall(body)
        assert b" 200 " in reader.readline()


def read_all(client):
    """What comes until the service closes."""
    with client.makefile("rb") as reader:
        return reader.read()


def test_connection_closes_after_refused_body(service):
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % LARGE)
        for piece in pieces():
            client.sendall(piece)
        assert read_all(client).startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - started < connection.SILENT_SECONDS


def test_oversized_header_is_answered(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(HEAD + b"X-Long: " + b"x" * MEGABYTE)
        client.sendall(b"y" * MEGABYTE + b"\r\n\r\n")
        assert read_all(client).startswith(b"HTTP/1.1 400 ")


def send_on(client, piece, pause):
    """Send pieces until the other side closes, or for 20 seconds."""
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        client.sendall(piece)
        time.sleep(pause)


@pytest.mark.parametrize(
    ("name", "value", "piece", "pause"),
    [
        ("LINGERING_BYTES", MEGABYTE, b" " * 65536, 0.0),
        ("LINGERING_SECONDS", 0.5, b" ", 0.02),
        ("SILENT_SECONDS", 0.3, b" ", 1.0),
    ],
)
def test_lingering_close_has_limits(service, monkeypatch, name, value, piece, pause):
    monkeypatch.setattr(connection, name, value)
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(HEAD + b"Content-Length: 999999999999\r\n\r\n")
        assert b" 413 " in client.makefile("rb").readline()
        with pytest.raises(OSError, match=r"reset|pipe"):
            send_on(client, piece, pause)
    assert time.monotonic() - started < 10


def test_truncated_body_is_answered_and_closed(monkeypatch):
    monkeypatch.setattr(connection, "SILENT_SECONDS", 0.3)
    with running(limits=RequestLimits(seconds=0.5)) as service:
        with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
            client.sendall(HEAD + b"Content-Length: 500\r\n\r\n{")
            assert read_all(client).startswith(b"HTTP/1.1 408 ")
        assert service.post("assess", RECORD).status_code == 200


def test_service_stops_during_refused_body():
    with running() as service:
        client = socket.create_connection(("127.0.0.1", service.port), timeout=20)
        client.sendall(HEAD + b"Content-Length: 999999999\r\n\r\n{")
        assert b" 413 " in client.makefile("rb").readline()
        until(lambda: service.log)
        started = time.monotonic()
    assert time.monotonic() - started < connection.SILENT_SECONDS + 5
    client.close()


def test_kept_connection_serves_many_requests(service):
    with httpx.Client(timeout=60) as client:
        for _ in range(5):
            assert client.post(f"{service.url}/v1/assess", json=RECORD).status_code == 200
            assert client.post(f"{service.url}/v1/assess", json={"output": 5}).status_code == 422


BODY = json.dumps(RECORD).encode()


def exchanged(service, *sent, half_closed=True):
    """What comes back until the service closes, after some bytes and the end of the client's sending side."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        for data in sent:
            client.sendall(data)
        if half_closed:
            client.shutdown(socket.SHUT_WR)
        return read_all(client)


SIZE = b"Content-Length: %d\r\n" % len(BODY)
POST = HEAD + SIZE + b"\r\n" + BODY
OLD = b"POST /v1/assess HTTP/1.0\r\nContent-Type: application/json\r\n" + SIZE
LIVE = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (POST, [200]),
        (HEAD + b"Connection: keep-alive\r\n" + SIZE + b"\r\n" + BODY, [200]),
        (HEAD + b"Connection: close\r\n" + SIZE + b"\r\n" + BODY, [200]),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY), [200]),
        (POST + POST, [200, 200]),
        (POST + LIVE + POST, [200, 200, 200]),
        (LIVE, [200]),
        (OLD + b"\r\n" + BODY, [200]),
        (HEAD + b"Content-Length: 2\r\n\r\n{}", [422]),
        (b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
    ],
)
def test_half_closed_client_is_answered(service, sent, statuses):
    found = exchanged(service, sent)
    assert [int(part[:3]) for part in re.split(rb"HTTP/1\.1 ", found)[1:]] == statuses


def test_incomplete_request_is_closed(service):
    started = time.monotonic()
    exchanged(service, POST[:-5])
    exchanged(service, POST[:20])
    exchanged(service, b"")
    assert time.monotonic() - started < 5


PACKED = ("gzip", "GZIP", "identity, gzip", "br")


@pytest.mark.parametrize("encoding", ["identity", "Identity", "IDENTITY", " identity ", "", *PACKED])
def test_content_encoding_is_read_in_any_case(service, encoding):
    status = 415 if encoding in PACKED else 200
    found = exchanged(service, HEAD + f"Content-Encoding: {encoding}\r\n".encode() + SIZE + b"\r\n" + BODY)
    assert found.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("http://localhost/v1/assess", "localhost", 200),
        ("HTTP://LOCALHOST/v1/assess", "localhost", 200),
        ("http://127.0.0.1:80/v1/assess", "127.0.0.1", 200),
        ("https://factuality.example/v1/assess", "localhost", 200),
        ("http://localhost/v1/assess?x=1", "localhost", 200),
        ("http://localhost/v1/assess", "evil.example", 200),
        ("http://evil.example/v1/assess", "localhost", 421),
        ("http://evil.example@localhost/v1/assess", "localhost", 200),
        ("http://localhost@evil.example/v1/assess", "localhost", 421),
        ("http://localhost/nothing", "localhost", 404),
        ("http://localhost", "localhost", 404),
        ("http:///v1/assess", "localhost", 421),
        ("ftp://localhost/v1/assess", "localhost", 404),
        ("*", "localhost", 404),
        ("//localhost/v1/assess", "localhost", 404),
    ],
)
def test_absolute_target_names_host_and_path(service, target, host, status):
    head = f"POST {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    assert exchanged(service, head.encode() + SIZE + b"\r\n" + BODY).startswith(
        f"HTTP/1.1 {status} ".encode()
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"", 200),
        (b"Host: localhost\r\n", 200),
        (b"Host: evil.example\r\n", 421),
        (b"Host:\r\n", 421),
        (b"Origin: https://evil.example\r\n", 403),
        (b"Origin: null\r\n", 403),
        (b"Connection: keep-alive\r\n", 200),
    ],
)
def test_http_1_0_needs_no_host(service, headers, status):
    found = exchanged(service, OLD + headers + b"\r\n" + BODY)
    assert found.startswith(b"HTTP/1.1 %d " % status)
    bare = exchanged(service, b"POST /v1/assess HTTP/1.1\r\n" + SIZE + b"\r\n" + BODY)
    assert bare.startswith(b"HTTP/1.1 400 ")
