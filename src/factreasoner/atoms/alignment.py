"""Finds where a text has a part that was copied from it, more or less faithfully."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property

from factreasoner.text.sentences import Span

_WORD = re.compile(r"\w+")
_ALIKE = str.maketrans(dict.fromkeys("’‘‚", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("–—−‐‑", "-"))
_LEAST_COVERAGE = 0.6
"""Share of a part's words that a sentence must have to be its place."""
_MOST_WORDS = 400


class Locator:
    """Finds parts in `text[span.start:span.end]`, whose sentences are `sentences`."""

    def __init__(self, text: str, span: Span, sentences: Sequence[Span]) -> None:
        self._text = text
        self._span = span
        self._sentences = sentences

    def find(self, part: str, after: int = 0) -> Span | None:
        """The place of `part`: verbatim, else with case, blanks and quotation marks folded, else by words.

        Of several equal places the first one from `after` on is preferred. Cost is linear in the span, plus
        a word alignment with the one sentence that holds most of the part.
        """
        part = part.strip()
        if not part:
            return None
        start = max(after, self._span.start)
        return (
            self._verbatim(part, start)
            or self._verbatim(part, self._span.start)
            or self._by_folding(part, start)
            or self._by_words(part)
        )

    def _verbatim(self, part: str, start: int) -> Span | None:
        at = self._text.find(part, start, self._span.end)
        return Span(at, at + len(part)) if at >= 0 else None

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _fold(self._text, self._span)

    def _by_folding(self, part: str, start: int) -> Span | None:
        text, places = self._folded
        wanted = _fold(part, Span(0, len(part)))[0]
        at = text.find(wanted, bisect_left(places, start))
        if at < 0:
            at = text.find(wanted)
        return Span(places[at], places[at + len(wanted) - 1] + 1) if at >= 0 and wanted else None

    @cached_property
    def _words(self) -> list[Counter[str]]:
        return [Counter(word for word, _ in self._words_of(span)) for span in self._sentences]

    def _words_of(self, span: Span) -> list[tuple[str, Span]]:
        found = _WORD.finditer(self._text, span.start, span.end)
        return [(match[0].casefold(), Span(match.start(), match.end())) for match in found]

    def _by_words(self, part: str) -> Span | None:
        wanted = [word.casefold() for word in _WORD.findall(part)][:_MOST_WORDS]
        if not wanted or not self._sentences:
            return None
        bag = Counter(wanted)
        shared = [(bag & words).total() for words in self._words]
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] < _LEAST_COVERAGE * len(wanted):
            return None
        there = self._words_of(self._sentences[best])[:_MOST_WORDS]
        matcher = SequenceMatcher(None, wanted, [word for word, _ in there], autojunk=False)
        matched = [block for block in matcher.get_matching_blocks() if block.size]
        if not matched:
            return None
        last = matched[-1].b + matched[-1].size - 1
        return Span(there[matched[0].b][1].start, there[last][1].end)


def _fold(text: str, span: Span) -> tuple[str, list[int]]:
    """The text with case, blanks, quotation marks and dashes made alike, and each character's place in it."""
    characters: list[str] = []
    places: list[int] = []
    for place in range(span.start, span.end):
        folded = text[place].translate(_ALIKE).casefold()
        if folded.isspace():
            if characters and characters[-1] == " ":
                continue
            folded = " "
        characters.extend(folded)
        places.extend([place] * len(folded))
    return "".join(characters), places
