"""Whether a claim's number counts another thing there: "three cafés and one shop" for "three shops"."""

from __future__ import annotations

from itertools import takewhile

from factreasoner.judges.embedded.numbers import TIMES, UNITS_OF, Number
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import BE, DETERMINERS, SHARES
from factreasoner.text.stems import alike

_LEAST_SHARE = 0.7
_NO_THINGS = frozenset({"", "calendar day", "percent", *TIMES, *UNITS_OF})
_ONE = frozenset({"a", "an", "one"})
_PASSED = BE | DETERMINERS | {"of", "them", "which", "whom"} - _ONE


def counted_otherwise(pair: Pairing) -> bool:
    """Whether the number counts something else there, and the claim's thing has a number of its own."""
    claim, part = pair.claim, pair.part
    if pair.share() < _LEAST_SHARE:
        return False
    for number in claim.numbers:
        things = _things(claim, number)
        there = [one for one in pair.passage.numbers if part.low <= one.place < part.high]
        saying = [one for one in there if one.value == number.value]
        if things and saying and all(_counts_another(pair, things, one) for one in saying):
            return True
    return False


def _things(text: Text, number: Number) -> list[int]:
    """The content words that a number counts, and maybe a verb behind them; none of a label, "U-30"."""
    if number.kind in _NO_THINGS or text.label_at(number.place):
        return []
    return list(
        takewhile(
            lambda i: text.content[i] and text.value_at(i) is None and i not in text.commas,
            range(number.place + number.size, len(text.words)),
        )
    )


def _counts_another(pair: Pairing, things: list[int], number: Number) -> bool:
    """Whether a number of the sentence counts what a word of the claim's `things` does not stand for."""
    counted = [pair.passage.stems[j] for j in _things(pair.passage, number)]
    lacking = takewhile(
        lambda i: not any(alike(pair.claim.stems[i], stem) for stem in counted),
        things,
    )
    places = [j for i in lacking for j in pair.found[pair.claim.stems[i]]]
    return bool(counted) and any(_has_own_number(pair, j, number) for j in places)


def _has_own_number(pair: Pairing, place: int, number: Number) -> bool:
    """Whether another number stands before a word, or a share: "one swimming hall", "one was gold"."""
    text = pair.passage
    for j in range(place - 1, pair.part.low - 1, -1):
        value = text.value_at(j)
        if value is not None:
            return value != number.value
        if text.words[j] in _ONE | SHARES:
            return True
        if not text.content[j] and text.words[j] not in _PASSED:
            return False
    return False
