"""robots.txt: what a site asks to leave alone is not read."""

import httpx
import pytest
from pages import html
from raw_server import RawServer, redirect, reply

from factreasoner.errors import FetchError, ForbiddenUrlError
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.web_pages import WebPages
from factreasoner.web.fetch import Fetcher
from factreasoner.web.robots import Robots

CONFIG = Config(allow_private_hosts=True, cache=False, patience=0.0)
RULES = b"""User-agent: *
Disallow: /private/
Disallow: /*.pdf$

User-agent: factreasoner
Disallow: /for-people
Allow: /private/
"""


def fetcher():
    return Fetcher(CONFIG, resolver=lambda host, port: ["127.0.0.1"])


def verdicts(rules, *paths, **more):
    """Whether each path may be read."""
    allowed = []
    with RawServer({"/robots.txt": rules, **{f"/{name}": page for name, page in more.items()}}) as site:
        robots = Robots(fetcher())
        for path in paths:
            try:
                robots.check(httpx.URL(f"http://site.example:{site.port}{path}"))
            except ForbiddenUrlError as error:
                allowed.append(error.reason != "robots.txt")
            else:
                allowed.append(True)
        fetched = [request.split()[1] for request in site.requests]
    assert fetched[0] == b"/robots.txt"
    assert fetched.count(b"/robots.txt") == 1
    return allowed


def test_own_robot_rules_precede_general_ones():
    rules = reply(RULES, content_type="text/plain")
    assert verdicts(rules, "/for-people", "/private/a", "/a.pdf", "/") == [False, True, True, True]
    others = reply(RULES.replace(b"factreasoner", b"otherbot"), content_type="text/plain")
    paths = {"/for-people": True, "/private/a": False, "/a.pdf": False, "/a.pdf?x": True, "/": True}
    assert verdicts(others, *paths) == list(paths.values())


@pytest.mark.parametrize(
    "rules",
    [reply(b"", status=404), reply(b"", status=403), reply(b""), reply(b"\0\xff" * 99), reply(html())],
)
def test_a_site_without_rules_allows_everything(rules):
    assert verdicts(rules, "/a", "/b") == [True, True]


def test_robots_with_bom_and_bad_bytes_is_read():
    rules = b"\xef\xbb\xbfUser-agent: *\nDisallow: /\xff\nDisallow: /private\n"
    rules += b"#" * (500 * 1024 - len(rules) - 14) + b"\nDisallow: /a\n"
    assert len(rules) == 500 * 1024
    assert verdicts(reply(rules + b"Disallow: /b\n"), "/private", "/a", "/b") == [False, False, True]


def test_rules_after_a_redirect_apply():
    moved = reply(RULES.replace(b"factreasoner", b"otherbot"))
    assert verdicts(redirect("/moved"), "/private/a", moved=moved) == [False]


@pytest.mark.parametrize("rules", [reply(b"", status=503), b""])
def test_unavailable_robot_rules_give_no_permission(rules):
    with RawServer({"/robots.txt": rules, "/page": reply(html())}) as site:
        link = f"http://site.example:{site.port}/page"
        with pytest.raises(FetchError) as caught:
            WebPages(fetcher(), CONFIG).text(link)
        assert caught.value.passing
        assert {request.split()[1] for request in site.requests} == {b"/robots.txt"}


def test_pages_are_read_by_the_rules():
    rules = reply(b"User-agent: *\nDisallow: /", content_type="text/plain")
    with RawServer({"/robots.txt": rules, "/page": reply(html())}) as site:
        link = f"http://site.example:{site.port}/page"
        with pytest.raises(ForbiddenUrlError, match="forbids programs"):
            WebPages(fetcher(), CONFIG).text(link)
        assert len(site.requests) == 1


def test_redirects_lead_past_no_rules():
    rules = reply(b"User-agent: *\nDisallow: /private", content_type="text/plain")
    with RawServer({"/robots.txt": rules, "/private": reply(html())}) as closed:
        away = redirect(f"http://closed.example:{closed.port}/private")
        paths = {"/robots.txt": reply(b"", status=404), "/away": away}
        with RawServer(paths) as site, pytest.raises(ForbiddenUrlError) as caught:
            WebPages(fetcher(), CONFIG).text(f"http://site.example:{site.port}/away")
        assert caught.value.reason == "robots.txt"
        assert [request.split()[1] for request in closed.requests] == [b"/robots.txt"]
