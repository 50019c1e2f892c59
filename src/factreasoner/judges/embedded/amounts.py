"""How often and how much: "once a day" for "twice a day"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from factreasoner.judges.embedded.numbers import TIMES, UNITS_OF, Number
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import ROUGHLY

_LEAST_SHARE = 0.7
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_PER = frozenset({"a", "an", "per", "every", "each", "daily", "weekly", "monthly", "yearly"})
_ONE = frozenset({"a", "an"})
_JOINTS = frozenset({"by", "to", "from"})
_PASSED = ROUGHLY | {"$", "€", "£", "¥", "just", "only"}
_REACH = 4


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
    return (
        _rounded_otherwise(pair)
        or _bounded_otherwise(pair)
        or _dated_otherwise(pair)
        or _changed_otherwise(pair)
    )


def _bounded_otherwise(pair: Pairing) -> bool:
    """Whether what is more than a figure in the claim is less than it there, or the reverse."""
    there = [one for one in pair.passage.numbers if pair.part.low <= one.place < pair.part.high]
    for number in pair.claim.numbers:
        same = [one for one in there if number.compares_with(one)]
        own = range(number.place, number.place + number.length)
        if (
            same
            and pair.share(own) >= _LEAST_SHARE
            and all(_is_bounded_otherwise(number, one) for one in same)
        ):
            return True
    return False


def _is_bounded_otherwise(one: Number, other: Number) -> bool:
    """Whether one of two figures is the least and the other the most that is meant, and no more is left."""
    if {one.bound, other.bound} != {"least", "most"}:
        return False
    least, most = (one, other) if one.bound == "least" else (other, one)
    return least.differs_from(most) or least.value == most.value


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


def _dated_otherwise(pair: Pairing) -> bool:
    """Whether the claim's figure is there that of another time: "fell from 9 in 1970 to 4 in 1980"."""
    times = [one for one in pair.claim.numbers if one.kind in TIMES]
    if len(times) != 1 or pair.share() < _LEAST_SHARE:
        return False
    for number in pair.claim.numbers:
        dates = [_date(pair, one) for one in _saying(pair, number)] if number.kind not in TIMES else []
        if dates and all(date is not None and times[0].differs_from(date) for date in dates):
            return True
    return False


def _date(pair: Pairing, number: Number) -> Number | None:
    """The time that stands right behind a number, or the thing it counts: "400 units in 2009"."""
    text, first = pair.passage, number.place + number.size
    later = (one for one in text.numbers if first < one.place < min(first + _REACH, pair.part.high))
    date = next(later, None)
    close = date is not None and date.kind in TIMES and text.words[date.place - 1] == "in"
    return date if close else None


def _changed_otherwise(pair: Pairing) -> bool:
    """Whether the claim's figure is what something changed "to" or "from", and there "by" which, or so."""
    if pair.share() < _LEAST_SHARE:
        return False
    for number in pair.claim.numbers:
        own = _joint(pair.claim, number)
        there = [_joint(pair.passage, one) for one in _saying(pair, number)]
        if own and there and number.kind not in TIMES and own not in there and all(there):
            return True
    return False


def _joint(text: Text, number: Number) -> str:
    """The preposition by which a number is what something changed by, to or from; empty for none."""
    before = [word for word in text.words[max(number.place - 3, 0) : number.place] if word not in _PASSED]
    return before[-1] if before and before[-1] in _JOINTS else ""


def _saying(pair: Pairing, number: Number) -> list[Number]:
    part = pair.part
    there = (one for one in pair.passage.numbers if part.low <= one.place < part.high)
    return [one for one in there if number.compares_with(one) and number.follows_from(one)]


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
