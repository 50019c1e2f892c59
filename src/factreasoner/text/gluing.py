"""Sentences that follow each other without a blank: "is tall.The light", "is tall.</b><i>The light"."""

from __future__ import annotations

import re

from factreasoner.text.abbreviations import STARTERS

INVISIBLE = "\u0000\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Characters without width or meaning, as those that stand for tags; for a class of a pattern."""
_LIGHT = rf"[*~{INVISIBLE}]*+"
_ENDS = re.compile(rf"(?:(?:[a-z]{{3}}|\d\]){_LIGHT}[.!?]{_LIGHT}|\d\]{_LIGHT})\Z")
_BEGINS = re.compile(rf"(?:{'|'.join(sorted(STARTERS))})(?=[ ,])")
_MARKS = re.compile(r"(?<![*~])(\*{1,3}|~~)\Z")
_LOOK_BACK = 400


def is_glued(text: str, place: int) -> bool:
    """Whether a sentence ends at a place, and one begins there with a word that begins many.

    The citation of the first may stand before its stop, or behind it, and marks and tags around both.
    """
    if _BEGINS.match(text, place) is None:
        return False
    return _ENDS.search(text[max(0, place - _LOOK_BACK) : place]) is not None


def opening_marks(text: str, start: int, stop: re.Match[str]) -> int:
    """Length of the marks of bold or emphasis behind a stop that open what follows, from `start` on."""
    marks = _MARKS.search(stop["closed"])
    if marks is None or text.count(marks[0], max(start, stop.start() - _LOOK_BACK), stop.start()) % 2:
        return 0
    return len(marks[0])
