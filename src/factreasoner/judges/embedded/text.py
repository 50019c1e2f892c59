"""Texts as the embedded judge sees them: sentences, tokens, stems, numbers, names and negations."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from math import nan
from typing import NamedTuple

from factreasoner.judges.embedded.labels import Labelled, labels_in
from factreasoner.judges.embedded.numbers import Number, numbers_in
from factreasoner.text.lexicon import (
    CLAUSE_WORDS,
    FUNCTION_WORDS,
    MONTHS,
    NEGATING_TO,
    NEGATIONS,
    ROUGHLY,
)
from factreasoner.text.sentences import sentences
from factreasoner.text.stems import stem

# Scripts without blanks between words, and Hangul: each character is a token.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_TOKEN = re.compile(
    rf"\d+(?:[.,]\d+)*|[{_UNSPACED}]|n['’]t\b|\b[A-Z](?:#|\+\+)|(?:(?!n['’]t\b)(?![{_UNSPACED}])[^\W\d_])+|[$€£¥%°]"
)
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_ASIDE = re.compile(r"\([^()]{1,80}\)")
_SIGNS = frozenset("$€£¥%°")
_NOT = "n't"
_ADDING = frozenset({"and", "but"})
_BREAK = re.compile("[;:()\\[\\]\u2013\u2014]")
_DASHES = ("-", "\u2010", "\u2013")
_STOP = re.compile("[;:]")
_SETTING_APART = frozenset({"while", "whereas", "although", "though"})
"""Words that begin a clause on something else, up to a comma: "While A was shut, B stayed open"."""
_STOPPING = re.compile("[,.;:!?()]")
_LONGEST_SENTENCE = 80


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
    and of what a semicolon or colon parts; `commas` those of tokens after a comma.
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
    labels: tuple[Labelled, ...]
    sentences: tuple[Sentence, ...]
    openings: tuple[int, ...]
    commas: frozenset[int]

    def value_at(self, place: int) -> float | None:
        """The value of a number at a token, NaN for a month; None for any other word."""
        if self.words[place] in MONTHS:
            return nan
        number = self.number_at(place)
        return None if number is None else number.value

    def label_at(self, place: int) -> tuple[str, str] | None:
        """The noun that a token labels, with the label."""
        return next(((one.noun, one.label) for one in self.labels if one.place == place), None)

    def number_at(self, place: int) -> Number | None:
        """The number whose figure has a token: "half a million" has three."""
        n = bisect_right(self.numbers, place, key=lambda one: one.place) - 1
        number = self.numbers[n] if n >= 0 else None
        return number if number is not None and place < number.place + number.size else None


@lru_cache(maxsize=1024)
def analyse(raw: str, language: str) -> Text:
    """Split and annotate `raw`. Never fails: a text without words has no tokens."""
    matches = list(_TOKEN.finditer(raw))
    words = [unicodedata.normalize("NFKC", m.group()).casefold().replace("’", "'") for m in matches]
    function_words, negations = FUNCTION_WORDS[language], NEGATIONS[language]
    vague = ROUGHLY if language == "english" else frozenset[str]()
    content = [
        (word not in function_words and word not in _SIGNS and word != _NOT and word not in vague)
        or _is_month(words, i)
        for i, word in enumerate(words)
    ]
    parts = tuple(_sentences(raw, matches))
    aside = _asides(raw, matches)
    gaps = ["", *(raw[one.end() : other.start()] for one, other in pairwise(matches))]
    marks = [(i, gap) for i, gap in enumerate(gaps) if gap != " "]
    dashed = {i - 1 for i, gap in marks if gap.strip() in _DASHES}
    breaks = {i for i, gap in marks if _STOPPING.search(gap)}
    stems, numbers = list(_stems(words, matches, language)), numbers_in(words, dashed, breaks, language)
    written = [m.group() for m in matches]
    labels = tuple(labels_in(written, words, stems, content, gaps, numbers))
    for label in labels:
        stems[label.place] = label.label.casefold()
    return Text(
        raw=raw,
        words=tuple(words),
        stems=tuple(stems),
        content=tuple(content),
        clauses=tuple(_clauses(raw, matches, words, parts)),
        names=tuple(_names(matches, content, aside, parts)),
        aside=tuple(aside),
        negations=tuple(
            i
            for i, word in enumerate(words)
            if (word in negations or word == _NOT or _negates_what_follows(words, i, language))
            and not _is_apart(words, gaps, i)
            and not _ends_until(words, i, parts)
        ),
        numbers=tuple(numbers),
        labels=labels,
        sentences=parts,
        openings=tuple(_openings(raw, matches, parts)),
        commas=frozenset(i for i, gap in marks if gap.lstrip().startswith(",")),
    )


def _is_apart(words: Sequence[str], gaps: Sequence[str], place: int) -> bool:
    """Whether a "no" is an answer to what was asked or a number's: "No, it is open", "No. 188"."""
    following = words[place + 1 : place + 2]
    return (
        words[place] == "no"
        and bool(following)
        and (gaps[place + 1].startswith(",") or following[0].isdigit())
    )


def _negates_what_follows(words: Sequence[str], place: int, language: str) -> bool:
    """Whether a word negates the verb that "to" joins to it: "declined to answer"."""
    joined = words[place + 1 : place + 2] == ["to"]
    return joined and language == "english" and words[place] in NEGATING_TO


def _ends_until(words: Sequence[str], place: int, parts: Sequence[Sentence]) -> bool:
    """Whether a negation holds "until" a time, and what it negates is so from then on.

    What an "and" adds may have an "until" of its own: "don't earn enough and wait until".
    """
    high = next((part.high for part in parts if part.low <= place < part.high), place)
    following = takewhile(lambda word: word not in _ADDING, words[place + 1 : high])
    return "until" in following


def _stems(words: Sequence[str], matches: Sequence[re.Match[str]], language: str) -> Iterator[str]:
    """One a token; of a script without blanks a character with the next one, the last with that before."""
    unspaced = [_CHARACTER.fullmatch(word) is not None for word in words]
    for i, word in enumerate(words):
        if word[0].isdigit():
            yield word.replace(",", "")
        elif not unspaced[i]:
            yield stem(_plain(word) if language == "english" else word, language)
        elif i + 1 < len(words) and unspaced[i + 1] and matches[i].end() == matches[i + 1].start():
            yield word + words[i + 1]
        elif i and unspaced[i - 1] and matches[i - 1].end() == matches[i].start():
            yield words[i - 1] + word
        else:
            yield word


def _plain(word: str) -> str:
    """The word without accents, by which names are written one way or the other: "Noël", "Noel"."""
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


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
    starts = [left for left, _ in spans]
    behind = [bisect_right(starts, match.start()) for match in matches]
    return [n > 0 and match.start() < spans[n - 1][1] for n, match in zip(behind, matches, strict=True)]


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
    clause, apart = 0, -1
    for i, match in enumerate(matches):
        between = raw[matches[i - 1].end() : match.start()] if i else ""
        if words[i] in _SETTING_APART and (i in openings or between.lstrip().startswith(",")):
            apart = clause + 1 if i else clause
        if i and (
            i in openings
            or (apart == clause and between.lstrip().startswith(","))
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
