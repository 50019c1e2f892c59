"""The words of a text without its citation marks, each character with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factreasoner.text.sentences import Span, newline_ended
from factreasoner.text.tags import UNSEEN

BLANKS = (" ", "\t", "\u00a0", "\u202f", "\u2009")
_BLANK = "".join(BLANKS)
_ENDS = (".", ",", ";", ":", "!", "?")
_STOP = re.compile(r"[.!?…]+")
_ENDED = re.compile(rf"\w{{2,}}[.!?…]+[)\"”’*_{UNSEEN}]*$")
_BETWEEN = re.compile(r"[ \t]*[,;]?[ \t]*")


def words_alone(text: str, marks: Sequence[tuple[int, int]], others: Sequence[Span]) -> tuple[str, list[int]]:
    """The text without citation marks and `others`, and the place of each of its characters.

    A blank replaces a marker that alone separates two sentences: "is tall.[1]The light", "is tall[1].The".
    """
    places: list[int] = []
    characters: list[str] = []

    def keep(start: int, end: int) -> None:
        places.extend(range(start, end))
        characters.extend(text[start:end])

    at = 0
    for cut in cuts(newline_ended(text), marks, others):
        keep(at, cut.start)
        at = max(at, cut.end)
        stop = _STOP.match(text, at)
        begins = stop.end() if stop else at
        if _begins_sentence(text, begins, after_stop=stop is not None) and (
            stop or _ENDED.search("".join(characters[-12:]))
        ):
            keep(at, begins)
            places.append(begins - 1 if stop else cut.start)
            characters.append(" ")
            at = begins
    keep(at, len(text))
    return "".join(characters), places


def _begins_sentence(text: str, place: int, *, after_stop: bool) -> bool:
    """Whether a sentence may begin at a place; directly after a stop not with an acronym, as in ".NET"."""
    while text[place : place + 1] == UNSEEN:
        place += 1
    return text[place : place + 1].isupper() and not (after_stop and text[place + 1 : place + 2].isupper())


def cuts(text: str, marks: Sequence[tuple[int, int]], others: Sequence[Span] = ()) -> list[Span]:
    """What to leave out to get the words alone: citation marks with the blanks and brackets around them.

    Marks with only commas and blanks between them are one: "([1], [2])" leaves nothing.
    """
    found = (Span(_on_line_before(text, len(text[:start].rstrip(_BLANK)), end), end) for start, end in marks)
    merged: list[Span] = []
    for cut in sorted([*others, *found]):
        if merged and (cut.start <= merged[-1].end or _BETWEEN.fullmatch(text, merged[-1].end, cut.start)):
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, cut.end))
        else:
            merged.append(cut)
    return [_opened(text, span) for span in merged]


def _on_line_before(text: str, start: int, end: int) -> int:
    """Where a cut starts: on the line before, if the marker was wrapped to a line of its own."""
    before = text[:start].rstrip()
    one_break = start > 0 and text[start - 1] == "\n" and text[len(before) : start].count("\n") == 1
    return len(before) if one_break and before[-1:] not in _ENDS and text[end : end + 1] in _ENDS else start


def _opened(text: str, span: Span) -> Span:
    """The span with the brackets around it, and the blanks in these."""
    near = max(0, span.start - 8)
    left = re.search(r"[ \t]*[(\[][ \t]*$", text[near : span.start])
    closed = text[span.end : span.end + 1] in (")", "]")
    return Span(near + left.start(), span.end + 1) if left and closed else span
