import pytest
from json_server import Answer, JsonServer, steps, wiki

from factreasoner.errors import SearchError
from factreasoner.models import Atom, Record
from factreasoner.plugins.table import load
from factreasoner.retrieval.per_atom import Query
from factreasoner.retrieval.wikipedia import WikipediaRetriever, search_forms
from factreasoner.settings import Config

FILLER = " ".join(f"The archive keeps volume {i} of the harbour office in its cellar." for i in range(200))
PAGES = {
    "Otter Bridge": "The Otter Bridge spans the river Lune. It is painted red.\n\n"
    f"History\n{FILLER}\nThe engineer Mara Lindqvist designed the steel arches in Gothenburg.\n{FILLER}",
    "Lune": "The Lune is a river of 85 kilometres. Salmon return to it each autumn.",
    "Otter (disambiguation)": "Otter may refer to an animal, a bridge or a ship.",
    "Empty": "",
}
NOW = {"Retry-After": "0"}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr("factreasoner.retrieval.service.FIRST_WAIT", 0.01)


def retriever(url, **settings):
    values = {"wikipedia_url": f"{url}/w/api.php", "cache": False, "fetch_timeout": 5.0, **settings}
    return WikipediaRetriever(Config.model_validate(values))


def test_the_best_passage_is_found_deep_in_the_page():
    """The sentence lies some 13,000 characters into the page."""
    with JsonServer(wiki(PAGES)) as server:
        found = retriever(server.url, retrieve_k=1).search(
            Query("Mara Lindqvist designed the arches of the Otter Bridge.")
        )
    assert PAGES["Otter Bridge"].index("Lindqvist") > 10_000
    assert "Mara Lindqvist designed" in found[0].text
    assert len(found[0].text.split()) <= 200
    assert (found[0].title, found[0].link) == ("Otter Bridge", "https://wiki.example/wiki/Otter_Bridge")


def test_the_topics_page_is_read_when_the_atom_names_it_not():
    with JsonServer(wiki(PAGES)) as server:
        found = retriever(server.url).search(Query("It is painted red.", subject="Otter Bridge"))
    assert found[0].title == "Otter Bridge"


def test_a_page_shared_by_atoms_is_asked_for_once():
    atoms = [Atom(id=f"a{i}", text=f"The Otter Bridge is painted {c}.") for i, c in enumerate(["red"] * 6)]
    with JsonServer(wiki(PAGES)) as server:
        retriever(server.url).retrieve(atoms, Record(id="r", response="x", topic="Otter Bridge"))
        pages = [r.params["pageids"] for r in server.requests if "pageids" in r.params]
    assert sorted(pages) == sorted(set(pages))


def test_lists_of_meanings_and_empty_pages_are_left_out():
    with JsonServer(wiki(PAGES, disambiguation=["Otter (disambiguation)"])) as server:
        assert retriever(server.url).search(Query("otter animal ship")) == []
        assert retriever(server.url).search(Query("Empty")) == []


def test_a_worded_query_is_searched_for_and_the_text_chooses_the_passage():
    claim = "It opened, unlike what the poets sing, with arches designed by Lindqvist."
    with JsonServer(wiki(PAGES)) as server:
        found = retriever(server.url, retrieve_k=1).search(Query(claim, worded="Otter Bridge"))
        asked = [r.params["srsearch"] for r in server.requests if "srsearch" in r.params]
    assert asked == ["otter bridge"]
    assert "Mara Lindqvist designed" in found[0].text


def test_a_worded_query_that_finds_nothing_gives_way_to_the_text():
    with JsonServer(wiki(PAGES)) as server:
        found = retriever(server.url).search(Query("Salmon return to the Lune.", worded="zyx"))
    assert found[0].title == "Lune"


def test_a_query_that_finds_nothing_is_loosened():
    with JsonServer(wiki(PAGES)) as server:
        found = retriever(server.url).search(
            Query("Salmon, says the angler, return to the Lune at midnight.")
        )
        queries = [r.params["srsearch"] for r in server.requests if "srsearch" in r.params]
    assert found[0].title == "Lune"
    assert queries == ["salmon says the angler return to the lune at midnight", "salmon lune"]


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
def test_search_forms_hold_no_operators_but_their_own_and_fit_the_limit(text, forms):
    assert search_forms(text) == forms
    assert all(0 < len(form) <= 300 for form in search_forms("Wide " * 30 + "abcdefghij " * 100))


def test_a_lagging_wiki_is_asked_again():
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
    with JsonServer(wiki(pages)) as server:
        found = retriever(server.url).search(Query("The Lune is long."))
    assert {f.note for f in found} == {"the first 500,000 characters of the page were searched"}
    assert not any("long" in f.text for f in found)


def test_the_agent_is_named_with_a_contact_that_does_no_harm(monkeypatch):
    monkeypatch.setenv("FACTREASONER_CONTACT", "Zoë\r\nX-Evil: 1")
    with JsonServer(wiki(PAGES)) as server:
        retriever(server.url).search(Query("Lune"))
    assert "factreasoner (Zo?X-Evil: 1)" in server.requests[0].headers["user-agent"]
    assert "x-evil" not in server.requests[0].headers


def test_the_language_chooses_the_wiki():
    made = load("retriever", "wikipedia")(config=Config(wikipedia_language="de", cache=False))
    assert made.wiki.url == "https://de.wikipedia.org/w/api.php"
