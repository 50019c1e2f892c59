"""The smallest set of contexts without which an atom's label is another one.

Finding it takes up to one posterior a set, so the search is bounded: single contexts; then, for each atom,
the contexts whose loss hurts the label most, one after another; then all sets of two, three, ... contexts
as long as that is affordable. What was found says whether it is known to be smallest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.explanations.removal import Removals
from factreasoner.graph.factor_graph import Table
from factreasoner.models import UNDECIDED_TOLERANCE

LARGEST_SIZE = 3
"""Sets of up to this many contexts are tried, all of them, unless told otherwise."""

_SETS_AT_ONCE = 1 << 12


class Flip(NamedTuple):
    """Contexts without which the label changes, the log-odds then, and whether no fewer can do it."""

    contexts: tuple[int, ...]
    log_odds: float
    smallest: bool


class Flips(NamedTuple):
    """What was found for each atom; every set of up to `searched[atom]` contexts was tried."""

    found: tuple[Flip | None, ...]
    searched: tuple[int, ...]


def probability(log_odds: npt.ArrayLike) -> Table:
    """P(true) of log-odds."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.asarray(log_odds) / 2.0))


class FlipSearch:
    """The search in one part. `base` are the atoms' log-odds, `alone` those without each candidate in turn.

    `additive` parts need no search: the contexts that hurt most are the smallest set. Posteriors within
    `margin` of one half, for sampled ones, count as no change.
    """

    def __init__(
        self, removals: Removals, base: Table, alone: Table, *, additive: bool, margin: float = 0.0
    ) -> None:
        self._removals = removals
        self._labels = _labels(base)
        self._alone = alone
        self._additive = additive
        self._margin = margin
        self._left = removals.affordable
        self._found: list[Flip | None] = [None] * len(base)

    def search(self, largest: int = LARGEST_SIZE) -> Flips:
        """Try all sets of up to `largest` contexts, and larger ones by their members' single effects."""
        candidates = self._removals.candidates
        self._keep([(c,) for c in candidates], self._alone, range(len(self._found)))
        complete = {atom for atom, flip in enumerate(self._found) if flip is None and self._descend(atom)}
        searched = 1
        while searched < min(largest, len(candidates)):
            size = searched + 1
            open_atoms = [
                atom
                for atom, flip in enumerate(self._found)
                if atom not in complete
                and (flip is None or (not flip.smallest and len(flip.contexts) > size))
            ]
            if not open_atoms or math.comb(len(candidates), size) > self._left:
                break
            for sets in _chunks(itertools.combinations(candidates, size)):
                self._keep(sets, self._tried(sets), open_atoms)
            searched = size
        return Flips(
            tuple(
                flip and flip._replace(smallest=flip.smallest or len(flip.contexts) <= searched + 1)
                for flip in self._found
            ),
            tuple(len(candidates) if atom in complete else searched for atom in range(len(self._found))),
        )

    def _tried(self, sets: Sequence[Collection[int]]) -> Table:
        self._left -= len(sets)
        return self._removals.log_odds(sets)

    def _keep(self, sets: Sequence[tuple[int, ...]], rows: Table, atoms: Collection[int]) -> None:
        """Keep, for each of `atoms`, the best of `sets` that changes its label, if none better is kept."""
        for atom in atoms:
            row = self._best(rows[:, atom], atom)
            if row is None:
                continue
            flip = Flip(sets[row], float(rows[row, atom]), False)
            known = self._found[atom]
            if known is None or _rank(flip, self._labels[atom]) < _rank(known, self._labels[atom]):
                self._found[atom] = flip

    def _best(self, column: Table, atom: int) -> int | None:
        """The row that changes the atom's label, and goes furthest; None where none does."""
        label = self._labels[atom]
        distance = np.abs(probability(column) - 0.5)
        sure = (distance > self._margin) | (distance <= UNDECIDED_TOLERANCE)
        changed = np.flatnonzero((_labels(column) != label) & sure)
        if not len(changed):
            return None
        away = np.abs(column) if label == 0 else -label * column
        return int(changed[away[changed].argmax()])

    def _descend(self, atom: int) -> bool:
        """Take out what hurts the label most, next, next; True when nothing at all can change the label."""
        label = self._labels[atom]
        if label == 0:
            return False
        order = np.argsort(label * self._alone[:, atom], kind="stable")
        ranked = [self._removals.candidates[row] for row in order]
        sizes = iter(range(2, len(ranked) + 1))
        while step := list(itertools.islice(sizes, min(self._removals.at_once, self._left))):
            rows = self._tried([ranked[:size] for size in step])
            for size, row in zip(step, rows, strict=True):
                if self._best(row[None, atom], atom) is not None:
                    gone = tuple(ranked[:size])
                    self._found[atom] = (
                        Flip(gone, float(row[atom]), True)
                        if self._additive
                        else self._pared(Flip(gone, float(row[atom]), False), atom)
                    )
                    return False
        return self._additive and next(sizes, None) is None

    def _pared(self, flip: Flip, atom: int) -> Flip:
        """Put contexts back one at a time while the label stays changed."""
        while 2 < len(flip.contexts) <= self._left:
            fewer = list(itertools.combinations(flip.contexts, len(flip.contexts) - 1))
            column = self._tried(fewer)[:, atom]
            row = self._best(column, atom)
            if row is None:
                break
            flip = Flip(fewer[row], float(column[row]), False)
        return flip


def _labels(log_odds: Table) -> npt.NDArray[np.int_]:
    """1 for supported, -1 for contradicted, 0 for undecided."""
    distance = np.abs(probability(log_odds) - 0.5)
    return np.where(distance <= UNDECIDED_TOLERANCE, 0, np.sign(log_odds)).astype(int)


def _rank(flip: Flip, label: int) -> tuple[int, float]:
    return len(flip.contexts), label * flip.log_odds if label else -abs(flip.log_odds)


def _chunks(sets: Iterator[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    while chunk := list(itertools.islice(sets, _SETS_AT_ONCE)):
        yield chunk
