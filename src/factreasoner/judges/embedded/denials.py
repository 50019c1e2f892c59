"""Whether one sentence of a passage denies a claim: it says the rest of it, and one thing otherwise.

What a passage does not say is no denial. So nearly all of the claim must stand in one sentence, and there a
negation, an opposite word or another number must stand where the claim's own does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.judges.embedded.clashes import UNITS_OF
from factreasoner.judges.embedded.text import TIMES, Number, Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.language.lexicon import COMPARING, DENYING_NOTHING, DETERMINERS, EVENTS, MONTHS, OPPOSITES
from factreasoner.language.stems import alike

LEAST_SHARE = 0.7
NEGATED_SHARE = 0.9
CLAUSE_SHARE = 0.5
_REACH = 4
_BACK = 2
_REFERRING = frozenset({"it", "he", "she", "they"})
_DATES = frozenset({"day", "month"})
PREDICATE_SHARE = 0.5


def denying_sentence(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> Window | None:
    """The sentence of the window that denies the claim, if one does."""
    if "?" in claim.raw:
        return None
    for part in passage.sentences:
        if window.low <= part.low < window.high and "?" not in passage.raw[part.start : part.end]:
            sentence = Window(*part)
            if _Pair(claim, weights, passage, sentence).clash():
                return sentence
    return None


def subject_stems(claim: Text) -> frozenset[str]:
    """Stems of the content words that a claim begins with, up to its first function word."""
    found: list[str] = []
    for i, word in enumerate(claim.words):
        if not claim.content[i] and word not in DETERMINERS:
            break
        if claim.content[i]:
            found.append(claim.stems[i])
    return frozenset(found)


_Quantity = tuple[float | str, str]
"""Value and kind of a number, or of a month."""


class _Pair:
    """A claim and one sentence of a passage."""

    def __init__(self, claim: Text, weights: Sequence[float], passage: Text, sentence: Window) -> None:
        self._claim, self._weights, self._passage, self._at = claim, weights, passage, sentence
        self._stems = frozenset(passage.stems[sentence.low : sentence.high])
        self._words = frozenset(passage.words[sentence.low : sentence.high])
        self._content = [i for i, content in enumerate(claim.content) if content]
        self._meant = self._names_meant()

    def clash(self) -> bool:
        """Whether something in the sentence speaks against the claim."""
        return self._negated() or self._opposite() or self._other_number()

    def _share(self, apart: Sequence[int] = (), within: frozenset[str] | None = None) -> float:
        """Share of the claim's weight that the sentence has, or `within`; the tokens `apart` left out."""
        there = self._stems if within is None else within
        meant = self._meant if within is None else frozenset[str]()
        rest = [i for i in self._content if i not in apart]
        mass = sum(self._weights[i] for i in rest)
        found = sum(
            self._weights[i]
            for i in rest
            if self._claim.stems[i] in meant or self._has(there, self._claim.stems[i])
        )
        return found / mass if mass else 0.0

    def _names_meant(self) -> frozenset[str]:
        """Stems of the claim's subject that the sentence means without saying them: "It", "The tower".

        Only where it begins so, and the sentence before begins with the subject, or with what means it.
        """
        text, part = self._passage, self._at
        subject = subject_stems(self._claim)
        for _ in range(_BACK):
            said = text.stems[part.low + 1 : part.low + 2]
            noun = text.words[part.low] == "the" and said and said[0] in subject
            if not subject or not (noun or text.words[part.low] in _REFERRING):
                return frozenset()
            before = [one for one in text.sentences if one.high <= part.low][-1:]
            if not before:
                return frozenset()
            part = Window(*before[0])
            opening = [i for i in range(part.low, part.high) if text.content[i]][: len(subject)]
            if subject == {text.stems[i] for i in opening}:
                return subject
        return frozenset()

    @staticmethod
    def _has(stems: frozenset[str], sought: str) -> bool:
        return sought in stems or any(alike(stem, sought) for stem in stems)

    def _negated(self) -> bool:
        """Whether exactly one of the two is negated, and the negation reaches a word they share."""
        own = _negations(self._claim, 0, len(self._claim.words))
        there = _negations(self._passage, self._at.low, self._at.high)
        if bool(own) == bool(there):
            return False
        terms = {self._claim.stems[i] for i in self._content} & self._stems
        if own:
            return self._share() >= NEGATED_SHARE and any(terms & negation.reached for negation in own)
        return self._share() >= LEAST_SHARE and any(
            terms & negation.reached and self._share(within=negation.clause) >= CLAUSE_SHARE
            for negation in there
        )

    def _opposite(self) -> bool:
        claimed = frozenset(self._claim.words)
        turned = [
            i
            for i in self._content
            if self._claim.stems[i] not in self._stems
            and OPPOSITES.get(self._claim.words[i], frozenset()) & self._words - claimed
            and self._claim.words[i] not in EVENTS
        ]
        negations = any(self._at.low <= i < self._at.high for i in self._passage.negations)
        return (
            bool(turned)
            and not negations
            and not self._claim.negations
            and self._share(turned) >= LEAST_SHARE
        )

    def _predicate(self, place: int) -> bool:
        """Whether the sentence has at least half of what the claim says beside names and the number there."""
        said = [i for i in self._content if not self._claim.names[i] and i != place and i != place + 1]
        found = [i for i in said if self._has(self._stems, self._claim.stems[i])]
        return len(found) >= PREDICATE_SHARE * len(said)

    def _other_number(self) -> bool:
        """Whether one number or month of the sentence is another than the claim's of its class."""
        known = _quantities(self._passage, 0, len(self._passage.words))
        there = _quantities(self._passage, self._at.low, self._at.high)
        for place, (value, kind) in _quantities(self._claim, 0, len(self._claim.words)).items():
            claimed = (value, kind)
            if not kind or self._claim.aside[place] or any(_says(claimed, other) for other in known.values()):
                continue
            same = [j for j, (_, other) in there.items() if _alike_kinds(kind, other)]
            if (
                len(same) == 1
                and not _compared(self._claim, place, 0)
                and not _compared(self._passage, same[0], self._at.low)
                and _differ(claimed, there[same[0]])
                and self._share([place, place + 1] if kind in UNITS_OF else [place]) >= LEAST_SHARE
                and self._predicate(place)
                and _around(self._claim, place, 0) & _around(self._passage, same[0], self._at.low)
            ):
                return True
        return False


def _quantities(text: Text, low: int, high: int) -> dict[int, _Quantity]:
    """Value and kind of the numbers among the tokens [low, high), and of the months beside one, by place."""
    found: dict[int, _Quantity] = {
        number.place: (number.value, number.kind) for number in text.numbers if low <= number.place < high
    }
    beside = {i + step for i in found for step in (-1, 1)}
    return found | {
        i: (text.words[i], "month") for i in beside if low <= i < high and text.words[i] in MONTHS
    }


def _alike_kinds(one: str, other: str) -> bool:
    """Whether two kinds of number are one, or units of one measure."""
    if one == other or (one in TIMES and other in TIMES):
        return True
    if not _DATES.isdisjoint((one, other)):
        return False
    return one in UNITS_OF and UNITS_OF[one] is UNITS_OF.get(other)


def _says(one: _Quantity, other: _Quantity) -> bool:
    """Whether the second of two quantities says the first, if without what is counted: "three of the"."""
    if one[1] in TIMES and other[1] in TIMES:
        return _time(one).follows_from(_time(other))
    return one[0] == other[0] and other[1] in ("", "of", one[1])


def _differ(one: _Quantity, other: _Quantity) -> bool:
    """Whether two quantities of kinds that are alike can't be one. A less exact figure is no other one."""
    if one[1] in TIMES and other[1] in TIMES:
        return _time(one).differs_from(_time(other))
    return one != other and not (one[1] == other[1] and _shortened(one[0], other[0]))


def _shortened(value: float | str, exact: float | str) -> bool:
    """Whether a figure is one with more decimals, cut or rounded: 8,848 of 8,848.86, and 5.3 of 5.27."""
    if isinstance(value, str) or isinstance(exact, str):
        return False
    places, all_places = _decimals(value), _decimals(exact)
    return places < all_places and abs(value - exact) < 10.0**-places


def _decimals(value: float) -> int:
    return 0 if value == int(value) else len(repr(value).partition(".")[2])


def _time(quantity: _Quantity) -> Number:
    return Number(0, float(quantity[0]), quantity[1])


def _compared(text: Text, place: int, low: int) -> bool:
    """Whether a number is only a bound, a guess or a choice: "more than 20", "before 1990", "2 or 3"."""
    before, after = text.words[max(low, place - 3) : place], text.words[place + 1 : place + 2]
    return "or" in after or not COMPARING.isdisjoint(before)


def _around(text: Text, place: int, low: int) -> frozenset[str]:
    """Stems of the content words that stand close before or after a place."""
    near = range(max(low, place - 2 * _REACH), min(place + _REACH, len(text.stems)))
    return frozenset(text.stems[i] for i in near if text.content[i] and i != place)


class _Negation(NamedTuple):
    """Stems of the two content words that follow a negation in its clause, and of the whole clause."""

    reached: frozenset[str]
    clause: frozenset[str]


def _negations(text: Text, low: int, high: int) -> list[_Negation]:
    """The negations among the tokens [low, high): neither "not only", "or not" nor the "No" of a title."""
    found = []
    for i in text.negations:
        if not low <= i < high or i + 1 >= high or text.words[i + 1] in DENYING_NOTHING:
            continue
        if (text.words[i] == "no" and text.names[i + 1]) or "or" in text.words[max(i - 2, low) : i]:
            continue
        clause = [j for j in range(low, high) if text.clauses[j] == text.clauses[i] and text.content[j]]
        following = [text.stems[j] for j in clause if j > i]
        found.append(_Negation(frozenset(following[:2]), frozenset(text.stems[j] for j in clause)))
    return found
