"""A claim beside one sentence of a passage, and whether its doer and object have changed places there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from factreasoner.judges.embedded.text import Sentence, Text
from factreasoner.text.lexicon import BE, DETERMINERS, MUTUAL
from factreasoner.text.stems import LEAST_PREFIX, alike

_AUXILIARY = BE | {"has", "have", "had", "did", "does", "to", "more", "less", "who", "he", "she"}
_RELATIVE = frozenset({"who", "which", "that"})
_NO_SENTENCE = 7  # content words in a row


class Pairing:
    """Which words of a claim a sentence has, and where; determiners are overlooked in both.

    `own` and `there` are the places of their words, `content` those of the claim's content words.
    """

    def __init__(self, claim: Text, weights: Sequence[float], passage: Text, part: Sentence) -> None:
        self.claim, self.passage, self.part = claim, passage, part
        self._weights = weights
        self.own = [i for i, word in enumerate(claim.words) if word not in DETERMINERS]
        self.there = [j for j in range(part.low, part.high) if passage.words[j] not in DETERMINERS]
        self.content = [i for i in self.own if claim.content[i]]

    @cached_property
    def found(self) -> dict[str, list[int]]:
        """Where the sentence has each stem of the claim."""
        stems = self.passage.stems
        by_prefix: dict[str, list[int]] = {}
        for j in self.there:
            by_prefix.setdefault(stems[j][:LEAST_PREFIX], []).append(j)
        return {
            stem: [j for j in by_prefix.get(stem[:LEAST_PREFIX], ()) if alike(stem, stems[j])]
            for stem in {self.claim.stems[i] for i in self.own}
        }

    def places(self, run: Sequence[int]) -> list[int]:
        """Where the sentence has the words of the claim at the places `run`."""
        return [j for i in run for j in self.found[self.claim.stems[i]]]

    def share(self, apart: Sequence[int] = ()) -> float:
        """Share of the weight of the claim's content words that the sentence has; `apart` are left out."""
        rest = [i for i in self.content if i not in apart]
        mass = sum(self._weights[i] for i in rest)
        there = sum(self._weights[i] for i in rest if self.found[self.claim.stems[i]])
        return there / mass if mass else 0.0

    def is_name(self, place: int) -> bool:
        """Whether a word of the claim is a name: there, or, of its first word, in the passage."""
        if self.claim.names[place] or place != self.content[0]:
            return self.claim.names[place]
        return (self.claim.stems[place], True) in zip(self.passage.stems, self.passage.names, strict=True)

    def stands_beside(self, place: int, anchors: Sequence[int], side: int) -> bool:
        """Whether a word of the claim stands right before some index of `there`; right after it, for -1."""
        beside = {self.there[at - side] for at in anchors if 0 <= at - side < len(self.there)}
        return not beside.isdisjoint(self.places([place]))

    def is_known(self, places: Sequence[int]) -> bool:
        """Whether a determiner says that what stands there was spoken of before: "the buyer"."""
        before = self.passage.words[max(self.part.low, min(places) - 1)]
        return before in DETERMINERS and before not in ("a", "an")

    def is_list(self) -> bool:
        """Whether the sentence is a table, a list of titles or the like: names in a row say nothing."""
        text, in_a_row, clause = self.passage, 0, -1
        for place in range(self.part.low, self.part.high):
            number = text.number_at(place)
            if number is not None and number.place < place:
                continue
            goes_on = text.content[place] and text.clauses[place] == clause
            telling = int(text.content[place] and number is None)
            in_a_row = in_a_row + telling if goes_on else telling
            clause = text.clauses[place]
            if in_a_row >= _NO_SENTENCE:
                return True
        return False

    def exchanged(self) -> bool:
        """Whether doer and object have changed places around the verb that both have."""
        arguments = list(self._arguments())
        for i in self.content:
            places = self.found[self.claim.stems[i]]
            if len(places) != 1 or not self._is_verb(i, places[0]):
                continue
            there = places[0]
            left = [stem for k, stem in arguments if k < i]
            right = [stem for k, stem in arguments if k > i]
            crossed = self._stands(left, there, 1) and self._stands(right, there, -1)
            straight = self._stands(left, there, -1) and self._stands(right, there, 1)
            if straight if self._voices_differ(i, there) else crossed and not self._is_given(i, there):
                return True
        return False

    def _is_verb(self, own: int, there: int) -> bool:
        claim = self.claim
        if claim.names[own] or claim.stems[own] in MUTUAL:
            return False
        return _verbal(claim, own, self.content[0]) and _verbal(self.passage, there, self.part.low)

    def _arguments(self) -> Iterator[tuple[int, str]]:
        """Names of the claim, and its first and last content word, that stand once in it and there."""
        stems = [self.claim.stems[i] for i in self.content]
        for i, stem in zip(self.content, stems, strict=True):
            argument = self.is_name(i) or i in (self.content[0], self.content[-1])
            once = argument and stems.count(stem) == 1 and len(self.found[stem]) == 1
            if once and not self._names_another(i, self.found[stem][0]):
                yield i, stem

    def _names_another(self, own: int, there: int) -> bool:
        """Whether a word is in two names of which each has what the other lacks: "Hudson River", "Valley"."""
        one, other = _name_around(self.claim, own), _name_around(self.passage, there)
        return bool(one - other) and bool(other - one)

    def _stands(self, stems: Sequence[str], place: int, side: int) -> bool:
        """Whether one of the stems stands after a place (before it, for -1) in its clause."""
        clauses = self.passage.clauses
        opening = next(j for j in range(place, -1, -1) if j == 0 or clauses[j - 1] != clauses[place])
        meant = range(0)
        if side == -1 and self.passage.words[opening] in _RELATIVE:
            # who is meant stands right before the pronoun
            first = opening
            while first > self.part.low and self.passage.content[first - 1]:
                first -= 1
            meant = range(first, opening)
        return any(
            ((j - place) * side > 0 and clauses[j] == clauses[place]) or j in meant
            for s in stems
            for j in self.found[s]
        )

    def _is_given(self, own: int, there: int) -> bool:
        """Whether "is given a thing" is "is given to them": one verb alone is followed by "to"."""
        to = [
            "to" in text.words[place + 1 : place + 2]
            for text, place in ((self.claim, own), (self.passage, there))
        ]
        return to[0] != to[1] and _after_be(self.claim, own) and _after_be(self.passage, there)

    def _voices_differ(self, own: int, there: int) -> bool:
        """Whether one of two verbs has its doer before it and the other one behind it."""
        claim, passage = self.claim, self.passage
        if _passive(claim, own, len(claim.words)) == _passive(passage, there, self.part.high):
            return False
        return not (_after_be(claim, own) and _after_be(passage, there))


def _name_around(text: Text, place: int) -> frozenset[str]:
    """Stems of the name that a word is part of; empty where it is part of none."""
    low = high = place
    while low > 0 and text.names[low - 1] and low not in text.commas:
        low -= 1
    while high < len(text.words) and text.names[high] and (high == place or high not in text.commas):
        high += 1
    return frozenset(text.stems[low:high])


def _after_be(text: Text, verb: int) -> bool:
    return not BE.isdisjoint(text.words[max(verb - 2, 0) : verb])


def _passive(text: Text, verb: int, high: int) -> bool:
    """Whether "by" names a verb's doer: close behind it, or later in its clause after a form of "be"."""
    clause = [i for i in range(verb + 1, high) if text.clauses[i] == text.clauses[verb]]
    return "by" in (text.words[i] for i in (clause if _after_be(text, verb) else clause[:2]))


def _verbal(text: Text, place: int, first: int) -> bool:
    """Whether a word stands as a verb: after a name, the first word or an auxiliary, describing nothing."""
    before, after = place - 1, place + 1
    described = after < len(text.words) and text.content[after] and text.value_at(after) is None
    if before < 0 or (described and not text.names[after]):
        return False
    return text.names[before] or before == first or text.words[before] in _AUXILIARY


def stands_alone(claim: str, passage: str) -> bool:
    """Whether the claim is, word by word, a sentence of the passage, or a part of one between semicolons."""
    core, there = claim.strip().rstrip(".").casefold(), passage.casefold()
    if core not in there:
        return False
    return re.search(rf"(?:^|[.;!?\n])\s*{re.escape(core)}\s*(?:[.;!?\n]|$)", there) is not None
