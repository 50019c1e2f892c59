"""A text as the overlap judge reads it: tokens, stems, sentences, names and numbers."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isclose
from typing import Literal, NamedTuple

from factreasoner.text.language import stem
from factreasoner.text.lexicon import FUNCTION_WORDS
from factreasoner.text.sentences import sentences

Bound = Literal["", "about", "least", "most"]

YEAR, MONTH, DAY, PERCENT, RANK = "year", "month of year", "day of month", "percent", "rank"
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_FIRST_YEAR, _LAST_YEAR, _LAST_DAY = 1000, 2100, 31
_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: float(value) for value, word in enumerate(_UP_TO_TWENTY.split())} | {
    word: 10.0 * tens for tens, word in enumerate(_TENS.split(), start=3)
}
_MAGNITUDES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_RANKS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
# Units by measure, each followed by its size in the same unit for all of the measure.
_UNITS = {
    "length": "mm .001 millimetre .001 cm .01 centimetre .01 inch .0254 inche .0254 foot .3048 feet .3048 "
    "ft .3048 yard .9144 m 1 meter 1 metre 1 km 1000 kilometer 1000 kilometre 1000 mile 1609",
    "mass": "mg .001 milligram .001 g 1 gram 1 ounce 28.35 lb 453.6 kg 1000 kilogram 1000 ton 1000000 "
    "tonne 1000000",
    "time": "second 1 minute 60 hour 3600 day 86400 week 604800 month 2629800 year 31557600",
    "volume": "ml 1 millilitre 1 milliliter 1 litre 1000 liter 1000 gallon 3785",
}
MEASURES = frozenset(_UNITS)
_SIZES = {
    form: (measure, float(size))
    for measure, listed in _UNITS.items()
    for unit, size in zip(listed.split()[::2], listed.split()[1::2], strict=True)
    for form in (unit, f"{unit}s")
}
_ROUGHLY = frozenset({"about", "around", "nearly", "almost", "roughly", "approximately"})
_AT_LEAST, _AT_MOST = frozenset({"over", "least", "exceeds"}), frozenset({"under", "most", "below"})
_FEWER = frozenset({"less", "fewer"})
_ROUNDED = 100_000.0
_CONVERTED, _ABOUT, _EXACT = 0.02, 0.1, 1e-9
_APART = {"about": 0.25, "converted": 0.1}


class Number(NamedTuple):
    """A quantity at tokens [place, end); `kind` is what it counts, or the measure of its unit.

    Numbers of one kind are compared by `value` times `size`, the size of their unit. `span` is how many years
    a decade or century has after its first. A rank ("third") is a kind of its own.
    """

    place: int
    end: int
    value: float
    kind: str
    size: float = 1.0
    bound: Bound = ""
    span: float = 0.0

    def is_said(self, there: Sequence[Number]) -> bool:
        """Whether one of these numbers says it: one of its kind, or one without a kind and the same value."""
        same = [other for other in there if self.kind == other.kind]
        loose = [other for other in there if not other.kind] if same else there
        return any(self._covers(other) for other in same) or any(self.value == one.value for one in loose)

    def differs_from(self, other: Number) -> bool:
        """Whether the two are of one kind and cannot be one quantity, even rounded."""
        bounds = {self.bound, other.bound}
        if self.kind != other.kind or bounds & {"least", "most"}:
            return False
        if self._covers(other) or other._covers(self):
            return False
        loose = _APART["about"] if "about" in bounds else _APART["converted"] * (self.size != other.size)
        return not isclose(self.value * self.size, other.value * other.size, rel_tol=loose)

    def _covers(self, other: Number) -> bool:
        """Whether every value of the other is a value of this."""
        value, there = self.value * self.size, other.value * other.size
        loose = max(_EXACT, _CONVERTED * (self.size != other.size), _ABOUT * (self.bound == "about"))
        slack = max(abs(value) * loose, self._rounding())
        low = -inf if self.bound == "most" else value - slack
        high = inf if self.bound == "least" else value + slack + self.span
        return low <= there and there + other.span <= high

    def _rounding(self) -> float:
        """Half a unit of the last digit of a large figure: 1,808,581 says 1.81 million."""
        digits = f"{self.value:.0f}"
        significant = len(digits.rstrip("0"))
        if self.value < _ROUNDED or significant == 1:
            return 0.0
        return 0.5 * float(10 ** (len(digits) - significant)) * self.size


def numbers_in(words: Sequence[str], content: Sequence[bool], language: str) -> list[Number]:
    """The numbers among folded words, in order; `content` marks all but function words."""
    found: list[Number] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word[0].isdecimal() or word in _VALUES or word in _MAGNITUDES:
            value, end = _figure(words, i)
            counted = stem(words[end], language) if end < len(words) and content[end] else ""
            found.append(_quantity(words, i, end, value, counted))
            i = found[-1].end
            continue
        if word in _RANKS:
            found.append(Number(i, i + 1, _RANKS.index(word) + 1.0, RANK))
        elif word in _MONTHS and _is_dated(words, i):
            found.append(Number(i, i + 1, _MONTHS.index(word) + 1.0, MONTH))
        i += 1
    return found


def _is_dated(words: Sequence[str], i: int) -> bool:
    """Whether a month has a day, a year or "in" beside it, which "may" and "march" need."""
    before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
    return before == "in" or before[:1].isdecimal() or after[:1].isdecimal()


def _figure(words: Sequence[str], i: int) -> tuple[float, int]:
    """The value of the figure that begins at token i, and the token after it."""
    word = words[i]
    spelt = not word[0].isdecimal()
    total = _VALUES.get(word, 1.0) if spelt else _digits(word)
    end = i if word in _MAGNITUDES else i + 1
    while end < len(words):
        if words[end] in _MAGNITUDES:
            total *= _MAGNITUDES[words[end]]
        elif spelt and words[end] in _VALUES and total % 10 == 0 < total:
            total += _VALUES[words[end]]
        else:
            break
        end += 1
    return total, end


def _digits(word: str) -> float:
    """The value that a word begins with, "1.2.3" and "1⁄8" included."""
    found = _DECIMAL.match(word.replace(",", ""))
    return float(found.group()) if found else 0.0


def _quantity(words: Sequence[str], i: int, end: int, value: float, counted: str) -> Number:
    """The number whose figure has the tokens [i, end), by the words around it."""
    before, after = words[i - 1] if i else "", words[end] if end < len(words) else ""
    bound = _bound(words[max(0, i - 3) : i])
    if before in _CURRENCIES:
        return Number(i, end, value, _CURRENCIES[before], bound=bound)
    if after in ("%", "percent") or words[end : end + 2] == ["per", "cent"]:
        return Number(i, end + 1 + (after == "per"), value, PERCENT, bound=bound)
    if (before in _MONTHS or after in _MONTHS) and value <= _LAST_DAY:
        return Number(i, end, value, DAY)
    if after in ("st", "nd", "rd", "th"):
        if words[end + 1 : end + 2] == ["century"]:
            return Number(i, end + 2, 100 * value - 99, YEAR, span=99)
        return Number(i, end + 1, value, RANK)
    if after in _SIZES:
        measure, size = _SIZES[after]
        return Number(i, end + 1, value, measure, size, bound)
    if words[i].isdecimal() and len(words[i]) == 4 and _FIRST_YEAR <= value <= _LAST_YEAR:
        decade = after == "s"
        return Number(i, end + decade, value, YEAR, span=9 if decade else 0)
    return Number(i, end, value, counted, bound=bound)


def _bound(before: Sequence[str]) -> Bound:
    """The bound that the words before a figure give it."""
    last = [word for word in before if word not in _CURRENCIES][-2:]
    if last and last[-1] in _ROUGHLY:
        return "about"
    if last and last[-1] == "than":
        return "most" if last[0] in _FEWER else "least"
    if last and last[-1] in _AT_LEAST:
        return "least"
    return "most" if last and last[-1] in _AT_MOST else ""


# Scripts without blanks between words, and Hangul: each character is a token.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_LETTER = rf"(?!n['’]t\b)(?![{_UNSPACED}])[^\W\d_]"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[{_UNSPACED}]|n['’]t\b|(?:{_LETTER})+\d+\b|(?:{_LETTER})+|[$€£¥%]")
_CHARACTER = re.compile(f"[{_UNSPACED}]")
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
    marks all but function words, `names` capitalised content words that do not merely begin a sentence,
    `aside` what is in parentheses: other names and dates that a passage may leave out.
    """

    raw: str
    words: Sequence[str]
    stems: Sequence[str]
    content: Sequence[bool]
    names: Sequence[bool]
    aside: Sequence[bool]
    numbers: Sequence[Number]
    sentences: Sequence[Span]

    def is_english(self) -> bool:
        """Whether it has more English function words than those of other languages alone."""
        words = set(self.words)
        return len(words & _ENGLISH) > len(words & _FOREIGN)

    def content_stems(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset(stem for stem, keep in zip(self.stems, self.content, strict=True) if keep)


@lru_cache(maxsize=1024)
def analyse(raw: str, language: str) -> Text:
    """Split and annotate `raw`; a text without words has no tokens."""
    matches = list(_TOKEN.finditer(raw))
    written = [match.group() for match in matches]
    words = [
        (word if word.isascii() else unicodedata.normalize("NFKC", word)).casefold().replace("’", "'")
        for word in written
    ]
    function_words = FUNCTION_WORDS[language]
    content = [word not in function_words and word not in _NO_WORDS for word in words]
    aside = _asides(raw, matches)
    parts = list(_sentences(raw, [match.start() for match in matches]))
    return Text(
        raw=raw,
        words=words,
        stems=list(_stems(words, matches, language)),
        content=content,
        names=list(_names(written, content, aside, parts)),
        aside=aside,
        numbers=numbers_in(words, content, language),
        sentences=parts,
    )


def _sentences(raw: str, starts: Sequence[int]) -> Iterator[Span]:
    low = 0
    for span in sentences(raw):
        high = bisect_left(starts, span.end)
        if high > low:
            yield Span(low, high, span.start, span.end)
            low = high


def _asides(raw: str, matches: Sequence[re.Match[str]]) -> list[bool]:
    spans = [match.span() for match in _ASIDE.finditer(raw)]
    ends = [end for _, end in spans]
    behind = [bisect_left(ends, match.end()) for match in matches]
    return [n < len(spans) and spans[n][0] < match.start() for n, match in zip(behind, matches, strict=True)]


def _stems(words: Sequence[str], matches: Sequence[re.Match[str]], language: str) -> Iterator[str]:
    for i, word in enumerate(words):
        if not _CHARACTER.match(word):
            yield stem(word, language)
        elif i + 1 < len(words) and matches[i + 1].start() == matches[i].end():
            yield word + words[i + 1][:1]
        else:
            yield word


def _names(
    written: Sequence[str], content: Sequence[bool], aside: Sequence[bool], parts: Sequence[Span]
) -> Iterator[bool]:
    openings = {part.low for part in parts}
    capital = [word[0].isupper() for word in written]
    for i, is_capital in enumerate(capital):
        followed = i + 1 < len(capital) and capital[i + 1]
        yield is_capital and content[i] and not aside[i] and (i not in openings or followed)
