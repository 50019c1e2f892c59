"""Words that tell whether somebody is a man or a woman: first names, kinship, titles, professions."""

from __future__ import annotations

from typing import Literal

from factreasoner.text.lexicon import PERSONS

Gender = Literal["male", "female"]

_MALE = PERSONS["male_names"] | PERSONS["male_nouns"]
_FEMALE = PERSONS["female_names"] | PERSONS["female_nouns"]
_UNCERTAIN = frozenset({"actor", "star", "model", "chair", "chief", "general"})
"""Persons of either gender, or no persons at all, in some texts."""


def gender_of_noun(lemma: str) -> Gender | None:
    """Whether a common noun or title names a man or a woman."""
    if lemma in PERSONS["female_nouns"]:
        return "female"
    return "male" if lemma in PERSONS["male_nouns"] - _UNCERTAIN else None


def gender_of_name(name: str) -> Gender | None:
    """What a first name or a title in front of a name says."""
    first = name.split()[0].lower().strip(".") if name.split() else ""
    if first in _FEMALE:
        return "female"
    return "male" if first in _MALE else None


def is_person(lemma: str) -> bool:
    """Whether a common noun names somebody."""
    known = any(lemma in PERSONS[kind] for kind in ("nouns", "male_nouns", "female_nouns"))
    return known or lemma.endswith(
        ("ologist", "ician", "grapher", "woman", "sman", "ographer", "keeper", "maker", "player", "writer")
    )
