"""Atoms without a model: ids, places, and pronouns replaced only where one thing can be meant."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.atoms.rules import RuleAtomizer, RuleReviser
from factreasoner.models import Atom, Record
from factreasoner.text.language import word_set
from factreasoner.text.sentences import sentences

CASES = [
    tuple(line.split(" | "))
    for line in (Path(__file__).parent / "pronoun_cases.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
LEAST_REPLACED = 91
MOST_PARTIAL = 2
"""Replacements that put the right name, and leave another word that the case names as well."""


def revised(before, last):
    response = f"{before} {last}"
    atom = Atom(id="a", text=last, span=(len(before) + 1, len(response)))
    record = Record(id="r", response=response)
    (found,) = RuleReviser().revise([atom], record).atoms
    return found


def test_cases_read_as_at_least_two_sentences():
    assert len(CASES) >= 200
    assert len(set(CASES)) == len(CASES)
    for before, last, _ in CASES:
        response = f"{before} {last}"
        start, end = sentences(response)[-1]
        assert response[start:end] == last


def test_pronoun_is_replaced_only_where_one_thing_fits():
    texts = [(revised(before, last).text, last, label) for before, last, label in CASES]
    replaced = [(text, label) for text, last, label in texts if text != last]
    assert len(replaced) >= LEAST_REPLACED
    assert [text for text, label in replaced if label == "="] == []
    assert sum(text != label for text, label in replaced) <= MOST_PARTIAL


@pytest.mark.usefixtures("whole_sentences")
def test_without_a_parser_nothing_is_guessed():
    for before, last, _ in CASES:
        assert revised(before, last).text == last


def test_atom_without_a_place_keeps_its_pronoun():
    record = Record(id="r", response="Ada Lovelace was born in 1815. She died in 1852.")
    (atom,) = RuleReviser().revise([Atom(id="a", text="She died in 1852.")], record).atoms
    assert atom.text == "She died in 1852."


def test_every_atom_of_a_sentence_gets_the_name():
    record = Record(id="r", response="The lamp is **old**. It was lit in 1871 and failed in 1902. It is red.")
    atoms = RuleReviser().revise(RuleAtomizer().atomize(record).atoms, record).atoms
    assert [atom.text for atom in atoms] == [
        "The lamp is old.",
        "The lamp was lit in 1871.",
        "The lamp failed in 1902.",
        "The lamp is red.",
    ]


WORDS = st.sampled_from(
    sorted(
        word_set(
            "He She It They His Its Their is was has the a Ada Lovelace , . that to of born in",
            "1950 : - “ ” ( ) Some focus There this these waves and married",
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=12).map(" ".join)), max_size=5),
    st.text(max_size=20),
)
def test_any_atoms_can_be_revised(texts, topic):
    response = " ".join(texts)
    places = [response.find(text) for text in texts]
    atoms = [
        Atom(id=f"a{n}", text=text, span=(place, place + len(text)))
        for n, (text, place) in enumerate(zip(texts, places, strict=True))
    ]
    record = Record(id="r", response=response, topic=topic)
    revised = RuleReviser().revise(atoms, record).atoms
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


@pytest.mark.parametrize(
    ("response", "texts"),
    [
        ("Ada Lovelace wrote. Lovelace began to study early. She sang.", {"Ada Lovelace sang."}),
        ("Ada Lovelace lived here, and she is known for notes.", {"Ada Lovelace is known for notes."}),
        ("Olga Roe met Bea Holm. Ada Lovelace praised her work. She died.", {"She died."}),
        ("Nobody read his plan. Ron Smith spoke.", {"Nobody read his plan."}),
        ("The lamp is old, and it is known that Rome fell.", set()),
        ("Two women won. They are:\n1. Ada Roe - a writer.", {"Ada Roe is a writer."}),
    ],
)
def test_atoms_of_an_answer_name_their_subject(response, texts):
    record = Record(id="r", response=response)
    atoms = RuleReviser().revise(RuleAtomizer().atomize(record).atoms, record).atoms
    assert texts <= {atom.text for atom in atoms}
    assert not any("lamp is known" in atom.text for atom in atoms)


@pytest.mark.parametrize(
    "response", ["La tour Eiffel mesure 330 mètres.", "Elle est née à Rome et à Naples."]
)
def test_foreign_response_is_not_parsed_as_english(response):
    assert [atom.text for atom in RuleAtomizer().atomize(Record(id="r", response=response)).atoms] == [
        response
    ]


def test_embedded_atoms_have_ids_spans_and_originals():
    text = "Sure! Ada was born in 1815 in London and won the prize in 1833. Was she rich? She **died**."
    atoms = RuleAtomizer().atomize(Record(id="r", response=text)).atoms
    assert [(a.id, a.text, a.original) for a in atoms] == [
        ("a0", "Ada was born in 1815 in London.", "Ada was born in 1815 in London"),
        ("a1", "Ada won the prize in 1833.", "won the prize in 1833"),
        ("a2", "She died.", "She **died**."),
    ]
    assert all(a.span and text[a.span[0] : a.span[1]] == a.original for a in atoms)
