"""The numbers of a text. A figure that is not understood has no kind, and contradicts nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from math import inf, isclose
from typing import Literal, NamedTuple

from factreasoner.text.language import stem

Bound = Literal["", "about", "least", "most"]

YEAR, MONTH, DAY, PERCENT, RANK = "year", "month of year", "day of month", "percent", "rank"
_FIRST_YEAR, _LAST_YEAR, _LAST_DAY = 1000, 2100, 31
_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: float(value) for value, word in enumerate(_UP_TO_NINETEEN.split())} | {
    word: 10.0 * tens for tens, word in enumerate(_TENS, start=2)
}
_MAGNITUDES = {"dozen": 12, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_OF_MONEY = _MAGNITUDES | {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "tn": 1e12}
_RANKS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_YEAR_ROUND = "january february march april may june july august september october november december"
_MONTHS = _YEAR_ROUND.split()
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
# Units by measure, each followed by its size in the same unit for all of the measure.
_UNITS = {
    "length": "mm .001 millimetre .001 cm .01 centimetre .01 inch .0254 inche .0254 foot .3048 feet .3048 "
    "ft .3048 yard .9144 m 1 meter 1 metre 1 km 1000 kilometer 1000 kilometre 1000 mile 1609",
    "mass": "mg .001 milligram .001 g 1 gram 1 ounce 28.35 lb 453.6 kg 1000 kilogram 1000 ton 1000000 "
    "tonne 1000000",
    "time": "second 1 minute 60 hour 3600 day 86400 week 604800 month 2629800 year 31557600",
    "area": "acre 4047 hectare 10000",
    "volume": "ml 1 millilitre 1 milliliter 1 litre 1000 liter 1000 gallon 3785",
}
MEASURES = frozenset(_UNITS)
_SIZES = {
    form: (measure, float(size))
    for measure, listed in _UNITS.items()
    for unit, size in zip(listed.split()[::2], listed.split()[1::2], strict=True)
    for form in (unit, f"{unit}s")
}
_LENGTHS = {unit: size for unit, (measure, size) in _SIZES.items() if measure == "length"}
_SIZES |= {f"{unit}2": ("area", size**2) for unit, size in _LENGTHS.items()}
_SIZES |= {f"{unit}3": ("volume", 1e6 * size**3) for unit, size in _LENGTHS.items()}
_POWERS = {"square": "2", "sq": "2", "cubic": "3"}
_OF_OTHERS = frozenset({"degree", "degrees", *_POWERS})
"""Words whose unit is the next word."""
_BOUNDS: dict[Bound, str] = {
    "about": "about around some nearly almost roughly approximately",
    "least": "over least exceeds",
    "most": "under most below",
}
_ROUNDED = 100_000.0
_CONVERTED, _ABOUT, _EXACT = 0.02, 0.1, 1e-9
_MOST_ROUNDED, _MOST_MULTIPLIED = 0.1, 1e15
_APART, _CUT = {"about": 0.25, "converted": 0.1}, 0.99
_BLANKS = re.compile(r"[\s'’]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WITH_COMMA = re.compile(r"\d+,\d+|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_UNDERSTOOD = re.compile(r"(?![1-9]\d{0,2}\.\d{3}$)\d{1,15}(?:\.\d{1,15})?")
"""But for "1.500", which is a thousand times as much in other languages."""
_BREAKS = re.compile(r"[,;.()\[\]]")
_JOINTS = frozenset({"to", "and", "or", *_CURRENCIES})


class Number(NamedTuple):
    """A quantity at tokens [place, end); `kind` is what it counts, or the measure of its unit.

    Numbers of one kind are compared by `value` times `size`, the size of their unit. `span` is how many years
    a decade or century has after its first. A rank ("third") is a kind of its own. No kind: not understood,
    or nothing is counted.
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
        """Whether the two are of one kind and cannot be one quantity, even rounded or cut off."""
        bounds = {self.bound, other.bound}
        if self.kind != other.kind or bounds & {"least", "most"}:
            return False
        if self._covers(other) or other._covers(self):
            return False
        loose = _APART["about"] if "about" in bounds else _APART["converted"] * (self.size != other.size)
        cut = _CUT * max(self._last_digit(), other._last_digit()) * (self.size == other.size)
        return not isclose(self.value * self.size, other.value * other.size, rel_tol=loose, abs_tol=cut)

    def _covers(self, other: Number) -> bool:
        """Whether every value of the other is a value of this."""
        value, there = self.value * self.size, other.value * other.size
        loose = max(_EXACT, _CONVERTED * (self.size != other.size), _ABOUT * (self.bound == "about"))
        slack = max(abs(value) * loose, self._last_digit() / 2)
        low = -inf if self.bound == "most" else value - slack
        high = inf if self.bound == "least" else value + slack + self.span
        return low <= there and there + other.span <= high

    def _last_digit(self) -> float:
        """What the last digit is worth: 1 of 8,849, and .01 million of 1.81 million."""
        place = int(Decimal(str(self.value)).normalize().as_tuple().exponent)
        digit = float(10.0 ** (place if self.value >= _ROUNDED else min(place, 0)))
        return min(digit, _MOST_ROUNDED * self.value) * self.size


def _plain(figure: str) -> str:
    """The figure without blanks, its decimals behind a point: "1500.50" for "1.500,50"."""
    figure = _BLANKS.sub("", figure)
    if _THOUSANDS.fullmatch(figure):
        return figure.replace(",", "")
    return figure.replace(".", "").replace(",", ".") if _WITH_COMMA.fullmatch(figure) else figure


def numbers_in(
    words: Sequence[str], content: Sequence[bool], gaps: Sequence[str], language: str
) -> list[Number]:
    """The numbers among folded words, in order; `content` marks all but function words.

    `gaps` are the characters before each word.
    """
    found: list[Number] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word[0].isdecimal() or word in _VALUES or word in _MAGNITUDES:
            found.append(_quantity(words, content, i, language))
            i = found[-1].end
            continue
        if word in _RANKS:
            found.append(_rank(words, i, i + 1, _RANKS.index(word) + 1.0))
        elif word in _MONTHS and _is_dated(words, i):
            found.append(Number(i, i + 1, _MONTHS.index(word) + 1.0, MONTH))
        i += 1
    for n, (one, two) in enumerate(pairwise(tuple(found))):
        apart = not _JOINTS.issuperset(words[one.end : two.place]) or _BREAKS.search(gaps[two.place])
        if apart or one.kind == two.kind or not {one.kind, two.kind}.isdisjoint({DAY, MONTH}):
            continue
        is_range = not one.kind and two.kind != YEAR and one.value < two.value
        span = (two.value - one.value) * two.size
        found[n] = one._replace(kind="")
        found[n + 1] = two._replace(value=one.value, span=span) if is_range else two._replace(kind="")
    return found


def _is_dated(words: Sequence[str], i: int) -> bool:
    """Whether a month has a day, a year or "in" beside it, which "may" and "march" need."""
    before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
    return before == "in" or before[:1].isdecimal() or after[:1].isdecimal()


def _figure(words: Sequence[str], i: int) -> tuple[float, int]:
    """The value of the figure that begins at token i, and the token after it."""
    magnitudes = _OF_MONEY if i and words[i - 1] in _CURRENCIES else _MAGNITUDES
    value = float(_plain(words[i])) if words[i][0].isdecimal() else _VALUES.get(words[i], 1.0)
    end = i if words[i] in magnitudes else i + 1
    if words[i] in _TENS and end < len(words) and 1 <= _VALUES.get(words[end], 0) < 10:
        value, end = value + _VALUES[words[end]], end + 1
    while end < len(words) and words[end] in magnitudes and value < _MOST_MULTIPLIED:
        value, end = value * magnitudes[words[end]], end + 1
    return value, end


def _quantity(words: Sequence[str], content: Sequence[bool], i: int, language: str) -> Number:
    """The number whose figure begins at token i, by the words around it."""
    before, last = words[i - 1] if i else "", words[i - 2] if i > 1 else ""
    uncounted = words[i] in _MAGNITUDES and (before != "a" or last in ("half", "of"))
    if uncounted or (words[i][0].isdecimal() and not _UNDERSTOOD.fullmatch(_plain(words[i]))):
        digits = "".join(filter(str.isdecimal, words[i]))[:15]
        return Number(i, i + 1, _MAGNITUDES[words[i]] if uncounted else float(digits), "")
    value, end = _figure(words, i)
    after, next_ = (*words[end : end + 2], "", "")[:2]
    bound = _bound(words[max(0, i - 3) : i])
    if before in _CURRENCIES:
        return Number(i, end, value, _CURRENCIES[before], bound=bound)
    if after in ("%", "percent") or (after, next_) == ("per", "cent"):
        return Number(i, end + 1 + (after == "per"), value, PERCENT, bound=bound)
    ordinal = after in ("st", "nd", "rd", "th")
    if (before in _MONTHS or (next_ if ordinal else after) in _MONTHS) and value <= _LAST_DAY:
        return Number(i, end + ordinal, value, DAY)
    if ordinal:
        return _rank(words, i, end + 1, value)
    unit_end = end + 1 + (after in _POWERS)
    unit = f"{next_}{_POWERS[after]}" if after in _POWERS else after
    if unit in _SIZES:
        measure, size = _SIZES[unit]
        if words[unit_end : unit_end + 1] == ["per"]:
            each, many = _SIZES.get(words[unit_end + 1] if unit_end + 1 < len(words) else "", ("", 0.0))
            if not each:
                return Number(i, unit_end, value, "", bound=bound)
            return Number(i, unit_end + 2, value, f"{measure} per {each}", size / many, bound)
        return Number(i, unit_end, value, measure, size, bound)
    if words[i].isdecimal() and len(words[i]) == 4 and _FIRST_YEAR <= value <= _LAST_YEAR:
        decade = 0 if after != "s" else 9 if value % 100 else 99
        return Number(i, end + bool(decade), value, YEAR, span=decade)
    is_counted = after[:1].isalpha() and content[end] and after not in _OF_OTHERS
    return Number(i, end, value, stem(after, language) if is_counted else "", bound=bound)


def _rank(words: Sequence[str], i: int, end: int, value: float) -> Number:
    """The rank at tokens [i, end), or the century; of one before Christ nothing is understood."""
    if words[end : end + 1] != ["century"]:
        return Number(i, end, value, RANK)
    is_ours = words[end + 1 : end + 2] not in (["bc"], ["bce"])
    return Number(i, end + 1, 100 * value - 100, YEAR if is_ours else "", span=100)


def _bound(before: Sequence[str]) -> Bound:
    """The bound that the words before a figure give it."""
    *_, first, last = ("", "", *(word for word in before if word not in _CURRENCIES))
    if last == "than":
        return "most" if first in ("less", "fewer") else "least"
    return next((bound for bound, words in _BOUNDS.items() if last in words.split()), "")
