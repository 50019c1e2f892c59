"""How much in what time: 40 litres per hour for 40 litres per minute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from factreasoner.judges.embedded.numbers import SIZES, UNITS_OF, Number
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text

_LEAST_SHARE = 0.7
_PER = frozenset({"a", "an", "per", "each", "every"})
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_TIME = UNITS_OF["second"]
_REACH = 4
_ALIKE = 0.1


class _Rate(NamedTuple):
    """A number and the unit of time that it is counted in."""

    number: Number
    unit: str

    @property
    def speed(self) -> float:
        """The number in a second."""
        return self.number.value / SIZES[self.unit]


def paced_otherwise(pair: Pairing) -> bool:
    """Whether the sentence says the claim's only rate in another unit of time, and as another rate."""
    own = list(_rates(pair.claim, 0, len(pair.claim.words)))
    there = list(_rates(pair.passage, pair.part.low, pair.part.high))
    if len(own) != 1 or not there or pair.share([own[0].number.place]) < _LEAST_SHARE:
        return False
    claimed = own[0]
    return all(
        claimed.unit != other.unit and abs(claimed.speed - other.speed) > _ALIKE * claimed.speed
        for other in there
    )


def _rates(text: Text, low: int, high: int) -> Iterator[_Rate]:
    for number in text.numbers:
        if low <= number.place < high:
            for j in range(number.place + 1, min(number.place + _REACH, high)):
                unit = text.stems[j + 1] if text.words[j] in _PER and j + 1 < high else ""
                unit = _ADVERBS.get(text.words[j], unit)
                if UNITS_OF.get(unit) is _TIME:
                    yield _Rate(number, unit)
                    break
