"""The clauses of a text, and whether a clause has other words where a claim has its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import DETERMINERS
from factreasoner.text.stems import alike


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
    def places(self) -> range:
        """The places of its tokens."""
        return range(self.low, self.high)

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


def runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours."""
    for n, place in enumerate(places):
        if n == 0 or places[n - 1] != place - 1:
            first = place
        if n + 1 == len(places) or places[n + 1] != place + 1:
            yield first, place


def displaced(part: Clause, run: tuple[int, int], ground: Clause, known: frozenset[str]) -> bool:
    """Whether words the claim does not have stand in the ground where the claim has this run of words."""
    text = part.text
    number = all(text.value_at(i) is not None for i in range(run[0], run[1] + 1))
    for start, step in ((run[0], -1), (run[1], 1)):
        beside = following(part, start, step)
        if beside is None:
            continue
        for place in range(ground.low, ground.high):
            if ground.text.stems[place] != text.stems[beside]:
                continue
            other = following(ground, place, -step)
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


def following(clause: Clause, place: int, step: int) -> int | None:
    """The next token that is no determiner, in the clause."""
    place += step
    while clause.low <= place < clause.high and clause.text.words[place] in DETERMINERS:
        place += step
    return place if clause.low <= place < clause.high else None
