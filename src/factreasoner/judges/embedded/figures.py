"""Figures of a claim beside those of a sentence: whether they compare, and can be one."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.judges.embedded.numbers import TIMES, UNCOUNTED, UNITS_OF, Number, is_rounded
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import COMPARING, FUNCTION_WORDS, MONTHS

DATES = (*TIMES, "calendar day", "calendar month")
"""Kinds of the parts of a date."""
_MONTHS = sorted(MONTHS)
_OPEN = FUNCTION_WORDS["english"]


def quantities(text: Text, low: int, high: int) -> list[Number]:
    """The numbers among the tokens [low, high), and the months beside one."""
    found = [number for number in text.numbers if low <= number.place < high]
    beside = sorted({number.place + step for number in found for step in (-1, 1)})
    months = [i for i in beside if low <= i < high and text.words[i] in MONTHS]
    return found + [Number(i, float(_MONTHS.index(text.words[i])), "calendar month") for i in months]


def is_one(found: Sequence[Number]) -> bool:
    """Whether it is one number, or both of one range."""
    ranges = {number.ends for number in found}
    return len(found) == 1 or (len(ranges) == 1 and None not in ranges)


def compare(one: Number, other: Number) -> bool:
    """Whether two numbers are of one kind, or of units of one measure."""
    measure = UNITS_OF.get(one.kind)
    return one.compares_with(other) or (measure is not None and measure is UNITS_OF.get(other.kind))


def says(one: Number, other: Number) -> bool:
    """Whether the second of two quantities says the first, if without what is counted: "three of the"."""
    if one.kind in TIMES and other.kind in TIMES:
        return one.follows_from(other)
    return one.follows_from(other) and (
        other.kind in UNCOUNTED or other.kind in _OPEN or one.compares_with(other)
    )


def differ(one: Number, other: Number) -> bool:
    """Whether two quantities of kinds that are alike can't be one. A less exact figure is no other one."""
    if one.compares_with(other):
        return one.differs_from(other) and not (
            one.kind == other.kind
            and (_shortened(one.value, other.value) or is_rounded(one.value, other.value))
        )
    return one.value == other.value


def _shortened(value: float, exact: float) -> bool:
    """Whether a figure is one with more decimals, cut or rounded: 8,848 of 8,848.86, and 5.3 of 5.27."""
    places, all_places = _decimals(value), _decimals(exact)
    return places < all_places and abs(value - exact) < 10.0**-places


def _decimals(value: float) -> int:
    return 0 if value == int(value) else len(repr(value).partition(".")[2])


def compared(text: Text, number: Number, low: int) -> bool:
    """Whether a number is a bound, a guess or a choice that its own words don't tell: "by 1990", "2 or 3"."""
    before = text.words[max(low, number.place - 3) : number.place]
    after = text.words[number.place + 1 : number.place + 2]
    span = number.kind in ("decade", "century") and not {"early", "late"}.isdisjoint(before)
    return "or" in after or not (number.bound or span or COMPARING.isdisjoint(before))
