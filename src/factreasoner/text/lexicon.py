"""Closed word classes, from `lexicon.json`: small, hand-written, readable.

Function words are listed for ten languages in Latin script; the other classes are English, but for those of
sentence borders. Everything is lower case and unstemmed, but for words that begin sentences.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Literal

Gender = Literal["male", "female"]


def words(*lines: str) -> frozenset[str]:
    """The set of the words in `lines`."""
    return frozenset(" ".join(lines).split())


_DATA: dict[str, Any] = json.loads(
    resources.files("factreasoner.text").joinpath("lexicon.json").read_text(encoding="utf-8")
)
FUNCTION_WORDS = {language: words(listed) for language, listed in _DATA["function_words"].items()}
IN_ENGLISH_TOO = words(_DATA["in_english_too"])
"""Function words of other languages that are also English words, or stand in names."""
SENTENCES = {kind: words(listed) for kind, listed in _DATA["sentences"].items()}
"""Abbreviations without their last full stop, and words at the borders of sentences."""
NO_AUTHORS = words(_DATA["no_authors"])
"""What stands before a year and is not an author: places, events, months, colours, nationalities."""
SAME: dict[str, str] = {word: group.split()[0] for group in _DATA["same"] for word in group.split()}
"""Word -> the word that represents all words of its meaning."""
_PERSONS = {kind: words(listed) for kind, listed in _DATA["persons"].items()}
_UNCERTAIN = frozenset({"actor", "star", "model", "chair", "chief", "general"})
"""Nouns for men, women and things alike, as some texts use them."""


def gender_of_noun(lemma: str) -> Gender | None:
    """Whether a common noun or title names a man or a woman."""
    if lemma in _PERSONS["female_nouns"]:
        return "female"
    return "male" if lemma in _PERSONS["male_nouns"] - _UNCERTAIN else None


def gender_of_name(name: str) -> Gender | None:
    """Whether a first name, or a title before a name, is a man's or a woman's."""
    first = next(iter(name.lower().split()), "").strip(".")
    for gender in ("female", "male"):
        if first in _PERSONS[f"{gender}_names"] or first in _PERSONS[f"{gender}_nouns"]:
            return gender
    return None


def is_person(lemma: str) -> bool:
    """Whether a common noun names a person."""
    known = any(lemma in _PERSONS[kind] for kind in ("nouns", "male_nouns", "female_nouns"))
    return known or lemma.endswith(
        ("ologist", "ician", "grapher", "woman", "sman", "ographer", "keeper", "maker", "player", "writer")
    )
