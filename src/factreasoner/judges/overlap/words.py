"""A text as the overlap judge reads it: tokens, stems, sentences, names and numbers."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from factreasoner.judges.overlap.numbers import MONTH, Number, numbers_in
from factreasoner.text.language import FUNCTION_WORDS, UNSPACED, stem
from factreasoner.text.sentences import sentences

_LETTER = rf"(?!n['’]t\b)(?![{UNSPACED}])[^\W\d_]"
_FIGURE = r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
_TOKEN = re.compile(rf"{_FIGURE}|[{UNSPACED}]|n['’]t\b|(?:{_LETTER})+\d+\b|(?:{_LETTER})+|[$€£¥%]")
_CHARACTER = re.compile(f"[{UNSPACED}]")
_ASIDE = re.compile(r"\([^()]{1,80}\)")
_NO_WORDS = frozenset({"$", "€", "£", "¥", "%", "n't"})
_ENGLISH = frozenset(word for word in FUNCTION_WORDS["english"] if len(word) > 1)
_FOREIGN = frozenset().union(*FUNCTION_WORDS.values()) - FUNCTION_WORDS["english"]


class Span(NamedTuple):
    """Tokens [low, high) of a text, and their characters [start, end)."""

    low: int
    high: int
    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """One analysed text; the sequences of strings and flags have an item per token.

    `words` are folded; in scripts without blanks `stems` are pairs of neighbouring characters. `content`
    marks the content words, all but function words. `content_stems` are their stems, and those of function
    words that are names: "May", "the WHO". `names` marks capitalised content words that do not merely begin
    a sentence, `aside` what is in parentheses: other names and dates that a passage may leave out.
    """

    raw: str
    words: Sequence[str]
    stems: Sequence[str]
    content: Sequence[bool]
    content_stems: frozenset[str]
    names: Sequence[bool]
    aside: Sequence[bool]
    numbers: Sequence[Number]
    sentences: Sequence[Span]

    def is_english(self) -> bool:
        """Whether it has more English function words than those of other languages alone."""
        words = set(self.words)
        return len(words & _ENGLISH) > len(words & _FOREIGN)


@lru_cache(maxsize=1024)
def analyse(raw: str, language: str) -> Text:
    """Split and annotate `raw`; a text without words has no tokens."""
    matches = list(_TOKEN.finditer(raw))
    written = [match.group() for match in matches]
    ends = [0, *(match.end() for match in matches)]
    gaps = [raw[end : match.start()] for end, match in zip(ends, matches, strict=False)]
    words = [
        (word if word.isascii() else unicodedata.normalize("NFKC", word)).casefold().replace("’", "'")
        for word in written
    ]
    function_words = FUNCTION_WORDS[language]
    content = [word not in function_words and word not in _NO_WORDS for word in words]
    starts = [match.start() for match in matches]
    asides = (map(partial(bisect_left, starts), found.span()) for found in _ASIDE.finditer(raw))
    inside = {place for low, high in asides for place in range(low, high)}
    aside = [place in inside for place in range(len(starts))]
    parts = list(_sentences(raw, starts))
    numbers, stems = numbers_in(words, content, gaps, language), list(_stems(words, matches, language))
    words = ["not" if word == "n't" else word for word in words]
    openings = {part.low for part in parts}
    for number in numbers:
        i = number.place
        if number.kind == MONTH and written[i][0].isupper():  # "may" is a hedge, "May" is none.
            words[i] = words[i].title()
        elif (i and words[i - 1] == "no" and words[i][0].isdecimal()) and (
            gaps[i].startswith(".") or (written[i - 1] == "No" and i - 1 not in openings)
        ):
            written[i - 1] = words[i - 1] = "number"  # "No. 5" denies nothing.
    capital = [word[0].isupper() for word in written]
    names = [
        capital[i] and content[i] and not aside[i] and (i not in openings or any(capital[i + 1 : i + 2]))
        for i in range(len(written))
    ]
    content_stems = frozenset(
        stems[i]
        for i, word in enumerate(written)
        if content[i] or (capital[i] and len(word) > 1 and i not in openings)
    )
    return Text(raw, words, stems, content, content_stems, names, aside, numbers, parts)


def _sentences(raw: str, starts: Sequence[int]) -> Iterator[Span]:
    low = 0
    for span in sentences(raw):
        high = bisect_left(starts, span.end)
        if high > low:
            yield Span(low, high, span.start, span.end)
            low = high


def _stems(words: Sequence[str], matches: Sequence[re.Match[str]], language: str) -> Iterator[str]:
    for i, word in enumerate(words):
        if not _CHARACTER.match(word):
            yield stem(word, language)
        elif i + 1 < len(words) and matches[i + 1].start() == matches[i].end():
            yield word + words[i + 1][:1]
        else:
            yield word
