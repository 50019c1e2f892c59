"""Figures written out: "seventy-five", "half a million", "two hundred and ten", "a day and a half"."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from factreasoner.text.lexicon import MAGNITUDES, NUMBER_WORDS, UNITS

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_HALF, _AND_A_HALF = "half", ("and", "a", "half")
_ARTICLES = frozenset({"a", "an"})
_HUNDRED, _DOZEN, _ONE, _AND = "hundred", "dozen", "one", "and"
_UNITS = frozenset().union(*UNITS)
_MULTIPLES = frozenset({"twice", "thrice"})
BEGINNING = frozenset({_HALF, _ONE, *_ARTICLES, *NUMBER_WORDS, *MAGNITUDES})
"""Words that a figure may begin with."""
_LONGEST = 12
_TEN, _TWENTY, _FULL = 10, 20, 100


def figure_at(words: Sequence[str], place: int, breaks: Collection[int]) -> tuple[float, int] | None:
    """The value of the figure that begins with a word, and the index after its last; None where none does.

    It goes past no token of `breaks`, before which a comma or the like stands.
    """
    reach = range(place + 1, min(place + _LONGEST, len(words)))
    stop = next((i for i in reach if i in breaks), reach.stop)
    found = _figure(words[place:stop])
    return None if found is None else (found[0], place + found[1])


def _figure(words: Sequence[str]) -> tuple[float, int] | None:
    """The value of the figure that begins the words, and how many of them it has."""
    word = words[0]
    found = _halved(words)
    if found is None:
        if (word in NUMBER_WORDS and word not in _MULTIPLES) or word == _HUNDRED:
            found = _spelt(words)
        else:
            value = _of_digits(word) if word[0].isdigit() else MAGNITUDES.get(word, NUMBER_WORDS.get(word))
            if value is None:
                return None
            found = value, 1
    value, after = found
    if tuple(words[after : after + 3]) == _AND_A_HALF:
        value, after = value + 0.5, after + 3
    while after < len(words) and words[after] in MAGNITUDES:
        value *= MAGNITUDES[words[after]]
        after += 1
    return value, after


def units_and_a_half(words: Sequence[str], after: int) -> bool:
    """Whether a unit stands there that "and a half" follows: "two hours and a half"."""
    return _is_unit(words, after) and tuple(words[after + 1 : after + 4]) == _AND_A_HALF


def _halved(words: Sequence[str]) -> tuple[float, int] | None:
    """The figure of "half a million" or "half an hour"; the one of "one and a half" or "a day and a half"."""
    word, following = words[0], "".join(words[1:2])
    if word == _HALF:
        noun = 2 if following in _ARTICLES else 1
        magnitude = MAGNITUDES.get("".join(words[noun : noun + 1]))
        if magnitude is not None:
            return magnitude / 2, noun + 1
        return (0.5, noun) if noun == 2 and _is_unit(words, noun) else None
    if (word == _ONE and tuple(words[1:4]) == _AND_A_HALF) or (
        word in (*_ARTICLES, _ONE) and units_and_a_half(words, 1)
    ):
        return 1.0, 1
    return None


def _is_unit(words: Sequence[str], place: int) -> bool:
    return place < len(words) and words[place] in _UNITS


def _of_digits(word: str) -> float | None:
    if "," in word:
        word = word.replace(",", "" if _GROUPED.fullmatch(word) else ".")
    try:
        return float(word)
    except ValueError:
        return None


def _spelt(words: Sequence[str]) -> tuple[float, int]:
    """The value of the number words in a row that begin the words, and how many these are."""
    total = current = 0.0
    after = 0
    while after < len(words):
        word, tens = words[after], current % _FULL
        value = 1.0 if word == _ONE and tens >= _TWENTY else NUMBER_WORDS.get(word)
        if word == _AND and after and words[after - 1] in MAGNITUDES:
            if NUMBER_WORDS.get("".join(words[after + 1 : after + 2])) is None:
                break
        elif word == _DOZEN and current:
            current *= NUMBER_WORDS[_DOZEN]
        elif value is not None and (tens == 0 or (tens >= _TWENTY and tens % _TEN == 0 and 0 < value < _TEN)):
            current += value
        elif word == _HUNDRED and tens == current:
            current = (current or 1.0) * MAGNITUDES[_HUNDRED]
        elif word in MAGNITUDES and word != _HUNDRED and current:
            total, current = total + current * MAGNITUDES[word], 0.0
        else:
            break
        after += 1
    return total + current, after
