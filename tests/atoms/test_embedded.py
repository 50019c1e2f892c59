"""Atoms without a model: ids, places, and pronouns replaced only where one thing can be meant."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.atoms.embedded import EmbeddedAtomizer, EmbeddedReviser
from factreasoner.models import Atom, Record
from factreasoner.pipeline.config import Config
from factreasoner.text.language import words
from factreasoner.text.sentences import sentences

CASES = [
    tuple(line.split(" | "))
    for line in (Path(__file__).parent / "pronoun_cases.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
MOST_WRONG = 3
"""Replacements that put the right name, and leave another pronoun that the case names as well."""
LEAST_REPLACED = 80


def revised(before, last, **settings):
    response = f"{before} {last}"
    atom = Atom(id="a", text=last, span=(len(before) + 1, len(response)))
    record = Record(id="r", response=response)
    (found,) = EmbeddedReviser(Config(**settings)).revise([atom], record).atoms
    return found


def test_cases_are_many_and_read_as_two_sentences_or_more():
    assert len(CASES) >= 200
    assert len(set(CASES)) == len(CASES)
    for before, last, _ in CASES:
        response = f"{before} {last}"
        start, end = sentences(response)[-1]
        assert response[start:end] == last


def test_a_pronoun_is_replaced_only_where_one_thing_can_be_meant():
    texts = [(revised(before, last).text, last, label) for before, last, label in CASES]
    assert [text for text, last, label in texts if label == "=" and text != last] == []
    replaced = [(text, label) for text, last, label in texts if text != last]
    assert len(replaced) >= LEAST_REPLACED
    assert sum(text != label for text, label in replaced) <= MOST_WRONG


def test_without_a_parser_nothing_is_guessed():
    for before, last, _ in CASES:
        assert revised(before, last, spacy_model="none").text == last


@pytest.mark.parametrize(
    ("before", "last", "words"),
    [
        ("Arin Dol married Kessa Vey in 1895.", "He was killed in 1906.", ("He",)),
        ("Apple introduced the Lightning connector in 2012.", "It replaced an older one.", ("It",)),
        ("The price rose in 1973.", "This led to a crisis.", ("This",)),
        ("Oslo is the capital of Norway.", "His house is a museum.", ("His",)),
        ("Oslo is a cold city.", "It is clear that winter is long.", ()),
        ("Oslo is a city.", "Alan Turing lost his job in 1952.", ()),
        ("Oslo is a city.", "Parents love their children.", ()),
        ("Marie Curie was born in Warsaw.", "She moved to Paris.", ()),
    ],
)
def test_what_stays_is_flagged_and_what_is_clear_is_not(before, last, words):
    assert revised(before, last).unresolved == words


def test_a_last_name_becomes_the_whole_one():
    record = Record(id="r", response="Ada Lovelace was born in 1815. Lovelace wrote notes. She died in 1852.")
    atoms = EmbeddedAtomizer().atomize(record).atoms
    assert [atom.text for atom in EmbeddedReviser().revise(atoms, record).atoms] == [
        "Ada Lovelace was born in 1815.",
        "Ada Lovelace wrote notes.",
        "Ada Lovelace died in 1852.",
    ]


def test_an_acronym_is_no_last_name():
    text = "The commands of the IBM Cloud® Virtual Private Cloud (VPC) CLI are old."
    record = Record(id="r", response=text)
    (atom,) = EmbeddedReviser().revise(EmbeddedAtomizer().atomize(record).atoms, record).atoms
    assert atom.text == text


def test_the_topic_stands_for_a_pronoun_where_nobody_else_is_named():
    atoms = (Atom(id="p", text="She died in 1852.", original="died in 1852", gold="NS", span=(3, 9)),)
    record = Record(id="r", response="She died in 1852.", topic="Ada Lovelace")
    assert EmbeddedReviser().revise(atoms, record).atoms == (
        Atom(id="p", text="Ada Lovelace died in 1852.", original="died in 1852", gold="NS", span=(3, 9)),
    )


def test_an_atom_without_a_place_keeps_its_pronoun():
    record = Record(id="r", response="Ada Lovelace was born in 1815. She died in 1852.")
    (atom,) = EmbeddedReviser().revise([Atom(id="a", text="She died in 1852.")], record).atoms
    assert (atom.text, atom.unresolved) == ("She died in 1852.", ("She",))


def test_what_more_than_an_atom_may_explain_is_flagged():
    response = "Glue is spread on the wood, and sand is used to harden it."
    record = Record(id="r", response=response)
    atoms = EmbeddedReviser().revise(EmbeddedAtomizer().atomize(record).atoms, record).atoms
    assert {a.text: a.unresolved for a in atoms}["Sand is used to harden it."] == ("it",)


WORDS = st.sampled_from(
    sorted(
        words(
            "He She It They His Its Their is was has the a Ada Lovelace , . that to of born in",
            "1950 : - “ ” ( ) Some focus There this these waves and married",
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=12).map(" ".join)), max_size=5),
    st.text(max_size=20),
    st.sampled_from([None, "none"]),
)
def test_any_atoms_can_be_revised(texts, topic, model):
    response = " ".join(texts)
    places = [response.find(text) for text in texts]
    atoms = [
        Atom(id=f"a{n}", text=text, span=(place, place + len(text)))
        for n, (text, place) in enumerate(zip(texts, places, strict=True))
    ]
    record = Record(id="r", response=response, topic=topic)
    revised = EmbeddedReviser(Config(spacy_model=model)).revise(atoms, record).atoms
    assert [atom.id for atom in revised] == [atom.id for atom in atoms]
    for before, after in zip(atoms, revised, strict=True):
        assert after.text == before.text or after.original == before.text


@pytest.mark.parametrize(
    ("before", "last", "text"),
    [
        ("Oslo is a city.", "It's cold.", "Oslo is cold."),
        ("Oslo is a city.", "It’s been rebuilt.", "Oslo has been rebuilt."),
        ("Oslo is a city.", "It 's been rebuilt.", "Oslo has been rebuilt."),
        ("Quasars are bright.", "They're far away.", "Quasars are far away."),
        ("Ada Lovelace was a writer.", "She'll return.", "Ada Lovelace will return."),
    ],
)
def test_a_contraction_is_written_out(before, last, text):
    assert revised(before, last).text == text


def test_a_plural_that_stands_nearer_than_the_subject_may_be_meant():
    response = "Crowds rushed to the crossings, and Checkpoint Charlie was the first of them to open."
    part = "Checkpoint Charlie was the first of them to open."
    atom = Atom(id="a0", text=part, span=(response.index(part), len(response)))
    (revised_atom,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    assert (revised_atom.text, revised_atom.unresolved) == (part, ("them",))


@pytest.mark.parametrize(
    "response", ["La tour Eiffel mesure 330 mètres.", "Elle est née à Rome et à Naples."]
)
def test_a_response_in_another_language_is_not_parsed_as_english(response):
    assert [atom.text for atom in EmbeddedAtomizer().atomize(Record(id="r", response=response)).atoms] == [
        response
    ]


def test_embedded_atoms_have_ids_spans_and_originals():
    text = "Sure! Ada was born in 1815 in London and won the prize in 1833. Was she rich? She **died**."
    atoms = EmbeddedAtomizer(config=Config()).atomize(Record(id="r", response=text)).atoms
    assert [(a.id, a.text, a.original) for a in atoms] == [
        ("a0", "Ada was born in 1815.", "Ada was born in 1815"),
        ("a1", "Ada was born in London.", "Ada was born in 1815 in London"),
        ("a2", "Ada won the prize in 1833.", "won the prize in 1833"),
        ("a3", "She died.", "She **died**."),
    ]
    assert all(a.span and text[a.span[0] : a.span[1]] == a.original for a in atoms)
