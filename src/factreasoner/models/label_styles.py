"""The word, mark and colour of each label, used everywhere.

The mark tells labels apart without colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from factreasoner.models.rows import Caution, ClaimRow


class Colour(NamedTuple):
    """A colour: its name in a terminal, and its values for light and dark pages."""

    terminal: str
    light: str
    dark: str


class Look(NamedTuple):
    """The look of a label; `kind` is its colour's name in :data:`COLOURS`."""

    word: str
    mark: str
    kind: str
    meaning: str


COLOURS: Mapping[str, Colour] = {
    "contradicted": Colour("red", "#a92d15", "#ff9a82"),
    "conflicting": Colour("magenta", "#6f449b", "#cbaaf0"),
    "unverified": Colour("yellow", "#7f5a00", "#eac665"),
    "unjudged": Colour("red", "#585e6b", "#a5abb7"),
    "supported": Colour("green", "#1a6b60", "#74cdbd"),
    "disputed": Colour("yellow", "#a92d15", "#ff9a82"),
}
LOOKS: Mapping[str | None, Look] = {
    "contradicted": Look("contradicted", "✕", "contradicted", "P < 0.5, and a context contradicts it"),
    "conflicting": Look(
        "conflicting", "±", "conflicting", "contexts support and contradict it, and P is 0.5"
    ),
    "unknown_source": Look("unknown source", "!", "contradicted", "what it cites does not exist"),
    "unverified": Look("unverified", "?", "unverified", "the evidence does not decide it"),
    "uncited": Look("uncited", "∅", "unverified", "it cites nothing, and was not checked"),
    None: Look("not judged", "–", "unjudged", "every judgement of it failed; it does not count"),
    "supported": Look("supported", "✓", "supported", "P > 0.5, and a context supports it"),
}
"""Looks by label (None: not judged), in review order."""
CAUTIONS: Mapping[Caution, Look] = {
    "disputed": Look("disputed", "≠", "disputed", "one context supports it and another contradicts it")
}


def look_of(row: ClaimRow, words: Mapping[str | None, str]) -> Look:
    """The look of a claim's label; `words` are a task's own words for labels."""
    look = LOOKS[row.label]
    return look._replace(word=words.get(row.label, LOOKS[row.label].word))
