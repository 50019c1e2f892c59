import threading

import pytest

from factreasoner.errors import ConfigError, InputError, SearchError
from factreasoner.models import Atom, Context, Record, StageError
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import (
    WORKERS,
    FoundPassage,
    GivenRetriever,
    distinct,
    retrieve_each,
)

ATOMS = tuple(Atom(id=f"a{i}", text=f"Statement {i}.") for i in range(5))


def record(**fields):
    return Record(**{"id": "r1", "response": "x", "prompt": "Tell me of the bridge.", **fields})


def three(query):
    return [
        FoundPassage(f"{query.text} {rank}", "T", "https://x.example/", "snip", "note") for rank in range(5)
    ]


def test_only_the_longer_of_two_passages_stays():
    texts = ("It may open.", "It may not open.", "It may open. Read on.", "may not open", "Later.")
    found = distinct((FoundPassage(text) for text in texts), 3)
    assert [passage.text for passage in found] == ["It may not open.", "It may open. Read on.", "Later."]


def test_context_ids_name_atom_and_rank():
    found = retrieve_each(three, ATOMS[:2], record(), Config(retrieve_k=2))
    assert [(c.id, c.atom_ids, c.text) for c in found.contexts] == [
        ("c_a0_0", ("a0",), "Statement 0. 0"),
        ("c_a0_1", ("a0",), "Statement 0. 1"),
        ("c_a1_0", ("a1",), "Statement 1. 0"),
        ("c_a1_1", ("a1",), "Statement 1. 1"),
        ("c_q_0", (), "Tell me of the bridge. 0"),
        ("c_q_1", (), "Tell me of the bridge. 1"),
    ]
    first = found.contexts[0]
    assert (first.title, first.link, first.snippet, first.note) == ("T", "https://x.example/", "snip", "note")
    assert found.failures == ()


@pytest.mark.parametrize(("settings", "fields"), [({"version": 1}, {}), ({}, {"prompt": " ", "topic": None})])
def test_unwanted_question_search_is_skipped(settings, fields):
    found = retrieve_each(three, ATOMS, record(**fields), Config.model_validate(settings))
    assert {c.atom_ids for c in found.contexts} == {(atom.id,) for atom in ATOMS}


def test_without_a_prompt_the_topic_is_the_question():
    found = retrieve_each(three, ATOMS[:1], record(prompt="", topic="Otter Bridge"), Config())
    assert found.contexts[-1].text.startswith("Otter Bridge")


def test_atom_query_is_searched_before_its_text():
    seen = []

    def search(query):
        seen.append(query)
        return ()

    atoms = (Atom(id="a0", text="Statement 0.", query="zero"), ATOMS[1])
    found = retrieve_each(search, atoms, record(topic="Otter Bridge"), Config(concurrency=1))
    assert found == Retrieved(())
    forms = [("zero", "Statement 0."), ("Statement 1.",), ("Tell me of the bridge.",)]
    assert [query.forms for query in seen] == forms
    assert {query.subject for query in seen} == {"Otter Bridge"}


def test_an_atom_called_q_keeps_its_ids():
    found = retrieve_each(three, (Atom(id="q", text="Q."),), record(), Config(retrieve_k=1))
    assert [(c.id, c.atom_ids) for c in found.contexts] == [("c_q_0", ("q",)), ("c_qq_0", ())]


def test_one_atom_search_failure_is_recorded():
    def search(query):
        if query.text == "Statement 2.":
            raise SearchError("the service sleeps", attempts=5)
        if query.text.startswith("Tell"):
            raise SearchError("the service yawns")
        return three(query)

    found = retrieve_each(search, ATOMS, record(), Config())
    assert [(f.stage, f.item_id, f.error_type, f.attempts) for f in found.failures] == [
        ("retriever", "a2", "SearchError", 5),
        ("retriever", "r1", "SearchError", 1),
    ]
    assert {c.atom_ids for c in found.contexts} == {("a0",), ("a1",), ("a3",), ("a4",)}


@pytest.mark.parametrize(("error", "raised"), [(SearchError, StageError), (ConfigError, ConfigError)])
def test_fatal_search_error_is_raised(error, raised):
    def search(query):
        raise error("down")

    with pytest.raises(raised) as caught:
        retrieve_each(search, ATOMS, record(), Config())
    assert len(getattr(caught.value, "failures", [*ATOMS, "question"])) == len(ATOMS) + 1


def test_control_characters_are_removed_from_passages():
    hostile = FoundPassage(
        "Half \ud83d.\x00\x1b[31m\r\nNext", "\ud800T\n" + "x" * 999, "https://x.example/\x9b", "\x07s"
    )
    context = retrieve_each(lambda query: [hostile], ATOMS[:1], record(), Config()).contexts[0]
    assert (context.text, context.snippet) == ("Half  .  [31m \nNext", " s")
    assert (context.title, context.link) == ("T " + "x" * 298, "https://x.example/ ")
    assert Context.model_validate_json(context.model_dump_json()) == context


def test_only_links_to_pages_are_kept():
    links = ["javascript:alert(1)", "data:text/html,x", "", "HTTPS://x", "https://x.example/"]
    passages = [FoundPassage("text", link=link) for link in links]
    found = retrieve_each(lambda query: passages, ATOMS[:1], record(), Config(retrieve_k=9))
    assert [c.link for c in found.contexts if c.atom_ids] == ["", "", "", "", "https://x.example/"]


def test_missing_contexts_error_names_record_and_fix():
    with pytest.raises(InputError, match=r"record 'r1'.*add `contexts`.*choose a retriever"):
        GivenRetriever().retrieve(ATOMS, record())


def test_searches_run_side_by_side_within_limits():
    """The barrier opens only if four searches wait at it together."""
    barrier = threading.Barrier(4, timeout=60)
    lock = threading.Lock()
    running = most = 0

    def search(query):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        barrier.wait()
        with lock:
            running -= 1
        return three(query)

    atoms = [Atom(id=f"a{i}", text=f"S{i}") for i in range(15)]
    retrieve_each(search, atoms, record(), Config(concurrency=4))
    assert most == 4
    assert WORKERS >= 4
