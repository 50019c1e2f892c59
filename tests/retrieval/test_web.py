import functools

import pytest
from json_server import Answer, JsonServer, serper, steps
from pages import SENTENCES, html, pdf
from raw_server import Client, RawServer, redirect, reply

from factreasoner.documents import reader
from factreasoner.documents.reader import PageReader
from factreasoner.errors import ConfigError, FetchError, MissingExtraError, SearchError
from factreasoner.models import Atom, Record
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import load
from factreasoner.retrieval import web_pages
from factreasoner.retrieval.per_atom import Query
from factreasoner.retrieval.web import WebRetriever
from factreasoner.web import fetch

FILLER = [f"The archive keeps volume {i} of the harbour office in its dry quiet cellar." for i in range(300)]
LONG = "\n".join([*FILLER[:150], *SENTENCES, *FILLER[150:]])
CLAIM = "The engineer Mara Lindqvist designed the two arches."


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("SERPER_API_KEY", "right-key")
    monkeypatch.setattr(web_pages.Robots, "check", lambda *_: None)


def results(*links, snippet="A snippet on {}."):
    return [
        {"title": f"Title {i}", "link": link, "snippet": snippet.format(link)} for i, link in enumerate(links)
    ]


def retriever(url, **settings):
    values = {"search_url": url, "cache": False, "patience": 0.0, **settings}
    return WebRetriever(Config.model_validate(values), resolver=lambda host, port: ["127.0.0.1"])


# Searching


def test_snippets_become_contexts_in_search_order():
    known = {
        CLAIM: results(*(f"https://s{i}.example/p" for i in range(5))),
        "Who built it?": results("https://q.example/"),
    }
    record = Record(id="r", response="x", prompt="Who built it?")
    with JsonServer(serper(known)) as server:
        found = retriever(server.url, retrieve_k=2).retrieve((Atom(id="a0", text=CLAIM),), record)
    assert [(c.id, c.text, c.title, c.link, c.snippet, c.note) for c in found.contexts] == [
        (f"c_{a}_{i}", f"A snippet on {link}.", f"Title {i}", link, f"A snippet on {link}.", "")
        for a, i, link in [
            ("a0", 0, "https://s0.example/p"),
            ("a0", 1, "https://s1.example/p"),
            ("q", 0, "https://q.example/"),
        ]
    ]


def test_worded_query_falls_back_to_the_text():
    known = {"bridge arches engineer": results("https://a.example/"), CLAIM: results("https://b.example/")}
    with JsonServer(serper(known)) as server:
        search = retriever(server.url).search
        assert [f.link for f in search(Query(CLAIM, worded="bridge arches engineer"))] == [
            "https://a.example/"
        ]
        assert [f.link for f in search(Query(CLAIM, worded="who knows"))] == ["https://b.example/"]
        asked = [r.body["q"] for r in server.requests]
    assert asked == ["bridge arches engineer", "who knows", CLAIM]


def test_empty_result_retries_query_without_quotes():
    claim, bare = 'He wrote "The Bridge" in “1931”.', "He wrote The Bridge in 1931 ."
    with JsonServer(serper({bare: results("https://a.example/")})) as server:
        assert len(retriever(server.url).search(Query(claim))) == 1
        assert [r.body["q"] for r in server.requests] == [claim, bare]
        assert retriever(server.url).search(Query(CLAIM)) == []
        assert len(server.requests) == 3


def test_long_claims_are_cut_between_words():
    with JsonServer(serper({})) as server:
        retriever(server.url).search(Query("many words " * 100))
        retriever(server.url).search(Query("x" * 1000))
        asked = [request.body["q"] for request in server.requests]
    assert all(len(q) <= 400 for q in asked)
    assert asked[0].endswith(("many", "words"))


@pytest.mark.parametrize("url", ["{}", "{}/", "{}/search"])
def test_url_may_name_service_or_search(url):
    with JsonServer(serper({CLAIM: results("https://a.example/")})) as server:
        assert retriever(url.format(server.url)).search(Query(CLAIM))


def test_incomplete_and_repeated_results_are_excluded():
    odd = [
        {"title": "no link", "snippet": "text"},
        {"title": "script", "link": "javascript:alert(1)", "snippet": "text"},
        {"title": "credentials", "link": "https://u:p@a.example/", "snippet": "text"},
        {"title": "no snippet", "link": "https://b.example/"},
        {"title": ["no text"], "link": "https://c.example/", "snippet": {"a": 1}},
        {"title": "no text", "link": 5, "snippet": "text"},
        {"title": None, "link": "https://d.example/", "snippet": "text"},
        *results("https://a.example/", "https://a.example/"),
    ]
    with JsonServer(lambda request: Answer({"organic": odd})) as server:
        found = retriever(server.url).search(Query(CLAIM))
    assert [(f.title, f.link) for f in found] == [
        ("", "https://d.example/"),
        ("Title 0", "https://a.example/"),
    ]


@pytest.mark.parametrize("body", [{"organic": []}, {"organic": [1, None]}, {"searchParameters": {}}])
def test_an_answer_may_hold_nothing(body):
    with JsonServer(lambda request: Answer(body)) as server:
        assert retriever(server.url).search(Query(CLAIM)) == []


@pytest.mark.parametrize(
    "body", [{}, {"organic": None}, {"organic": "x"}, [], "text", None, {"message": "Slow down."}]
)
def test_malformed_answer_is_an_error_and_uncached(body, tmp_path):
    known = serper({CLAIM: results("https://a.example/")})
    with JsonServer(steps(Answer(body), then=known)) as server:
        web = retriever(server.url, cache=True, cache_dir=tmp_path)
        with pytest.raises(SearchError, match=r"without results|Slow down\."):
            web.search(Query(CLAIM))
        assert web.search(Query(CLAIM))


def test_long_snippet_is_cut_to_a_passage():
    with JsonServer(serper({CLAIM: results("https://a.example/", snippet=LONG)})) as server:
        (found,) = retriever(server.url).search(Query(CLAIM))
    assert "Mara Lindqvist designed" in found.text
    assert len(found.text.split()) <= 200


@pytest.mark.parametrize(
    ("settings", "query", "kept"),
    [
        ({"deny_domains": ("a.example",)}, CLAIM, ["https://b.example/", "https://nota.example/"]),
        ({"deny_domains": ("B.example.", "*.nota.example")}, CLAIM, ["https://www.a.example/"]),
        (
            {"allow_domains": ("a.example", "c.example")},
            f"{CLAIM} (site:a.example OR site:c.example)",
            ["https://www.a.example/"],
        ),
    ],
)
def test_domain_lists_choose_the_results(settings, query, kept):
    links = ("https://www.a.example/", "https://b.example/", "https://nota.example/")
    with JsonServer(serper({query: results(*links)})) as server:
        assert [f.link for f in retriever(server.url, **settings).search(Query(CLAIM))] == kept


# Keys


@pytest.mark.parametrize("key", ["  ", "kéy-secret", "key\nsecret"])
def test_invalid_key_names_the_variable_only(monkeypatch, key):
    monkeypatch.setenv("SERPER_API_KEY", key)
    with pytest.raises(ConfigError, match="SERPER_API_KEY") as caught:
        load("retriever", "web")(config=Config(cache=False))
    assert "secret" not in str(caught.value)


def test_wrong_key_is_a_config_error_without_key(monkeypatch, tmp_path):
    monkeypatch.setenv("SERPER_API_KEY", "wrong-key-0123456789")
    with JsonServer(serper({})) as server:
        web = retriever(server.url, cache=True, cache_dir=tmp_path)
        with pytest.raises(ConfigError, match="refuses the key") as caught:
            web.retrieve((Atom(id="a0", text=CLAIM),), Record(id="r", response="x"))
    assert "0123456789" not in str(caught.value)
    assert not any(b"0123456789" in path.read_bytes() for path in tmp_path.rglob("*"))


# Pages


SITES = {
    "/long": reply(html(LONG)),
    "/pdf": reply(pdf(*SENTENCES), content_type="application/pdf"),
    "/moved": redirect("/long"),
    "/blocked": reply(html("Please verify you are human by completing the action below.")),
    "/forbidden": reply(b"", status=403),
    "/image": reply(b"\x89PNG", content_type="image/png"),
    "/binary": reply(b"\x89PNG\0\0\0"),
    "/other": reply(html(" ".join(["Kangaroos hop over dry plains under blazing skies."] * 4), title="K")),
    "/hang": Client.hang,
    "/metadata": redirect("http://169.254.169.254/latest/"),
    "/away": b"",
}


@pytest.fixture
def site():
    with RawServer(SITES) as server:
        yield server


def search(site, *paths, snippet="A snippet on {}.", **settings):
    links = [f"http://site.example:{site.port}{path}" for path in paths]
    values = {"fetch_text": True, "allow_private_hosts": True, **settings}
    with JsonServer(serper({CLAIM: results(*links, snippet=snippet)})) as server:
        return list(retriever(server.url, **values).search(Query(CLAIM)))


@pytest.mark.parametrize("path", ["/long", "/pdf", "/moved"])
def test_relevant_passage_is_taken_from_the_page(site, path):
    (found,) = search(site, path)
    assert "Mara Lindqvist designed" in found.text
    assert len(found.text.split()) <= 200
    assert found.snippet.startswith("A snippet on")
    assert (found.title, found.note) == ("Title 0", "")


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("/blocked", "page not read: notice: verify you are human; the snippet is used"),
        ("/binary", "page not read: binary; the snippet is used"),
        ("/forbidden", "page not read: status 403; the snippet is used"),
        ("/image", "page not read: content type; the snippet is used"),
        ("/metadata", "page not read: cloud metadata address; the snippet is used"),
        ("/other", "no passage of the page fits; the snippet is used"),
    ],
)
def test_unusable_page_leaves_snippet_and_reason(site, path, note):
    (found,) = search(site, path)
    assert found.text == found.snippet != ""
    assert found.note == note


def test_guessed_page_encoding_is_noted(site):
    page = html("Мост через реку открыли в 1932 году.\nАрки начертила Mara Lindqvist, the engineer.")
    site.paths["/old"] = reply(page.decode().replace("©", "").encode("cp1251"))
    (found,) = search(site, "/old")
    assert "Арки начертила Mara Lindqvist" in found.text
    assert found.note == "not valid UTF-8; read as windows-1251"


def test_a_page_that_hangs_leaves_its_snippet(site, monkeypatch):
    monkeypatch.setattr(fetch, "FETCH_SECONDS", 3.0)
    found = search(site, "/hang", "/pdf")
    assert [f.note for f in found] == ["page not read: time; the snippet is used", ""]


def test_without_the_switch_no_private_page_is_read(site):
    (found,) = search(site, "/long", allow_private_hosts=False)
    assert found.note == "page not read: loopback address; the snippet is used"
    assert site.requests == []


def test_empty_results_make_room_for_the_next(site):
    site.paths["/obituary"] = reply(html(f"{CLAIM} She died in Gothenburg, where she was born."))
    found = search(site, "/forbidden", "/blocked", "/long", "/obituary", snippet="", retrieve_k=2)
    assert [f.link.rpartition("/")[2] for f in found] == ["long", "obituary"]


def test_one_page_counts_once_under_any_link(site):
    own = f"http://site.example:{site.port}/canon"
    canonical = f'<link rel="canonical" href="{own}">'
    elsewhere = canonical.replace("site", "s")
    site.paths |= {
        "/canon": reply(html(LONG)),
        "/print?id=1": reply(html(f"{CLAIM} This is for printers.", head=canonical)),
        "/print?id=2": reply(html(f"{CLAIM} It names another site as its own.", head=elsewhere)),
        "/to-canon": redirect("/canon"),
        "/mirror": reply(html(LONG, title="Mirror")),
    }
    paths = "/canon /canon?utm_source=x /canon#part /print?id=1 /to-canon /mirror /print?id=2"
    found = search(site, *paths.split(), retrieve_k=5)
    assert [f.link.rpartition("/")[2] for f in found] == ["canon", "print?id=2"]


def test_atom_with_only_failed_pages_fails(site):
    with pytest.raises(FetchError, match="status 403"):
        search(site, "/image", "/forbidden", snippet="")


def test_failed_link_is_not_refetched_at_once(site, monkeypatch):
    link = f"http://site.example:{site.port}/forbidden"
    with JsonServer(serper({CLAIM: results(link), "other": results(link)})) as server:
        web = retriever(server.url, fetch_text=True, allow_private_hosts=True)
        assert web.search(Query(CLAIM))[0].note == web.search(Query("other"))[0].note
        assert len(site.requests) == 1
        monkeypatch.setattr(web_pages, "REMEMBERED", 0.0)
        web.search(Query(CLAIM))
    assert len(site.requests) == 2


@pytest.mark.parametrize("refusal", [SITES["/blocked"], SITES["/binary"], reply(b"", status=403)])
def test_refused_page_is_read_by_later_run(site, tmp_path, refusal):
    kept = {"cache": True, "cache_dir": tmp_path}
    site.paths["/page"] = refusal
    (refused,) = search(site, "/page", **kept)
    site.paths["/page"] = reply(html(LONG))
    (read,) = search(site, "/page", **kept)
    assert refused.text == refused.snippet
    assert "Mara Lindqvist designed" in read.text


def busy_first(times, refusal):
    """A page that is refused so many times before it is served."""
    left = iter(range(times))
    return lambda client: client.write(reply(html(LONG)) if next(left, None) is None else refusal)


@pytest.mark.parametrize("refusal", [reply(b"", status=429, Retry_After="0"), reply(b"", status=503), b""])
def test_temporarily_failing_page_is_retried(site, refusal):
    site.paths["/busy"] = busy_first(2, refusal)
    (found,) = search(site, "/busy", patience=30.0)
    assert "Mara Lindqvist designed" in found.text
    assert (found.note, found.unread, len(site.requests)) == ("", None, 3)


@pytest.mark.parametrize("wait", ["3600", "1"])
def test_page_wait_is_limited_by_patience(site, wait):
    site.paths["/busy"] = reply(b"", status=429, Retry_After=wait)
    site.paths["/other-page"] = reply(b"", status=503)
    first, second = search(site, "/busy", "/other-page", patience=0.5)
    assert [f.unread.reason for f in (first, second)] == ["status 429", "status 503"]
    assert first.text == first.snippet
    # A host that outlasted the patience is asked only once for its next page.
    assert len(site.requests) == 2


def test_recovered_host_is_waited_for_again(site, tmp_path):
    site.paths |= {"/busy": reply(b"", status=429, Retry_After="3600"), "/again": reply(html(LONG))}
    site.paths["/later"] = busy_first(1, reply(b"", status=503))
    found = search(site, "/busy", "/again", "/later", patience=30.0)
    assert [f.unread.reason if f.unread else "" for f in found][:1] == ["status 429"]
    assert sum(request.split()[1] == b"/later" for request in site.requests) == 2


def test_unread_page_without_snippet_fails_its_atom(site):
    site.paths["/busy"] = reply(b"", status=503)
    snippets = {"/busy": "", "/forbidden": "", "/long": "A snippet."}
    links = [
        {"title": "t", "link": f"http://site.example:{site.port}{path}", "snippet": snippet}
        for path, snippet in snippets.items()
    ]
    atom, record = Atom(id="a0", text=CLAIM), Record(id="r", response="x")
    with JsonServer(serper({CLAIM: links})) as server:
        web = retriever(server.url, fetch_text=True, allow_private_hosts=True, retrieve_k=1)
        found = web.retrieve((atom,), record)
    assert [(c.id, c.unread) for c in found.contexts] == [("c_a0_0", "")]
    assert [(f.item_id, "status 503" in f.message) for f in found.failures] == [("a0", True)]


def test_unread_page_fails_its_context_and_is_retried(site, tmp_path):
    site.paths["/busy"] = busy_first(1, reply(b"", status=503))
    links = [f"http://site.example:{site.port}{path}" for path in ("/busy", "/forbidden")]
    atoms, record = (Atom(id="a0", text=CLAIM),), Record(id="r", response="x")
    kept = {"fetch_text": True, "allow_private_hosts": True, "cache": True, "cache_dir": tmp_path}
    with JsonServer(serper({CLAIM: results(*links)})) as server:
        first = retriever(server.url, **kept).retrieve(atoms, record)
        again = retriever(server.url, **kept).retrieve(atoms, record)
    # What a site refuses for good is said in a note, and is no failure.
    assert [(f.item_id, f.error_type) for f in first.failures] == [("c_a0_0", "UnreadablePageError")]
    assert [c.unread for c in first.contexts] == ["status 503", ""]
    assert [c.note[:9] for c in first.contexts] == ["page not "] * 2
    assert (again.failures, [c.unread for c in again.contexts]) == ((), ["", ""])
    assert "Mara Lindqvist designed" in again.contexts[0].text


def test_only_first_pdf_pages_are_searched(site, monkeypatch):
    assert "Lindqvist" in search(site, "/pdf")[0].text
    monkeypatch.setattr(web_pages, "PageReader", functools.partial(PageReader, pages=2))
    told = "no passage of the page fits; the snippet is used; read in part: pages 3 to 6 were not read"
    assert search(site, "/pdf")[0].note == told


def test_cached_pages_obey_domain_lists(site, tmp_path):
    site.paths["/away"] = redirect(f"http://other.example:{site.port}/long")
    kept = {"cache": True, "cache_dir": tmp_path}
    first = search(site, "/away", **kept)
    assert [f.note for f in first] == [""]
    asked = len(site.requests)
    with JsonServer(serper({CLAIM: results(f"http://site.example:{site.port}/away")})) as server:
        web = retriever(server.url, fetch_text=True, allow_private_hosts=True, **kept)
        assert web.search(Query(CLAIM)) == first
        wary = retriever(
            server.url, fetch_text=True, allow_private_hosts=True, deny_domains=("other.example",), **kept
        )
        assert wary.search(Query(CLAIM))[0].note == "page not read: domain list; the snippet is used"
    assert len(site.requests) == asked


def test_reading_pages_needs_the_extra(monkeypatch):
    monkeypatch.setattr(reader.importlib.util, "find_spec", lambda name: None)
    WebRetriever(Config(cache=False))
    with pytest.raises(MissingExtraError, match=r"\.\[web\]"):
        WebRetriever(Config(cache=False, fetch_text=True))
