"""Whether a passage says a claim's words of each other: the same doer, the same object, in one clause.

A passage can have every word of a claim and say another thing: "Steve Jobs founded Apple; Tim Cook led it"
has all of "Tim Cook founded Apple". Each clause of the claim must therefore have a clause of the passage to
stand on, in which no other word stands where the claim's stands, and in which doer and object are not
exchanged. What that clause lacks, and the passage has, must be carried on to it: from before it in its
sentence, or from earlier ones by a pronoun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.language.lexicon import DETERMINERS, LIMITING, MODIFIERS, PRONOUNS
from factreasoner.language.stems import alike

_BE = frozenset(["is", "are", "was", "were", "be", "been", "being"])
_MUTUAL = frozenset({"marry", "met", "meet", "between"})
_ONCE = "once"
_LEAST_SHARE = 0.25


class Clause(NamedTuple):
    """Tokens [low, high) of a text."""

    text: Text
    low: int
    high: int

    @property
    def stems(self) -> Sequence[str]:
        """Stems of the clause's tokens, in order."""
        return self.text.stems[self.low : self.high]

    @property
    def content(self) -> list[int]:
        """The places of its content words and numbers."""
        return [i for i in range(self.low, self.high) if self.text.content[i]]


def clauses(text: Text, low: int, high: int) -> Iterator[Clause]:
    """The clauses among the tokens [low, high)."""
    first = low
    for i in range(low + 1, high + 1):
        if i == high or text.clauses[i] != text.clauses[i - 1]:
            yield Clause(text, first, i)
            first = i


def bound(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> bool:
    """Whether every clause of `claim` has one in the window of `passage` that it can stand on.

    Every number of the claim must be in the window.
    """
    if not _values(claim, 0, len(claim.words)) <= _values(passage, window.low, window.high):
        return False
    grounds = list(clauses(passage, window.low, window.high))
    known = frozenset(claim.stems)
    return all(
        any(_stands(part, weights, ground, known) for ground in grounds)
        for part in clauses(claim, 0, len(claim.words))
        if part.content
    )


def _stands(part: Clause, weights: Sequence[float], ground: Clause, known: frozenset[str]) -> bool:
    there = frozenset(ground.stems)
    missing = [i for i in part.content if part.text.stems[i] not in there]
    subjects = {i for i in part.content if part.text.names[i]} | {_first(part)}
    plain = (i for i in part.content if i not in subjects and part.text.value_at(i) is None)
    said = list(plain) or part.content
    if sum(weights[i] for i in missing if i in said) >= (1 - _LEAST_SHARE) * sum(weights[i] for i in said):
        return False
    limits = LIMITING & frozenset(part.text.words[part.low : part.high])
    return (
        limits <= frozenset(ground.text.words[ground.low : ground.high])
        and all(_carried(part.text, i, ground, known) for i in missing if i in subjects)
        and not any(_displaced(part, run, ground, known) for run in _runs(missing))
        and not _changed(part, ground)
        and not _exchanged(part, ground)
    )


def _first(part: Clause) -> int:
    """The first content word of a text, where the clause begins it: a name that no capital tells."""
    return part.content[0] if part.low == 0 else -1


def _values(text: Text, low: int, high: int) -> set[float]:
    values = {number.value for number in text.numbers if low <= number.place < high}
    return values | ({1.0} if _ONCE in text.words[low:high] else set())


def _carried(claim: Text, place: int, ground: Clause, known: frozenset[str]) -> bool:
    """Whether a subject that the ground lacks may be the ground's: no other name is there, or lies between.

    A subject that is nowhere in the passage may be meant by its title or topic.
    """
    text, stem = ground.text, claim.stems[place]
    if stem not in text.stems:
        return True
    said = (i for i in ground.content if text.stems[i] in known)
    if _named(text, ground.low, next(said, ground.high), known):
        return False
    opening = max(i for i in (0, *text.openings) if i <= ground.low)
    earlier = [i for i in range(ground.low) if text.stems[i] == stem]
    referring = not PRONOUNS.isdisjoint(text.words[ground.low : ground.high])
    if earlier and (referring or earlier[-1] < opening):
        return not _named(text, earlier[-1] + 1, ground.low, known)
    return True


def _named(text: Text, low: int, high: int, known: frozenset[str]) -> bool:
    """Whether a name that the claim lacks is among the tokens [low, high)."""
    return any(text.names[i] and text.stems[i] not in known for i in range(low, high))


def _changed(part: Clause, ground: Clause) -> bool:
    """Whether a word that the claim lacks changes what a shared one says: "second" before "highest"."""
    shared = {part.text.stems[i] for i in part.content}
    changing = MODIFIERS - frozenset(part.text.words)
    return any(
        ground.text.stems[i] in shared
        and not changing.isdisjoint(ground.text.words[max(ground.low, i - 2) : i])
        for i in ground.content
    )


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours."""
    for n, place in enumerate(places):
        if n == 0 or places[n - 1] != place - 1:
            first = place
        if n + 1 == len(places) or places[n + 1] != place + 1:
            yield first, place


def _displaced(part: Clause, run: tuple[int, int], ground: Clause, known: frozenset[str]) -> bool:
    """Whether words the claim does not have stand in the ground where the claim has this run of words."""
    text = part.text
    number = all(text.value_at(i) is not None for i in range(run[0], run[1] + 1))
    for start, step in ((run[0], -1), (run[1], 1)):
        beside = _next(part, start, step)
        if beside is None:
            continue
        for place in range(ground.low, ground.high):
            if ground.text.stems[place] != text.stems[beside]:
                continue
            other = _next(ground, place, -step)
            claimed = text.value_at(start) if number else None
            if (
                other is not None
                and ground.text.content[other]
                and _rivals(ground.text, other, claimed, known)
            ):
                return True
    return False


def _rivals(there: Text, other: int, claimed: float | None, known: frozenset[str]) -> bool:
    """Whether a word of the ground is another than the claim's, and of its kind: a number or no number."""
    if any(alike(there.stems[other], stem) for stem in known):
        return False
    found = there.value_at(other)
    return (found is None) == (claimed is None) and (found is None or found != claimed)


def _next(clause: Clause, place: int, step: int) -> int | None:
    """The next token that is no determiner, in the clause."""
    place += step
    while clause.low <= place < clause.high and clause.text.words[place] in DETERMINERS:
        place += step
    return place if clause.low <= place < clause.high else None


def _exchanged(part: Clause, ground: Clause) -> bool:
    """Whether doer and object have changed places around a shared word."""
    shared = {part.text.stems[i] for i in part.content} & frozenset(ground.stems)
    for i in part.content:
        pivot = part.text.stems[i]
        places = [j for j in ground.content if ground.text.stems[j] == pivot]
        if len(places) != 1 or pivot in _MUTUAL or part.text.names[i]:
            continue
        left, right = _roles(part, i, shared)
        there = [ground.text.stems[j] for j in ground.content]
        at = there.index(pivot)
        far_left, far_right = frozenset(there[:at]), frozenset(there[at + 1 :])
        crossed = bool((left & far_right) - far_left) and bool((right & far_left) - far_right)
        straight = bool((left & far_left) - far_right) and bool((right & far_right) - far_left)
        if straight if _passive(part, i) != _passive(ground, places[0]) else crossed:
            return True
    return False


def _roles(part: Clause, pivot: int, shared: set[str]) -> tuple[set[str], set[str]]:
    """Shared names before and after a place of the claim, and its neighbours among the shared words."""
    text = part.text
    left = [i for i in part.content if i < pivot and text.stems[i] in shared]
    right = [i for i in part.content if i > pivot and text.stems[i] in shared]
    named = {i for i in (*left, *right) if text.names[i]}
    return (
        {text.stems[i] for i in left if i in named or i == left[-1]},
        {text.stems[i] for i in right if i in named or i == right[0]},
    )


def _passive(clause: Clause, verb: int) -> bool:
    words = clause.text.words
    before = words[max(clause.low, verb - 2) : verb]
    return not _BE.isdisjoint(before) and "by" in words[verb + 1 : min(verb + 3, clause.high)]
