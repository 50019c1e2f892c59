import pytest
from json_server import Answer, JsonServer, steps, wiki

from factreasoner.errors import SearchError
from factreasoner.models import Atom, Record
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import load
from factreasoner.retrieval.per_atom import Query
from factreasoner.retrieval.wikipedia import WikipediaRetriever, search_forms

FILLER = " ".join(f"The archive keeps volume {i} of the harbour office in its cellar." for i in range(200))
PAGES = {
    "Otter Bridge": "The Otter Bridge spans the river Lune. It is painted red.\n\n"
    f"History\n{FILLER}\nThe engineer Mara Lindqvist designed the steel arches in Gothenburg.\n{FILLER}",
    "Lune": "The Lune is a river of 85 kilometres. Salmon return to it each autumn.",
    "Otter (disambiguation)": "Otter may refer to an animal, a bridge or a ship.",
    "Empty": "",
}
NOW = {"Retry-After": "0"}


def retriever(url, **settings):
    values = {"wikipedia": f"{url}/w/api.php", "cache": False, **settings}
    return WikipediaRetriever(Config.model_validate(values))


def searched(query, pages=PAGES):
    """The first passage that is found, all of them, and the queries that the wiki was asked."""
    with JsonServer(wiki(pages)) as server:
        found = retriever(server.url).search(query)
        return found[0], found, [r.params["srsearch"] for r in server.requests if "srsearch" in r.params]


def test_best_passage_is_found_deep_in_page():
    """The sentence lies some 13,000 characters into the page."""
    first, _, _ = searched(Query("Mara Lindqvist designed the arches of the Otter Bridge."))
    assert PAGES["Otter Bridge"].index("Lindqvist") > 10_000
    assert "Mara Lindqvist designed" in first.text
    assert len(first.text.split()) <= 200
    assert (first.title, first.link) == ("Otter Bridge", "https://wiki.example/wiki/Otter_Bridge")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        (Query("It is painted red.", subject="Otter Bridge"), "Otter Bridge"),
        (Query("Salmon return to the Lune.", worded="zyx"), "Lune"),
    ],
    ids=["the topic's page is read", "a worded query that finds nothing gives way to the text"],
)
def test_expected_page_is_found(query, title):
    assert searched(query)[0].title == title


def test_shared_page_is_requested_once():
    atoms = [Atom(id=f"a{i}", text=f"The Otter Bridge is painted {c}.") for i, c in enumerate(["red"] * 6)]
    with JsonServer(wiki(PAGES)) as server:
        retriever(server.url).retrieve(atoms, Record(id="r", response="x", topic="Otter Bridge"))
        pages = [r.params["pageids"] for r in server.requests if "pageids" in r.params]
    assert sorted(pages) == sorted(set(pages))


def test_disambiguation_and_empty_pages_are_excluded():
    with JsonServer(wiki(PAGES, disambiguation=["Otter (disambiguation)"])) as server:
        assert retriever(server.url).search(Query("otter animal ship")) == []
        assert retriever(server.url).search(Query("Empty")) == []


def test_worded_query_searches_and_text_chooses_passage():
    claim = "It opened, unlike what the poets sing, with arches designed by Lindqvist."
    first, _, asked = searched(Query(claim, worded="Otter Bridge"))
    assert asked == ["otter bridge"]
    assert "Mara Lindqvist designed" in first.text


def test_a_query_that_finds_nothing_is_loosened():
    first, _, asked = searched(Query("Salmon, says the angler, return to the Lune at midnight."))
    assert first.title == "Lune"
    assert asked == ["salmon says the angler return to the lune at midnight", "salmon lune"]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Otter Bridge", ["otter bridge", "otter OR bridge"]),
        ("The U.S. cost $1,250.50!", ["the u.s cost 1,250.50", "u.s", "u.s OR cost OR 1,250.50"]),
        ('intitle:"x" -insource:/a.*b/ AND c~2', ["intitle x insource a b and c 2", "intitle OR insource"]),
        ("it is", ["it is"]),
        ("?!", []),
        ("", []),
        ("x" * 1000, []),
    ],
)
def test_search_forms_have_no_foreign_operators(text, forms):
    assert search_forms(text) == forms
    assert all(0 < len(form) <= 300 for form in search_forms("Wide " * 30 + "abcdefghij " * 100))


def test_lagging_wiki_is_retried():
    lagging = Answer({"error": {"code": "maxlag", "info": "Waiting for a database server"}}, 200, NOW)
    with JsonServer(steps(lagging, then=wiki(PAGES))) as server:
        assert retriever(server.url).search(Query("Lune"))
        assert server.requests[0].params["maxlag"] == "5"
        assert server.requests[0].params == server.requests[1].params


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer({"error": {"code": "badvalue", "info": "No"}}), "badvalue"),
        (Answer([1, 2]), "not a result of a MediaWiki"),
        (Answer({"error": "no", "query": {"search": [{"pageid": "x"}]}}), "not a result of a MediaWiki"),
        (Answer({"query": {"pages": {"1": {}}, "search": [{"pageid": 1}]}}), "not a result of a MediaWiki"),
        (Answer({"batchcomplete": True, "query": {}}), "neither hits nor pages"),
        (Answer({"query": {"pages": [{"title": "x"}], "search": [{"pageid": 1}]}}), "no TextExtracts"),
    ],
)
def test_a_wiki_that_refuses_is_a_search_error(answer, message):
    with JsonServer(lambda request: answer) as server, pytest.raises(SearchError, match=message):
        retriever(server.url).search(Query("Lune"))


def test_a_missing_page_is_left_out():
    answer = Answer({"query": {"search": [{"pageid": 0}], "pages": [{"pageid": 0, "missing": True}]}})
    with JsonServer(lambda request: answer) as server:
        assert retriever(server.url).search(Query("Lune")) == []


def test_of_an_endless_page_the_beginning_is_searched():
    filler = "Nothing is said of it in this sentence. " * 12_500
    pages = {"Lune": f"The Lune is a river of 85 kilometres. {filler}The Lune is long."}
    _, found, _ = searched(Query("The Lune is long."), pages)
    assert {f.note for f in found} == {"the first 500,000 characters of the page were searched"}
    assert not any("long" in f.text for f in found)


def test_user_agent_contact_is_sanitised(monkeypatch):
    monkeypatch.setenv("FACTREASONER_CONTACT", "Zoë\r\nX-Evil: 1")
    with JsonServer(wiki(PAGES)) as server:
        retriever(server.url).search(Query("Lune"))
    assert "factreasoner (Zo?X-Evil: 1)" in server.requests[0].headers["user-agent"]
    assert "x-evil" not in server.requests[0].headers


def test_the_language_chooses_the_wiki():
    made = load("retriever", "wikipedia")(config=Config(wikipedia="de", cache=False))
    assert made.wiki.url == "https://de.wikipedia.org/w/api.php"
