"""Texts as the embedded judge sees them: sentences, tokens, stems, numbers, names and negations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import NamedTuple

from factreasoner.language.lexicon import (
    CLAUSE_WORDS,
    FUNCTION_WORDS,
    MAGNITUDES,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
)
from factreasoner.language.sentences import sentences
from factreasoner.language.stems import stem

# Scripts without blanks between words, and Hangul: each character is a token.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_TOKEN = re.compile(
    rf"\d+(?:[.,]\d+)*|[{_UNSPACED}]|n['’]t\b|(?:(?!n['’]t\b)(?![{_UNSPACED}])[^\W\d_])+|[$€£¥%°]"
)
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_ASIDE = re.compile(r"\([^()]{1,80}\)")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
_SIGNS = frozenset("$€£¥%°")
_NOT = "n't"
_BREAK = re.compile("[;:()\\[\\]\u2013\u2014]")
_STOP = re.compile("[;:]")
_FIRST_YEAR, _LAST_YEAR = 1000.0, 2100.0
_LONGEST_SENTENCE = 80


TIMES = ("year", "decade", "century")
"""Kinds of number that say when: 1962, 1960s, 20th century."""
_ORDINALS = frozenset({"st", "nd", "rd", "th"})


class Number(NamedTuple):
    """A quantity at token `place`. Two of one kind compare: day, percent, a unit's stem; and all TIMES.

    The value of a decade is its first year, that of a century its number.
    """

    place: int
    value: float
    kind: str

    @property
    def years(self) -> tuple[float, float]:
        """The first and last year that one of TIMES means."""
        if self.kind == "century":
            return 100 * self.value - 99, 100 * self.value
        return self.value, self.value + (9 if self.kind == "decade" else 0)

    def follows_from(self, other: Number) -> bool:
        """Whether the other says it: the same value, or a time within this one."""
        if self.kind not in TIMES or other.kind not in TIMES:
            return self.value == other.value
        (first, last), (low, high) = self.years, other.years
        return first <= low and high <= last

    def differs_from(self, other: Number) -> bool:
        """Whether the two compare and can't be one quantity."""
        if self.kind not in TIMES or other.kind not in TIMES:
            return self.kind == other.kind and self.value != other.value
        (first, last), (low, high) = self.years, other.years
        return high < first or last < low


class Sentence(NamedTuple):
    """Tokens [low, high) and the characters [start, end) they stand in."""

    low: int
    high: int
    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """One analysed text; the tuples of strings and flags run over its tokens.

    `stems` are folded to one form a meaning where the lexicon knows one; in scripts without blanks they are
    pairs of neighbouring characters. `content` marks what is no function word; `names` capitalised content
    words that do not merely begin a sentence; `aside` what stands in parentheses. `clauses` numbers the
    clauses: they end at semicolons, colons, parentheses and dashes, and before a conjunction or a relative
    pronoun. `negations` are the indices of the negations, `openings` those of the first tokens of sentences
    and of what a semicolon or colon parts.
    """

    raw: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    content: tuple[bool, ...]
    clauses: tuple[int, ...]
    names: tuple[bool, ...]
    aside: tuple[bool, ...]
    negations: tuple[int, ...]
    numbers: tuple[Number, ...]
    sentences: tuple[Sentence, ...]
    openings: tuple[int, ...]

    def value_at(self, place: int) -> float | None:
        """The value of a number at a token, NaN for a month; None for any other word."""
        if self.words[place] in MONTHS:
            return nan
        return next((number.value for number in self.numbers if number.place == place), None)


@lru_cache(maxsize=1024)
def analyse(raw: str, language: str) -> Text:
    """Split and annotate `raw`. Never fails: a text without words has no tokens."""
    matches = list(_TOKEN.finditer(raw))
    words = [unicodedata.normalize("NFKC", m.group()).casefold().replace("’", "'") for m in matches]
    function_words, negations = FUNCTION_WORDS[language], NEGATIONS[language]
    content = [
        (word not in function_words and word not in _SIGNS and word != _NOT) or _is_month(words, i)
        for i, word in enumerate(words)
    ]
    parts = tuple(_sentences(raw, matches))
    aside = _asides(raw, matches)
    return Text(
        raw=raw,
        words=tuple(words),
        stems=tuple(_stems(words, matches, language)),
        content=tuple(content),
        clauses=tuple(_clauses(raw, matches, words, parts)),
        names=tuple(_names(matches, content, aside, parts)),
        aside=tuple(aside),
        negations=tuple(i for i, word in enumerate(words) if word in negations or word == _NOT),
        numbers=tuple(_numbers(words, language)),
        sentences=parts,
        openings=tuple(_openings(raw, matches, parts)),
    )


def _stems(words: Sequence[str], matches: Sequence[re.Match[str]], language: str) -> Iterator[str]:
    """One a token; of a script without blanks a character with the next one, the last with that before."""
    unspaced = [_CHARACTER.fullmatch(word) is not None for word in words]
    for i, word in enumerate(words):
        if word[0].isdigit():
            yield word.replace(",", "")
        elif not unspaced[i]:
            yield stem(word, language)
        elif i + 1 < len(words) and unspaced[i + 1] and matches[i].end() == matches[i + 1].start():
            yield word + words[i + 1]
        elif i and unspaced[i - 1] and matches[i - 1].end() == matches[i].start():
            yield words[i - 1] + word
        else:
            yield word


def _is_month(words: Sequence[str], index: int) -> bool:
    """Whether a word is a month beside a number: "May 27" is no auxiliary."""
    if words[index] not in MONTHS:
        return False
    return any(
        word[0].isdigit() for word in (*words[max(index - 1, 0) : index], *words[index + 1 : index + 2])
    )


def _sentences(raw: str, matches: Sequence[re.Match[str]]) -> Iterator[Sentence]:
    """Sentences that have tokens; what has no end for very long is cut, so that windows stay windows."""
    first = 0
    for start, end in sentences(raw):
        while first < len(matches) and matches[first].start() < start:
            first += 1
        past = first
        while past < len(matches) and matches[past].start() < end:
            past += 1
        for low in range(first, past, _LONGEST_SENTENCE):
            high = min(low + _LONGEST_SENTENCE, past)
            left = start if low == first else matches[low].start()
            yield Sentence(low, high, left, end if high == past else matches[high - 1].end())
        first = past


def _asides(raw: str, matches: Sequence[re.Match[str]]) -> list[bool]:
    """Which tokens stand in parentheses: other names, short forms and dates a passage may well leave out."""
    spans = [match.span() for match in _ASIDE.finditer(raw)]
    return [any(left < match.start() < right for left, right in spans) for match in matches]


def _joins_names(raw: str, matches: Sequence[re.Match[str]], i: int) -> bool:
    """Whether an "and" without a comma is followed by a name: it adds to a list and begins no clause."""
    if matches[i].group().casefold() != "and" or i + 1 >= len(matches):
        return False
    return matches[i + 1].group()[0].isupper() and "," not in raw[matches[i - 1].end() : matches[i].start()]


def _openings(raw: str, matches: Sequence[re.Match[str]], parts: Sequence[Sentence]) -> Iterator[int]:
    sentences_begin = {part.low for part in parts}
    for i, match in enumerate(matches):
        if i in sentences_begin or (i and _STOP.search(raw, matches[i - 1].end(), match.start())):
            yield i


def _clauses(
    raw: str, matches: Sequence[re.Match[str]], words: Sequence[str], parts: Sequence[Sentence]
) -> Iterator[int]:
    openings = {part.low for part in parts}
    clause = 0
    for i, match in enumerate(matches):
        if i and (
            i in openings
            or _BREAK.search(raw, matches[i - 1].end(), match.start())
            or (words[i] in CLAUSE_WORDS and not _joins_names(raw, matches, i))
        ):
            clause += 1
        yield clause


def _names(
    matches: Sequence[re.Match[str]],
    content: Sequence[bool],
    aside: Sequence[bool],
    parts: Sequence[Sentence],
) -> Iterator[bool]:
    openings = {part.low for part in parts}
    capital = [match.group()[0].isupper() for match in matches]
    for i in range(len(matches)):
        followed = i + 1 < len(matches) and capital[i + 1]
        yield content[i] and capital[i] and not aside[i] and (i not in openings or followed)


def _numbers(words: Sequence[str], language: str) -> Iterator[Number]:
    for i, word in enumerate(words):
        value = _value(word)
        if value is None or (i and word in MAGNITUDES and _value(words[i - 1]) is not None):
            continue
        after = i + 1
        while after < len(words) and words[after] in MAGNITUDES:
            value *= MAGNITUDES[words[after]]
            after += 1
        before = words[i - 1] if i else ""
        following = words[after] if after < len(words) else ""
        kind = _kind(before, word if after == i + 1 else "", following, value)
        if following in _ORDINALS and words[after + 1 : after + 2] in (["century"], ["centuries"]):
            kind = "century"
        yield Number(i, value, kind if kind in TIMES else stem(kind, language) if kind else "")


def _value(word: str) -> float | None:
    if not word[0].isdigit():
        return NUMBER_WORDS.get(word, MAGNITUDES.get(word))
    if "," in word:
        word = word.replace(",", "" if _GROUPED.fullmatch(word) else ".")
    try:
        return float(word)
    except ValueError:
        return None


def _kind(before: str, digits: str, following: str, value: float) -> str:
    """What is counted: the word after the number, unless its neighbours say a currency, a share or a date."""
    if before in _CURRENCIES:
        return _CURRENCIES[before]
    if following in ("%", "percent"):
        return "percent"
    if (before in MONTHS or following in MONTHS) and value <= 31:
        return "day"
    if len(digits) == 4 and digits.isdigit() and _FIRST_YEAR <= value <= _LAST_YEAR:
        return "decade" if following == "s" else "year"
    return following if following[:1].isalpha() else ""
