"""Numbers in a text as quantities: what they count, and which values they mean ("about 300", "20 to 35")."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import inf, isclose
from typing import Literal, NamedTuple

from factreasoner.judges.embedded.number_words import BEGINNING, figure_at, units_and_a_half
from factreasoner.text.lexicon import (
    AT_LEAST,
    AT_MOST,
    MONTHS,
    ROUGHLY,
    UNIT_SIZES,
    UNITS,
)
from factreasoner.text.stems import stem

TIMES = ("calendar year", "decade", "century")
"""Kinds of number that say when: 1962, 1960s, 20th century."""
UNCOUNTED = ("", "of")
"""Kinds of number that leave open what is counted: "146.", "three of the"."""
UNITS_OF: dict[str, frozenset[str]] = {stem(unit, "english"): units for units in UNITS for unit in units}
"""Stem of a unit -> the units of its measure."""
SIZES = {stem(unit, "english"): size for unit, size in UNIT_SIZES.items()}
"""Stem of a unit -> its size in the same unit for all of its measure."""

_FIRST_YEAR, _LAST_YEAR = 1000.0, 2100.0
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
_TIMES = ("twice", "thrice")
_RANGING = frozenset(
    {"range", "ranges", "ranged", "ranging", "vary", "varies", "varied", "cost", "costs", "anywhere"}
)
_LEAST_ROUNDED = 100_000.0
_YEARS_ABOUT = 5.0
_ROUNDED, _APART = 0.1, 0.25
"""What "about" allows: a figure so near it is meant, one farther than the second is another."""
_CONVERTED, _EXACT = 0.1, 0.02

Bound = Literal["", "about", "least", "most"]


class Number(NamedTuple):
    """A quantity at token `place`. Two of one kind compare (percent, a unit's stem), and all TIMES.

    The value of a decade is its first year, that of a century its number. `bound` tells "about 300", "more
    than 300" and "at most 300"; `ends` are both numbers of a range, "20 to 35". `size` is how many tokens its
    figure has, `length` how many with its unit: "half a million", "75 per cent".
    """

    place: int
    value: float
    kind: str
    bound: Bound = ""
    ends: tuple[float, float] | None = None
    size: int = 1
    length: int = 1

    @property
    def years(self) -> tuple[float, float]:
        """The first and last year that one of TIMES means."""
        if self.kind == "century":
            return 100 * self.value - 99, 100 * self.value
        return self.value, self.value + (9 if self.kind == "decade" else 0)

    @property
    def is_point(self) -> bool:
        """Whether one value alone is meant."""
        return not self.bound and self.ends is None and self.kind not in ("decade", "century")

    def follows_from(self, other: Number) -> bool:
        """Whether the other says it: the same value, or values that are all within what this one means."""
        if self.kind in TIMES and other.kind in TIMES:
            if self.bound in ("least", "most") and self.value == other.value and self.bound != other.bound:
                return False  # "after 2003" is not 2003
            return _within(other._meant(0), self._meant(0))
        scale = self._scale_of(other)
        if self.value == other.value and self.ends == other.ends and scale in (None, 1.0):
            return {self.bound, other.bound} != {"least", "most"}
        if scale is None:
            return False
        if self.is_point and scale == 1.0:
            return other.is_point and is_rounded(self.value, other.value)
        exact = _EXACT if scale != 1.0 and self.bound != "about" else 0.0
        return _within(other._meant(other._rounding, scale), self._meant(max(exact, self._rounding)))

    def follows_otherwise(self, other: Number) -> bool:
        """Whether the other says it, by the same figure or another, in the same unit or another."""
        return self.compares_with(other) and self.follows_from(other)

    def is_said(self, there: Sequence[Number]) -> bool:
        """Whether one of these says it; where some are of its kind, one of them or one of no kind."""
        same = [other for other in there if self.kind and self.compares_with(other)]
        told = [*same, *(other for other in there if other.kind in UNCOUNTED)] if same else there
        return any(self.follows_from(other) for other in told)

    @property
    def measure(self) -> str | frozenset[str]:
        """What it is a figure of: all TIMES are of one measure, and so are units that can be converted."""
        if self.kind in TIMES:
            return TIMES[0]
        return UNITS_OF[self.kind] if self.kind in SIZES else self.kind

    def compares_with(self, other: Number) -> bool:
        """Whether both are of one kind, or of units of one measure."""
        return self.kind == other.kind or self.measure == other.measure

    def differs_from(self, other: Number) -> bool:
        """Whether the two compare and can't be one quantity."""
        if self.kind in TIMES and other.kind in TIMES:
            return _apart(self._meant(0), other._meant(0))
        scale = self._scale_of(other)
        if scale is None or (scale == 1.0 and self._is_rounding(other)):
            return False
        loose = _CONVERTED if self.kind != other.kind else 0.0
        own = max(loose, _APART if self.bound == "about" else 0.0)
        return _apart(self._meant(own), other._meant(_APART if other.bound == "about" else 0.0, scale))

    @property
    def _rounding(self) -> float:
        """By which share "about" may miss its value: half a unit of its last digit, 10 % at most."""
        if self.bound != "about" or not self.value:
            return 0.0
        digits = f"{abs(self.value):.12g}"
        last = digits.rstrip("0").rstrip(".") if "." in digits else digits
        decimals = len(last.partition(".")[2])
        unit = 10.0 ** (-decimals if decimals else len(digits) - len(digits.rstrip("0")))
        step = 5 * unit if last.rstrip("0").endswith("5") else unit
        return min(_ROUNDED, step / 2 / abs(self.value))

    def _is_rounding(self, other: Number) -> bool:
        """Whether one of two figures is the other one with fewer digits."""
        points = self.is_point and other.is_point
        return points and (is_rounded(self.value, other.value) or is_rounded(other.value, self.value))

    def _scale_of(self, other: Number) -> float | None:
        """What the other's values are multiplied with to compare; None where they don't."""
        if self.kind == other.kind:
            return 1.0
        if self.kind in SIZES and UNITS_OF[self.kind] is UNITS_OF.get(other.kind) and other.kind in SIZES:
            return SIZES[other.kind] / SIZES[self.kind]
        return None

    def _meant(self, loose: float, scale: float = 1.0) -> tuple[float, float]:
        """The least and largest value meant; of times by years, of other figures within a share `loose`."""
        if self.kind in TIMES:
            low, high = self.years
            slack = _YEARS_ABOUT if self.bound == "about" else 0.0
        else:
            low, high = self.ends or (self.value, self.value)
            slack = loose * abs(self.value)
        return (
            -inf if self.bound == "most" else scale * (low - slack),
            inf if self.bound == "least" else scale * (high + slack),
        )


def _within(inner: tuple[float, float], outer: tuple[float, float]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[1] < other[0] or other[1] < one[0]


def is_rounded(value: float, exact: float) -> bool:
    """Whether a figure is another one to as many digits as it has: 1.81 million of 1,808,581."""
    digits = len(f"{value:.12g}".replace(".", "").partition("e")[0].strip("0"))
    return value >= _LEAST_ROUNDED and digits > 1 and isclose(value, float(f"{exact:.{digits}g}"))


def numbers_in(
    words: Sequence[str], dashed: Collection[int], breaks: Collection[int], language: str
) -> list[Number]:
    """The numbers among folded words.

    After those at `dashed` stands a dash and no more, before those at `breaks` a comma, stop or the like.
    """
    found = list(_numbers(words, breaks, language))
    for n in range(len(found) - 1):
        first, last = found[n], found[n + 1]
        counted = last.kind and not {first.kind, last.kind} & {*TIMES, "calendar day"}
        if counted and first.value < last.value and _is_range(words, first, last, dashed):
            ends = (first.value, last.value)
            found[n : n + 2] = first._replace(kind=last.kind, ends=ends), last._replace(ends=ends)
    return found


def _is_range(words: Sequence[str], first: Number, last: Number, dashed: Collection[int]) -> bool:
    """Whether two neighbouring numbers are "20 to 35", "$20-$35" or "between 20 and 35", and no change."""
    before = [word for word in words[max(first.place - 3, 0) : first.place] if word not in _CURRENCIES][-2:]
    end = first.place + (first.length if first.kind == last.kind else first.size)
    joint = [word for word in words[end : last.place] if word not in _CURRENCIES]
    if not joint:
        return end - 1 in dashed
    changing = before[-1:] == ["from"] and _RANGING.isdisjoint(before)
    return (joint == ["to"] and not changing) or (joint == ["and"] and before[-1:] == ["between"])


def _numbers(words: Sequence[str], breaks: Collection[int], language: str) -> Iterator[Number]:
    end = 0
    for i, word in enumerate(words):
        begins = i >= end and (word in BEGINNING or word[0].isdigit())
        figure = figure_at(words, i, breaks) if begins else None
        if figure is None:
            continue
        value, end = figure
        before = words[i - 1] if i else ""
        following, unit = words[end] if end < len(words) else "", 0
        if following == "per" and words[end + 1 : end + 2] == ["cent"]:
            following, unit = "percent", 1
        kind = _kind(before, word if end == i + 1 else "", following, value, language)
        if word in _TIMES:
            kind = stem("times", language)
        if following in _ORDINALS and words[end + 1 : end + 2] in (["century"], ["centuries"]):
            kind = "century"
        size = end - i
        if units_and_a_half(words, end):
            value, unit, end = value + 0.5, 3, end + 4
        unit += {"century": 2, "decade": 1, "percent": 1}.get(
            kind, int(kind in UNITS_OF and before not in _CURRENCIES)
        )
        bound = _bound(words[max(i - 4, 0) : i - (before in _CURRENCIES)], kind in TIMES)
        yield Number(i, value, kind, bound, size=size, length=size + unit)


def _bound(before: Sequence[str], time: bool) -> Bound:
    """What the words right before a number make of it."""
    last, pair = "".join(before[-1:]), " ".join(before[-2:])
    turned = len(before) > 2 and before[-3] in ("no", "not")
    if last in ROUGHLY:
        return "about"
    if time:
        return "least" if last == "after" else "most" if last == "before" else ""
    if last in AT_LEAST or pair in AT_LEAST:
        return "most" if turned else "least"
    if last in AT_MOST or pair in AT_MOST:
        return "least" if turned else "most"
    return ""


def _kind(before: str, digits: str, following: str, value: float, language: str) -> str:
    """What is counted: the word after the number, unless its neighbours say a currency, a share or a date."""
    if before in _CURRENCIES:
        return stem(_CURRENCIES[before], language)
    if following in ("%", "percent"):
        return "percent"
    if (before in MONTHS or following in MONTHS) and value <= 31:
        return "calendar day"
    if len(digits) == 4 and digits.isdigit() and _FIRST_YEAR <= value <= _LAST_YEAR:
        return "decade" if following == "s" else "calendar year"
    return stem(following, language) if following[:1].isalpha() else ""
