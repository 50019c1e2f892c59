"""Texts as the embedded judge sees them: sentences, tokens, stems, numbers, names and negations, cached per text."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from factreasoner.judges.embedded.lexicon import (
    FUNCTION_WORDS,
    MAGNITUDES,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
    SAME,
)

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[{_CJK}]|n['’]t\b|(?:(?!n['’]t\b)(?![{_CJK}])[^\W\d_])+|[$€£¥%°]")
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[\w$€£])|[。！？؟।]+[”」』）]*\s*|\n+\s*|;\s+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"“])(?:[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|No|Inc|Ltd|Co|Corp|Gen|Col|Lt|Sgt|Capt|Rev|Hon|Gov|Sen|"
    r"Rep|al|etc|approx|ca|[^\W\d_](?:\.[^\W\d_])+)\.$"
)
_SIGNS = frozenset("$€£¥%°")
_YEARS = (1000.0, 2100.0)
_LONGEST_SENTENCE = 80
_STEMMER_LOCK = threading.Lock()


@dataclass(frozen=True)
class Number:
    """A quantity at token `index`; two numbers of one `kind` (year, day, percent, money, a unit's stem) compare."""

    index: int
    value: float
    kind: str


@dataclass(frozen=True)
class Text:
    """One analysed text. Lists run over tokens; `sentences` holds (first token, past last token, start, end).

    `stems` are folded to one form a meaning where the lexicon knows one; `content` marks tokens that are
    no function words; `names` marks capitalised content words that do not merely begin a sentence.
    """

    raw: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    content: tuple[bool, ...]
    names: tuple[bool, ...]
    negations: tuple[int, ...]
    numbers: tuple[Number, ...]
    sentences: tuple[tuple[int, int, int, int], ...]


def language_of(texts: Sequence[str]) -> str:
    """The language whose function words are most frequent in `texts`; English when none is."""
    counts = Counter(word for text in texts for word in re.findall(r"[^\W\d_]+", text[:2000].lower()))
    scores = {
        language: sum(counts[word] for word in words if len(word) > 1) / len(words) ** 0.5
        for language, words in FUNCTION_WORDS.items()
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] > 1.2 * scores["english"] else "english"


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """Snowball stem of a lower-case word, folded with its synonyms."""
    known = SAME.get(word) if language == "english" else None
    if known is not None:
        return known
    with _STEMMER_LOCK:
        return str(_stemmer(language).stemWord(word))


@lru_cache(maxsize=16)
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def fold(word: str) -> str:
    """Lower case, compatibility forms unified."""
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")


@lru_cache(maxsize=4096)
def analyse(raw: str, language: str) -> Text:
    """Split and annotate `raw`. Never fails; a text without words has no tokens."""
    matches = list(_TOKEN.finditer(raw))
    words = [fold(match.group()) for match in matches]
    function_words, negations = FUNCTION_WORDS[language], NEGATIONS[language]
    content = [word not in function_words and word not in _SIGNS and word != "n't" for word in words]
    bounds = _sentence_bounds(raw)
    sentences: list[tuple[int, int, int, int]] = []
    first = 0
    for start, end in bounds:
        past = first
        while past < len(matches) and matches[past].start() < end:
            past += 1
        for low in range(first, past, _LONGEST_SENTENCE):
            high = min(low + _LONGEST_SENTENCE, past)
            left = start if low == first else matches[low].start()
            right = end if high == past else matches[high - 1].end()
            sentences.append((low, high, left, right))
        first = past
    opening = {low for low, _, _, _ in sentences}
    names = [
        content[i] and matches[i].group()[0].isupper() and (i not in opening or _upper_next(matches, i))
        for i in range(len(matches))
    ]
    return Text(
        raw=raw,
        words=tuple(words),
        stems=tuple(_stem_of(word, language) for word in words),
        content=tuple(content),
        names=tuple(names),
        negations=tuple(i for i, word in enumerate(words) if word in negations or word == "n't"),
        numbers=tuple(_numbers(words, content, language)),
        sentences=tuple(sentences),
    )


def _upper_next(matches: Sequence[re.Match[str]], index: int) -> bool:
    return index + 1 < len(matches) and matches[index + 1].group()[0].isupper()


def _stem_of(word: str, language: str) -> str:
    if word[0].isdigit():
        return word.replace(",", "")
    return stem(word, language)


def _sentence_bounds(raw: str) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    start = 0
    for match in _ENDS.finditer(raw):
        stop = match.start() + 1
        if raw[match.start()] == "." and _ABBREVIATION.search(raw, max(start, stop - 12), stop):
            continue
        _append(bounds, raw, start, match.end())
        start = match.end()
    _append(bounds, raw, start, len(raw))
    return bounds


def _append(bounds: list[tuple[int, int]], raw: str, start: int, end: int) -> None:
    piece = raw[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = end - (len(piece) - len(piece.rstrip()))
    if left < right:
        bounds.append((left, right))


def _numbers(words: Sequence[str], content: Sequence[bool], language: str) -> list[Number]:
    found: list[Number] = []
    for i, word in enumerate(words):
        value = _value(word)
        if value is None or (i and word in MAGNITUDES and _value(words[i - 1]) is not None):
            continue
        after = i + 1
        while after < len(words) and words[after] in MAGNITUDES:
            value *= MAGNITUDES[words[after]]
            after += 1
        found.append(Number(i, value, _kind(words, i, after, value, language)))
    return found


def _value(word: str) -> float | None:
    if not word[0].isdigit():
        return NUMBER_WORDS.get(word)
    plain = word
    if "," in word:
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", word)
        plain = word.replace(",", "") if grouped else word.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _kind(words: Sequence[str], i: int, after: int, value: float, language: str) -> str:
    before = words[i - 1] if i else ""
    following = words[after] if after < len(words) else ""
    if before in "$€£¥" and before:
        return "money"
    if following in ("%", "percent"):
        return "percent"
    if before in MONTHS or following in MONTHS:
        if value <= 31:
            return "day"
    if after == i + 1 and len(words[i]) == 4 and words[i].isdigit() and _YEARS[0] <= value <= _YEARS[1]:
        return "year"
    if following and following[0].isalpha():
        return stem(following, language)
    return ""
