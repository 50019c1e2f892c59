"""How often and how much: "once a day" for "twice a day"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from factreasoner.judges.embedded.numbers import UNITS_OF, Number
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text

_LEAST_SHARE = 0.7
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_PER = frozenset({"a", "an", "per", "every", "each", "daily", "weekly", "monthly", "yearly"})
_ONE = frozenset({"a", "an"})


def measured_otherwise(pair: Pairing) -> bool:
    """Whether the sentence says the claim's only amount of its kind, and never with the claim's number."""
    own = list(_amounts(pair.claim, 0, len(pair.claim.words)))
    there = [
        amount for amount in _amounts(pair.passage, pair.part.low, pair.part.high) if _is_told(pair, amount)
    ]
    for amount in own:
        same = [other for other in there if amount.compares_with(other)]
        alone = sum(amount.compares_with(other) for other in own) == 1
        if alone and same and all(amount.differs_from(other) for other in same):
            return pair.share((amount.place, amount.place + 1)) >= _LEAST_SHARE
    return _rounded_otherwise(pair)


def _rounded_otherwise(pair: Pairing) -> bool:
    """Whether a figure that is rounded in the sentence or the claim is another there: "about 40" for 45."""
    there = [one for one in pair.passage.numbers if pair.part.low <= one.place < pair.part.high]
    for number in pair.claim.numbers:
        same = [one for one in there if number.kind and number.compares_with(one)]
        vague = any("about" in (number.bound, one.bound) for one in same)
        own = range(number.place, number.place + number.length)
        if vague and pair.share(own) >= _LEAST_SHARE and not any(number.follows_from(one) for one in there):
            return True
    return False


def _is_told(pair: Pairing, amount: Number) -> bool:
    """Whether no other clause of the sentence has more of the claim than that of an amount there."""
    clauses = pair.passage.clauses
    shared = Counter(clauses[place] for places in pair.found.values() for place in set(places))
    return shared[clauses[amount.place]] >= max(shared.values(), default=0)


def _amounts(text: Text, low: int, high: int) -> Iterator[Number]:
    """The amounts among the tokens [low, high): numbers of times, or of a unit."""
    counted = False
    for place in range(low, high):
        found = _amount(text, place, high)
        # "twice a day" and "3 dollars an hour" count no days and hours
        rate = text.words[place] in _ONE and (counted or _is_unit(text, place - 1, low))
        halved = place > low and text.words[place - 1] == "half"
        if found is not None and not rate and not halved:
            yield found
        counted = text.value_at(place) is not None or text.words[place] in ("times", *_TIMES)


def _amount(text: Text, place: int, high: int) -> Number | None:
    """The amount that a token begins, if any."""
    word, following = text.words[place], text.words[place + 1 : min(place + 3, high)]
    number = text.number_at(place)
    if word in _TIMES and (word != "once" or not following or following[0] in _PER):
        return Number(place, _TIMES[word], "times")
    if number is not None and number.place == place:
        if number.kind in UNITS_OF:
            return number
        return number._replace(kind="times") if following[:1] == ("times",) else None
    if word in _ONE and _is_unit(text, place + 1, high=high):
        return Number(place, 1.0, text.stems[place + 1])
    return None


def _is_unit(text: Text, place: int, low: int = 0, high: int | None = None) -> bool:
    return low <= place < (len(text.words) if high is None else high) and text.stems[place] in UNITS_OF
