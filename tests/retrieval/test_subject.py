"""What a record is about, and how it gets into a query."""

import pytest

from factreasoner.models import Atom, Record
from factreasoner.retrieval.subject import SubjectQueryBuilder, subject_of, with_subject


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
        (
            "how old is it?",
            "The University of Oxford is old. Oxford is big.",
            "University of Oxford",
        ),
        ("how old is it?", "The University of Oxford is old.", ""),
        ("谁是鲁迅?", "鲁迅是作家。", ""),
        ("", "", ""),
    ],
)
def test_the_subject_is_the_one_name_that_stands_out(prompt, response, subject):
    assert subject_of(Record(id="r", prompt=prompt, response=response)) == subject


def test_a_topic_comes_first_and_an_essay_is_none():
    record = Record(id="r", prompt="Who was Ada Lovelace?", response="x", topic=" Augusta  King ")
    assert subject_of(record) == "Augusta King"
    assert subject_of(record.model_copy(update={"topic": "word " * 40})) == ""


def test_only_the_words_that_are_missing_are_put_in():
    assert with_subject("She wrote notes.", "Ada Lovelace") == "Ada Lovelace She wrote notes."
    assert with_subject("Lovelace wrote notes.", "Ada Lovelace") == "Ada Lovelace wrote notes."
    assert with_subject("Ada Lovelace wrote.", "Ada Lovelace") == "Ada Lovelace wrote."


def test_atoms_get_queries_and_keep_their_texts_and_own_queries():
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
