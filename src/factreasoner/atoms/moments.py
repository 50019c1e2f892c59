"""The one year that "that year" and "at that time" point to."""

from __future__ import annotations

import re

from factreasoner.atoms.anaphors import Anaphor
from factreasoner.atoms.mentions import Mention

_YEAR = re.compile(
    r"(?:\b(?:in|since|by|of|from|until|till|during|around|to|and|early|late|mid|year|[A-Z]\w*)\W{1,2}|^|, )"
    r"(1\d{3}|20\d\d)\b(?![.,]\d| [a-z]+s\b)"
)


def years(text: str) -> set[str]:
    """The years that a text names; "1500 ships" names none."""
    return set(_YEAR.findall(text))


def moment(anaphor: Anaphor, named: set[str]) -> Mention | None:
    """The year, where but one was named."""
    if len(named) != 1 or anaphor.noun is None:
        return None
    (year,) = named
    return Mention(anaphor.noun.i, year, anaphor.noun.lemma, "thing", None, False, False, False)
