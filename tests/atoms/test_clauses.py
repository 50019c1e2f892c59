"""Sentences split by their parse; every expected atom was written by hand."""

from pathlib import Path

import pytest

from factreasoner.atoms.rules import RuleAtomizer
from factreasoner.models import Record

SPLIT = {
    "Ada was born in 1815 and wrote notes.": ["Ada was born in 1815.", "Ada wrote notes."],
    "Ada is a writer, a composer and a painter.": [
        "Ada is a writer.",
        "Ada is a composer.",
        "Ada is a painter.",
    ],
    "The band released a film, singles and videos.": [
        "The band released a film.",
        "The band released singles.",
        "The band released videos.",
    ],
    "The band toured Norway, Sweden, and Denmark.": [
        "The band toured Norway.",
        "The band toured Sweden.",
        "The band toured Denmark.",
    ],
    "Ann Lee founded the Globe, a newspaper in Lom, and died in 1930.": [
        "Ann Lee founded the Globe.",
        "The Globe was a newspaper in Lom.",
        "Ann Lee died in 1930.",
    ],
    "She did not win the race and retired in 1990.": ["She did not win the race.", "She retired in 1990."],
    "The council didn't meet and was dissolved.": ["The council didn't meet.", "The council was dissolved."],
    "The bridge can be built and has been planned.": [
        "The bridge can be built.",
        "The bridge has been planned.",
    ],
    "Jo is an actor who was born in Madrid.": ["Jo is an actor.", "Jo was born in Madrid."],
    "Jo is an actor born on 3 May 1949 in Madrid.": [
        "Jo is an actor.",
        "Jo was born on 3 May 1949 in Madrid.",
    ],
    "A sieve is a tool used by cooks.": ["A sieve is a tool.", "A sieve is used by cooks."],
    "Ada praised the engine, which was never built.": [
        "Ada praised the engine.",
        "The engine was never built.",
    ],
    "Ada Lovelace, an English mathematician, wrote notes.": [
        "Ada Lovelace wrote notes.",
        "Ada Lovelace was an English mathematician.",
    ],
    "He acted in films such as “Ran” and “Ikiru.”": [
        "He acted in films such as “Ran”.",
        "He acted in films such as “Ikiru”.",
    ],
    "He drank hemlock.\u200b The fish died.": ["He drank hemlock.", "The fish died."],
    "The chairman called the deal “a bad merger.” and left the room.": [
        "The chairman called the deal “a bad merger.”",
        "The chairman left the room.",
    ],
    "Ada Berg was a Swedish chemist who worked on the making of polymer, dyes and glue.": [
        "Ada Berg was a Swedish chemist.",
        "Ada Berg worked on the making of polymer, dyes and glue.",
    ],
    "Sofia Krag was a Russian chemist who made lasting contributions to analysis, geometry and mechanics.": [
        "Sofia Krag was a Russian chemist.",
        "Sofia Krag made lasting contributions to analysis, geometry and mechanics.",
    ],
    "The lake fills a rift, where the crust is pulled apart, and is long.": [
        "The lake fills a rift, where the crust is pulled apart.",
        "The lake is long.",
    ],
    "The clerk will file the forms and set a court date.": [
        "The clerk will file the forms.",
        "The clerk will set a court date.",
    ],
    "She moved to Paris, which was then the center of art.": [
        "She moved to Paris.",
        "Paris was then the center of art.",
    ],
}
WHOLE = Path(__file__).with_name("whole_sentences.txt").read_text(encoding="utf-8").splitlines()


def split(text):
    return [atom.text for atom in RuleAtomizer().atomize(Record(id="r", response=text)).atoms]


@pytest.mark.parametrize("text", SPLIT)
def test_a_sentence_becomes_these_atoms(text):
    assert split(text) == SPLIT[text]


@pytest.mark.parametrize("text", WHOLE)
def test_a_sentence_stays_whole(text):
    assert split(text) == [text]


def test_parenthesis_stays_in_the_first_atom():
    text = "Ada Lovelace (of London) wrote notes and translated a paper."
    atoms = RuleAtomizer().atomize(Record(id="r", response=text)).atoms
    assert [atom.text for atom in atoms] == [
        "Ada Lovelace (of London) wrote notes.",
        "Ada Lovelace translated a paper.",
    ]


def test_each_atom_has_its_clause_span():
    text = "Ada was born in 1815 and wrote notes, which appeared in 1843."
    atoms = RuleAtomizer().atomize(Record(id="r", response=text)).atoms
    assert [text[slice(*atom.span)] for atom in atoms if atom.span] == [
        "Ada was born in 1815",
        "wrote notes",
        "appeared in 1843",
    ]
