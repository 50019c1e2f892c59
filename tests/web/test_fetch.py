import contextlib
import gzip
import socket
import threading
import tracemalloc

import pytest
from raw_server import Client, RawServer, redirect, refused, reply

from factreasoner.errors import (
    ConfigError,
    FetchError,
    FetchLimitError,
    ForbiddenUrlError,
    UnreadablePageError,
)
from factreasoner.pipeline.config import Config
from factreasoner.web import fetch as fetching
from factreasoner.web.connection import Deadline, read_body, system_resolver
from factreasoner.web.fetch import Fetcher, content_type

HTML = b"<html><body><p>Hello.</p></body></html>"


def fetch(behaviour, path="/", **settings):
    """Fetch `path` of a server on loopback that behaves so at every path asked for."""
    with RawServer({path: behaviour}) as server:
        return fetcher(**settings).fetch(server.url + path)


@pytest.fixture(autouse=True)
def _limits(monkeypatch):
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 5.0)
    monkeypatch.setattr(fetching, "FETCH_BYTES", 100_000)


def fetcher(resolver=system_resolver, **settings):
    values = {"allow_private_hosts": True, **settings}
    return Fetcher(Config.model_validate(values), resolver=resolver)


def resolving(*addresses):
    return lambda host, port: list(addresses)


# Good pages


def test_page_has_final_url_type_and_bytes():
    page = fetch(reply(HTML), "/a?b=c")
    assert page.url.endswith("/a?b=c")
    assert page[1:] == ("text/html", "utf-8", HTML)


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(HTML, mtime=0)),
        ("x-gzip", gzip.compress(HTML, mtime=0)),
        ("GZIP", gzip.compress(HTML, mtime=0) + b"\r\n"),
        ("identity", HTML),
    ],
)
def test_packed_pages_are_unpacked(encoding, packed):
    assert fetch(reply(packed, Content_Encoding=encoding)).data == HTML


def test_chunked_page_is_joined_and_length_cuts_body():
    assert fetch(reply(HTML, length=6)).data == b"<html>"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert fetch(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").data == b"abcde"


def test_redirects_are_followed_relative_and_absolute():
    with RawServer({"/a": redirect("b?x=1#frag"), "/c": reply(HTML)}) as server:
        server.paths["/b?x=1"] = redirect(f"{server.url}/c", 308)
        page = fetcher().fetch(server.url + "/a")
    assert page.url == f"{server.url}/c"


def test_host_header_names_host_not_address():
    with RawServer({"/": reply(HTML)}) as server:
        fetcher(resolving("127.0.0.1")).fetch(f"http://site.example:{server.port}/")
    assert f"Host: site.example:{server.port}\r\n".encode() in server.requests[0]


def test_the_next_address_is_tried_when_one_refuses():
    with RawServer({"/": reply(HTML)}) as server:
        two = resolving("::1", "127.0.0.1")
        assert fetcher(two).fetch(f"http://site.example:{server.port}/").data == HTML


# Addresses


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        (("127.0.0.1",), "loopback address"),
        (("169.254.169.254",), "cloud metadata address"),
        (("::ffff:169.254.169.254",), "cloud metadata address"),
        (("fe80::1%lo",), "link-local address"),
        (("8.8.8.8", "127.0.0.1"), "loopback address"),
    ],
)
def test_name_resolving_to_special_address_is_refused(addresses, reason):
    with refused(ForbiddenUrlError, reason):
        Fetcher(resolver=resolving(*addresses)).fetch("http://innocent.example/")


@pytest.mark.parametrize("url", ["http://127.0.0.1:{}/", "http://127.0.0.1.:{}/", "http://localhost:{}/"])
def test_loopback_is_not_connected_to_without_the_switch(url):
    with RawServer({"/": reply(HTML)}) as server:
        with pytest.raises(ForbiddenUrlError, match="loopback"):
            Fetcher().fetch(url.format(server.port))
        assert server.requests == []


def test_name_is_resolved_once_against_rebinding():
    asked = []

    def rebinding(host, port):
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    with RawServer({"/": reply(HTML)}) as server:
        page = fetcher(rebinding).fetch(f"http://rebinds.example:{server.port}/")
    assert page.data == HTML
    assert asked == ["rebinds.example"]


def test_redirect_is_resolved_and_checked_again():
    """The first answer lets the request through, the second is checked before anything is sent."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    made = fetcher(lambda host, port: next(answers))
    site = RawServer({"/": redirect("/latest/meta-data/")})
    with site as server, refused(ForbiddenUrlError, "cloud metadata address"):
        made.fetch(f"http://rebinds.example:{server.port}/")
    assert len(server.requests) == 1


def test_a_name_without_addresses_is_unreadable():
    def unknown(host, port):
        raise socket.gaierror(-2, "Name or service not known")

    for resolver in (unknown, resolving()):
        with refused(UnreadablePageError, "DNS"):
            Fetcher(resolver=resolver).fetch("http://nowhere.example/")


def test_a_resolver_that_hangs_ends_at_the_deadline(monkeypatch):
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.1)
    release = threading.Event()

    def slow(host, port):
        release.wait(30)
        return ["127.0.0.1"]

    try:
        with refused(FetchLimitError, "time"):
            Fetcher(resolver=slow).fetch("http://slow.example/")
    finally:
        release.set()


# Redirects


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "scheme"),
        ("http://user:pw@127.0.0.1/", "credentials in URL"),
        ("http://2130706433/", "disguised address"),
        ("http://[::ffff:169.254.169.254]/", "cloud metadata address"),
        ("http://169.254.169.254/latest/meta-data/", "cloud metadata address"),
        ("//0.0.0.0/", "unspecified address"),
    ],
)
def test_redirects_to_forbidden_places_are_refused(location, reason):
    with refused(ForbiddenUrlError, reason):
        fetch(redirect(location))


@pytest.mark.parametrize("location", ["/caf\u00c3\u00a9", "/caf\u00e9", "/caf%C3%A9"])
def test_redirect_may_hold_non_ascii_letters(location):
    """As UTF-8, as Latin-1, and as the standard has it."""
    with RawServer({"/": redirect(location), "/caf%C3%A9": reply(HTML)}) as server:
        assert fetcher().fetch(server.url).data == HTML


@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_passed_by(monkeypatch, name):
    """A proxy would connect to addresses that nobody checked."""
    with RawServer({"http://10.0.0.1/": reply(HTML)}) as proxy, RawServer({"/": reply(HTML)}) as server:
        monkeypatch.setenv(name, proxy.url)
        assert fetcher().fetch(server.url).data == HTML
        with pytest.raises(ForbiddenUrlError):
            Fetcher().fetch("http://10.0.0.1/")
        assert proxy.requests == []


def test_cookies_and_meta_refresh_are_ignored():
    page = b'<html><head><meta http-equiv="refresh" content="0;url=http://127.0.0.1:1/"></head></html>'
    with RawServer(
        {"/": reply(b"", status=302, Location="/b", Set_Cookie="id=1"), "/b": reply(page)}
    ) as server:
        assert fetcher().fetch(server.url).data == page
        assert b"cookie" not in server.requests[1].lower()
        assert b"referer" not in server.requests[1].lower()


@pytest.mark.parametrize(
    ("paths", "error", "reason", "requests"),
    [
        ({"/0": redirect("")}, UnreadablePageError, "redirect", 1),
        ({"/0": redirect("/1"), "/1": redirect("/0")}, FetchLimitError, "redirect loop", 2),
        ({f"/{i}": redirect(f"/{i + 1}") for i in range(50)}, FetchLimitError, "redirects", 6),
    ],
)
def test_redirects_that_lead_nowhere_end(paths, error, reason, requests):
    with RawServer(paths) as server:
        with refused(error, reason):
            fetcher().fetch(server.url + "/0")
        assert len(server.requests) == requests


# Servers that send too much, too little or too slowly


def chunked(*pieces, end=b""):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + end


def drip(start, piece):
    def behave(client):
        client.write(start)
        client.drip(piece)

    return behave


def flood(client):
    client.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    client.drip(b"x" * 50_000, 0.001)


def hang_in_body(client):
    client.write(reply(b"<html>", length=100))
    client.hang()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BOMB = gzip.compress(b"\0" * 20_000_000, mtime=0)

LIMITS = {
    "length over the limit": (reply(b"x", length=10**12), "bytes"),
    "body over the limit": (reply(b"x" * 200_000), "bytes"),
    "body without end or length": (flood, "bytes"),
    "chunks over the limit": (chunked(*[b"x" * 60_000] * 3, end=b"0\r\n\r\n"), "bytes"),
    "gzip bomb": (reply(BOMB, Content_Encoding="gzip"), "bytes"),
    "hangs before the head": (Client.hang, "time"),
    "hangs in the body": (hang_in_body, "time"),
    "drips headers": (drip(HEAD, b"X: y\r\n"), "time"),
    "drips the body": (drip(HEAD + b"Content-Length: 90000\r\n\r\n", b"x"), "time"),
    "drips early hints": (drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), "time"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_servers_that_overdo_it_hit_a_limit(name, monkeypatch):
    behaviour, reason = LIMITS[name]
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.3 if reason == "time" else 10.0)
    with refused(FetchLimitError, reason):
        fetch(behaviour)


def test_body_is_streamed_and_stops_at_deadline():
    tracemalloc.start()
    with refused(FetchLimitError, "bytes"):
        read_body([BOMB], "gzip", limit=100_000, deadline=Deadline(60.0))
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()
    with refused(FetchLimitError, "time"):
        read_body([b"x"], "", limit=9, deadline=Deadline(0.0))


def test_endless_tls_handshake_hits_the_deadline(monkeypatch):
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.3)
    server = RawServer({"/": Client.hang}, greets=True)
    with server, refused(FetchLimitError, "time"):
        fetcher().fetch(f"https://127.0.0.1:{server.port}/")


UNREADABLE = {
    "length longer than the body": (reply(b"<html>", length=5000), "protocol"),
    "headers without end": (HEAD + b"X: " + b"y" * 300_000, "protocol"),
    "no HTTP at all": (b"SSH-2.0-OpenSSH_9.6\r\n", "protocol"),
    "nothing": (b"", "protocol"),
    "no content": (b"HTTP/1.1 304 Not Modified\r\n\r\n", "status 304"),
    "not found": (reply(HTML, status=404), "status 404"),
    "server error": (reply(HTML, status=503), "status 503"),
    "image": (reply(b"\x89PNG", content_type="image/png"), "content type"),
    "nonsense type": (reply(HTML, content_type="../../etc/passwd"), "content type"),
    "unasked deflate": (reply(b"\x78\x9c", Content_Encoding="deflate"), "content encoding"),
    "packed twice": (reply(b"\x1f\x8b", Content_Encoding="gzip, gzip"), "content encoding"),
    "packed in parts": (reply(gzip.compress(HTML) * 2, Content_Encoding="gzip"), "content encoding"),
    "damaged gzip": (reply(b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 9, Content_Encoding="gzip"), "damaged"),
    "gzip with a wrong checksum": (
        reply(gzip.compress(HTML, mtime=0)[:-8] + b"12345678", Content_Encoding="gzip"),
        "damaged",
    ),
    "gzip cut short": (reply(gzip.compress(HTML, mtime=0)[:-12], Content_Encoding="gzip"), "damaged"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_responses_have_distinct_reasons(name):
    behaviour, reason = UNREADABLE[name]
    with refused(UnreadablePageError, reason):
        fetch(behaviour)


def test_a_closed_port_refuses_the_connection():
    with RawServer({}) as server:
        url = server.url
    with refused(UnreadablePageError, "refused"):
        fetcher().fetch(url)


# Lists of domains


@pytest.mark.parametrize(
    ("url", "settings", "served"),
    [
        ("http://www.site.example:{}/", {"allow_domains": ("site.example",)}, True),
        ("http://site.example:{}/away", {"allow_domains": ("site.example",)}, False),
        ("http://site.example:{}/away", {"deny_domains": ("other.example",)}, False),
        ("http://other.example.:{}/", {"deny_domains": ("other.example",)}, False),
        ("http://site.example:{}/away", {"deny_domains": ("third.example",)}, True),
        ("http://127.0.0.1:{}/", {"allow_domains": ("site.example",)}, False),
    ],
)
def test_domain_lists_hold_at_every_redirect(url, settings, served):
    with RawServer({"/": reply(HTML), "/away": b""}) as server:
        server.paths["/away"] = redirect(f"http://other.example:{server.port}/")
        made = fetcher(resolving("127.0.0.1"), **settings)
        with contextlib.nullcontext() if served else refused(ForbiddenUrlError, "domain list"):
            assert made.fetch(url.format(server.port)).data == HTML


def test_invalid_domain_entry_is_a_config_error():
    with pytest.raises(ConfigError, match="'https://site'"):
        Fetcher(Config(allow_domains=("https://site",)))


# Small parts


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html; charset=UTF-8", ("text/html", "utf-8")),
        ('Text/HTML;Charset="ISO-8859-1"', ("text/html", "iso-8859-1")),
        ("", ("", "")),
        (";;charset", ("", "")),
    ],
)
def test_content_types_are_taken_apart(header, expected):
    assert content_type(header) == expected


def test_errors_show_no_query():
    with pytest.raises(FetchError) as caught:
        fetch(reply(status=500), "/p?token=hush")
    assert "hush" not in str(caught.value)
