"""Texts as a page holds them: cut where they are long, with the places of quotes in the browser's units."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from factreasoner.atoms.alignment import Locator
from factreasoner.text.sentences import Span

WHOLE = 20_000
"""Characters up to which a passage is kept whole."""
BEGINNING, AROUND = 4_000, 1_000
"""Characters kept of a longer passage: of its beginning, and on both sides of each quote."""
FOLDED = 1_000_000
"""Characters up to which a quote that is not verbatim is searched for with case and blanks folded."""


class Passage:
    """A text in which quotes are located; `content` is what a page holds of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._locator = Locator(text, Span(0, len(text)), ())
        self._places: dict[str, Span | None] = {}

    def locate(self, quote: str) -> Span | None:
        """Where a quote stands; None where it is not found."""
        if quote not in self._places:
            self._places[quote] = self._find(quote)
        return self._places[quote]

    def _find(self, quote: str) -> Span | None:
        if len(self._text) <= FOLDED:
            return self._locator.find(quote)
        at = self._text.find(quote) if quote else -1
        return Span(at, at + len(quote)) if at >= 0 else None

    def cut(self) -> Cut:
        """What is kept of the text, with all that was located so far."""
        length = len(self._text)
        if length <= WHOLE:
            return Cut(self._text, (Span(0, length),))
        wanted = [Span(0, BEGINNING)]
        wanted += [
            Span(max(0, place.start - AROUND), min(length, place.end + AROUND))
            for place in self._places.values()
            if place is not None
        ]
        return Cut(self._text, tuple(_joined(wanted)))


class Cut(NamedTuple):
    """A text of which the parts `kept` are shown."""

    text: str
    kept: tuple[Span, ...]

    @property
    def is_cut(self) -> bool:
        """Whether some of the text is left out."""
        return self.kept != (Span(0, len(self.text)),)

    @property
    def shown(self) -> str:
        """The parts kept, with a note for each gap."""
        return "".join(self._pieces())

    def place(self, span: Span) -> tuple[int, int]:
        """Where a part of the text, which is kept, stands in `shown`, in UTF-16 units."""
        before = 0
        for (part, gap), kept in zip(self._parts(), self.kept, strict=True):
            if kept.start <= span.start < kept.end:
                start = before + utf16(self.text[kept.start : span.start])
                return start, start + utf16(self.text[span.start : min(span.end, kept.end)])
            before += utf16(part) + utf16(gap)
        raise ValueError("this part of the text is not kept")

    def _pieces(self) -> Iterable[str]:
        for part, gap in self._parts():
            yield part
            yield gap

    def _parts(self) -> Iterable[tuple[str, str]]:
        ends = [*(span.start for span in self.kept[1:]), len(self.text)]
        for span, following in zip(self.kept, ends, strict=True):
            left_out = following - span.end
            note = f"\n[… {left_out:,} characters left out of this report …]\n" if left_out else ""
            yield self.text[span.start : span.end], note


def _joined(spans: Sequence[Span]) -> Iterable[Span]:
    """The spans in order, those that touch made one."""
    current: Span | None = None
    for span in sorted(spans):
        if current is None:
            current = span
        elif span.start <= current.end:
            current = Span(current.start, max(current.end, span.end))
        else:
            yield current
            current = span
    if current is not None:
        yield current


def utf16(text: str) -> int:
    """The length of a text in a browser's units, of which characters beyond U+FFFF take two."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def segments(text: str, places: Iterable[tuple[int, Span]]) -> list[list[Any]]:
    """A text in pieces, each with the numbers of what lies over it: [[piece, [numbers]], ...]."""
    placed = [(number, span) for number, span in places if 0 <= span.start < span.end <= len(text)]
    borders = sorted({0, len(text), *(edge for _, span in placed for edge in span)})
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for number, span in placed:
        opening.setdefault(span.start, []).append(number)
        closing.setdefault(span.end, []).append(number)
    over: list[int] = []
    found: list[list[Any]] = []
    for start, end in itertools.pairwise(borders):
        over = [number for number in over if number not in closing.get(start, ())]
        over += opening.get(start, [])
        found.append([text[start:end], sorted(over)])
    return found
