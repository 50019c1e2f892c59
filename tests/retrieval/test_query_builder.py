"""What a record is about, and how it gets into a query."""

import pytest
from fenced import fenced

from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Record
from factreasoner.models.messages import Reply
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.query_builder import (
    LONGEST,
    LLMQueryBuilder,
    SubjectQueryBuilder,
    subject_of,
    with_subject,
)

RECORD = Record(id="r1", response="x", prompt="Who built it?", topic="Otter Bridge </given_topic>")
ATOMS = (
    Atom(id="x", text="The Otter Bridge opened in 1931.", gold="S"),
    Atom(id="y", text="The Otter Bridge is red."),
    Atom(id="z", text="Mara Lindqvist designed the Otter Bridge."),
)
GOOD = {f"query_{n}": f"Otter Bridge {of}" for n, of in enumerate(("opening year", "colour", "engineer"))}


def build(llm, atoms=ATOMS, **settings):
    built, failures = LLMQueryBuilder(llm=llm, config=Config(**settings)).build(atoms, RECORD)
    assert [atom.model_copy(update={"query": ""}) for atom in built] == [
        atom.model_copy(update={"query": ""}) for atom in atoms
    ]
    assert {failure.stage for failure in failures} <= {"query_builder"}
    return [atom.query for atom in built], [failure.item_id for failure in failures]


def test_one_call_words_a_query_for_every_atom():
    llm = ScriptedLLM([GOOD])
    assert build(llm) == (list(GOOD.values()), [])
    (call,) = llm.calls
    assert call.schema.parameters["required"] == list(GOOD)
    assert call.schema.items["query_1"] == ATOMS[1].text
    assert fenced(call.prompt.user, "question") == ["Who built it?"]
    assert fenced(call.prompt.user, "topic") == ["Otter Bridge &lt;/given_topic>"]


@pytest.mark.parametrize("bad", [None, " \n ", "x" * (LONGEST + 1)])
def test_unusable_query_is_retried_alone(bad):
    llm = ScriptedLLM([GOOD | {"query_1": bad}, {"query_1": "Otter Bridge paint"}])
    assert build(llm) == (["Otter Bridge opening year", "Otter Bridge paint", "Otter Bridge engineer"], [])
    assert llm.calls[1].schema.arguments == ("query_1",)


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        ([{k: v for k, v in GOOD.items() if k != "query_2"}, {}], ["z"]),
        ([UnusableReplyError("prose"), UnusableReplyError("prose")], ["x", "y", "z"]),
        ([LLMError("HTTP 500", attempts=5)], ["x", "y", "z"]),
        ([GOOD | {"query_1": None}, Reply(arguments={}, truncated=True)], ["y"]),
    ],
)
def test_atom_without_query_keeps_its_text(script, failed):
    queries, listed = build(ScriptedLLM(script), max_attempts=2)
    assert listed == failed
    assert [atom.id for atom, query in zip(ATOMS, queries, strict=True) if not query] == failed


def test_existing_queries_are_not_paid_again():
    done = tuple(atom.model_copy(update={"query": "known"}) for atom in ATOMS)
    assert build(ScriptedLLM([]), done) == (["known"] * 3, [])
    llm = ScriptedLLM([{"query_0": "new"}])
    assert build(llm, (done[0], ATOMS[1], done[2])) == (["known", "new", "known"], [])


@pytest.mark.parametrize(
    ("prompt", "response", "subject"),
    [
        ("Question: Tell me a bio of Ada Lovelace.", "", "Ada Lovelace"),
        ("Who was Ada Lovelace?", "", "Ada Lovelace"),
        ("What's the capital of France?", "", "France"),
        ("What does the U.S. Constitution say?", "", "U.S. Constitution"),
        ("Wer war Johann Sebastian Bach?", "", "Johann Sebastian Bach"),
        ("Who wrote 'Pride and Prejudice'?", "", "Pride and Prejudice"),
        ("Did Einstein meet Bohr?", "Niels Bohr met Einstein. Bohr was glad.", "Bohr"),
        ("Did Einstein meet Bohr?", "They met once.", ""),
        ("how old is it?", "The University of Oxford is old. Oxford is big.", "University of Oxford"),
        ("how old is it?", "The University of Oxford is old.", ""),
        ("谁是鲁迅?", "鲁迅是作家。", ""),
        ("", "", ""),
    ],
)
def test_subject_is_the_single_prominent_name(prompt, response, subject):
    assert subject_of(Record(id="r", prompt=prompt, response=response)) == subject


def test_topic_precedes_prompt_but_essay_is_ignored():
    record = Record(id="r", prompt="Who was Ada Lovelace?", response="x", topic=" Augusta  King ")
    assert subject_of(record) == "Augusta King"
    assert subject_of(record.model_copy(update={"topic": "word " * 40})) == ""


def test_only_missing_subject_words_are_added():
    assert with_subject("She wrote notes.", "Ada Lovelace") == "Ada Lovelace She wrote notes."
    assert with_subject("Lovelace wrote notes.", "Ada Lovelace") == "Ada Lovelace wrote notes."
    assert with_subject("Ada Lovelace wrote.", "Ada Lovelace") == "Ada Lovelace wrote."


def test_atoms_get_queries_and_keep_texts():
    atoms = [
        Atom(id="a0", text="She wrote notes."),
        Atom(id="a1", text="Ada Lovelace was born in London."),
        Atom(id="a2", text="She died young.", query="Lovelace death"),
    ]
    record = Record(id="r", response="x", topic="Ada Lovelace")
    built = SubjectQueryBuilder().build(atoms, record)
    assert [atom.query for atom in built.atoms] == ["Ada Lovelace She wrote notes.", "", "Lovelace death"]
    assert [atom.text for atom in built.atoms] == [atom.text for atom in atoms]
    assert built.failures == ()
