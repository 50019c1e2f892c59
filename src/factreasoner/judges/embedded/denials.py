"""Whether one sentence of a passage denies a claim: it says the rest of it, and one thing otherwise.

What a passage does not say is no denial. So nearly all of the claim must stand in one sentence, and there a
negation, an opposite word or another number must stand where the claim's own does.
"""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.judges.embedded.clauses import Clause, displaced, runs
from factreasoner.judges.embedded.figures import (
    DATES,
    compare,
    compared,
    differ,
    is_one,
    quantities,
    says,
)
from factreasoner.judges.embedded.namesakes import is_labelled_alike
from factreasoner.judges.embedded.negations import denies, negations
from factreasoner.judges.embedded.numbers import TIMES, UNITS_OF
from factreasoner.judges.embedded.occasions import can_recur, is_of_a_part, is_of_another, is_of_the_past
from factreasoner.judges.embedded.opposites import opposites, subject_places
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import (
    MAGNITUDES,
)
from factreasoner.text.stems import alike

LEAST_SHARE = 0.7
NEGATED_SHARE = 0.9
CLAUSE_SHARE = 0.5
_REACH = 4
_BACK = 2
_REFERRING = frozenset({"it", "he", "she", "they"})
PREDICATE_SHARE = 0.5
_OF_SOME = frozenset({"another", "other", "others", "some", "several", "certain"})
"""Words that a claim on some begins with, which no denial of one thing denies: "Another way is free"."""


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
    return frozenset(claim.stems[i] for i in subject_places(claim))


class _Pair:
    """A claim and one sentence of a passage."""

    def __init__(self, claim: Text, weights: Sequence[float], passage: Text, sentence: Window) -> None:
        self._claim, self._weights, self._passage, self._at = claim, weights, passage, sentence
        self._stems = frozenset(passage.stems[sentence.low : sentence.high])
        self._words = frozenset(passage.words[sentence.low : sentence.high])
        self._content = [i for i, content in enumerate(claim.content) if content and i not in claim.negations]
        self._meant = self._names_meant()
        self._there = quantities(passage, sentence.low, sentence.high)

    def clash(self) -> bool:
        """Whether something in the sentence speaks against the claim."""
        there = range(self._at.low, self._at.high)
        if self._other_occasion() or not is_labelled_alike(self._claim, self._passage, there):
            return False
        return self._negated() or self._opposite() or self._other_number()

    def _other_occasion(self) -> bool:
        """Whether the sentence has another time than the claim, and another figure or negation, too."""
        known = quantities(self._passage, 0, len(self._passage.words))
        other = [
            claimed
            for claimed in quantities(self._claim, 0, len(self._claim.words))
            if not any(says(claimed, one) for one in known)
            and any(claimed.compares_with(one) and claimed.differs_from(one) for one in self._there)
        ]
        times = any(claimed.kind in TIMES for claimed in other)
        return times and (any(claimed.kind not in DATES for claimed in other) or self._turns_polarity())

    def _turns_polarity(self) -> bool:
        return bool(negations(self._claim, 0, len(self._claim.words))) != bool(
            negations(self._passage, self._at.low, self._at.high)
        )

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
        own = negations(self._claim, 0, len(self._claim.words))
        there = negations(self._passage, self._at.low, self._at.high)
        if bool(own) == bool(there) or not _OF_SOME.isdisjoint(self._claim.words[:1]):
            return False
        if is_of_another(self._claim, self._passage, self._at):
            return False
        terms = {self._claim.stems[i] for i in self._content} & self._stems
        if own:
            return (
                self._share() >= NEGATED_SHARE
                and not self._displaced(self._at.low)
                and any(
                    terms & one.reached and denies(self._claim, one, self._passage, self._at) for one in own
                )
            )
        whole = Window(0, len(self._claim.words), 0, 0)
        return self._share() >= LEAST_SHARE and any(
            terms & one.reached
            and self._share(within=one.clause) >= CLAUSE_SHARE
            and denies(self._passage, one, self._claim, whole)
            and not self._displaced(one.place)
            for one in there
        )

    def _opposite(self) -> bool:
        """Whether the sentence has the opposite of a word of the claim, where it has the rest."""
        turned = opposites(self._claim, self._passage, self._at)
        negations_there = any(self._at.low <= i < self._at.high for i in self._passage.negations)
        return (
            bool(turned)
            and not negations_there
            and not self._claim.negations
            and self._share(turned) >= LEAST_SHARE
        )

    def _predicate(self, place: int) -> bool:
        """Whether the sentence has at least half of what the claim says beside names and the number there."""
        said = [i for i in self._content if not self._claim.names[i] and i != place and i != place + 1]
        found = [i for i in said if self._has(self._stems, self._claim.stems[i])]
        return len(found) >= PREDICATE_SHARE * len(said)

    def _displaced(self, low: int, unit: str = "") -> bool:
        """Whether another word stands where one of the claim's does: her first "novel", or "poems".

        Of the claim's subject anywhere in the sentence, of its other words from `low` on.
        """
        subject, known = subject_places(self._claim), frozenset(self._claim.stems)
        missing = [i for i in self._content if not self._is_there(i, unit)]
        whole = Clause(self._claim, 0, len(self._claim.words))
        return any(
            displaced(whole, run, Clause(self._passage, first, self._at.high), known)
            for first, places in (
                (self._at.low, [i for i in missing if i in subject]),
                (low, [i for i in missing if i not in subject]),
            )
            for run in runs(places)
        )

    def _is_there(self, place: int, unit: str) -> bool:
        """Whether the sentence has a word of the claim or means it; figures and units are left out."""
        stem, word = self._claim.stems[place], self._claim.words[place]
        figure = stem == unit or word in MAGNITUDES or self._claim.value_at(place) is not None
        return figure or stem in self._meant or self._has(self._stems, stem)

    def _other_number(self) -> bool:
        """Whether one number or month of the sentence is another than the claim's of its class."""
        known = quantities(self._passage, 0, len(self._passage.words))
        if is_of_the_past(self._claim, self._passage, self._at):
            return False
        dates = [one.place for one in quantities(self._claim, 0, len(self._claim.words)) if one.kind in DATES]
        for claimed in quantities(self._claim, 0, len(self._claim.words)):
            place = claimed.place
            if not claimed.kind or self._claim.aside[place] or any(says(claimed, other) for other in known):
                continue
            same = [other for other in self._there if compare(claimed, other)]
            if (
                is_one(same)
                and not compared(self._claim, claimed, 0)
                and not compared(self._passage, same[0], self._at.low)
                and differ(claimed, same[0])
                and self._share([place, place + 1] if claimed.kind in UNITS_OF else [place]) >= LEAST_SHARE
                and self._predicate(place)
                and not self._displaced(self._at.low, claimed.kind)
                and not can_recur(self._claim, claimed, self._passage, same[0], self._there)
                and not is_of_a_part(self._claim, self._passage, same[0])
                and not is_of_another(self._claim, self._passage, self._at, dates)
                and _around(self._claim, place, 0) & _around(self._passage, same[0].place, self._at.low)
            ):
                return True
        return False


def _around(text: Text, place: int, low: int) -> frozenset[str]:
    """Stems of the content words that stand close before or after a place."""
    near = range(max(low, place - 2 * _REACH), min(place + _REACH, len(text.stems)))
    return frozenset(text.stems[i] for i in near if text.content[i] and i != place)
