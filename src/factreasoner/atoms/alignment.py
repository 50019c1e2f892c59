"""Finds where a text has a part that was copied from it, more or less faithfully."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property

from factreasoner.text.sentences import Span

_WORD = re.compile(r"\w+")
_ALIKE = ("'’‘‚", '"“”„«»', "-–—−‐‑")
"""Quotation marks and dashes that stand for each other, for classes of a pattern."""
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
        """The place of `part`: verbatim, else with other case, blanks and quotation marks, else by words.

        Of several equal places the first one from `after` on is preferred. Cost is linear in the span, plus
        a word alignment with the one sentence that holds most of the part.
        """
        part = part.strip()
        if not part:
            return None
        for form in (re.compile(re.escape(part)), _in_any_form(part)):
            for start in (max(after, self._span.start), self._span.start):
                if found := form.search(self._text, start, self._span.end):
                    return Span(*found.span())
        return self._by_words(part)

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


def _in_any_form(part: str) -> re.Pattern[str]:
    """An expression for a part with other case, blanks, quotation marks and dashes."""
    form = re.escape(" ".join(part.split())).replace(r"\ ", r"\s++")
    for alike in _ALIKE:
        form = re.sub(rf"\\?[{alike}]", f"[{alike}]", form)
    return re.compile(form, re.IGNORECASE)
