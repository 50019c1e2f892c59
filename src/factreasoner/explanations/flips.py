"""The smallest set of contexts without which an atom has another label.

All sets are tried, small ones first, as far as that is affordable: it takes up to one posterior a set. For
an atom that none of them flips, the contexts that hold it most are then taken out one after another.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.errors import OutOfTimeError
from factreasoner.explanations.removal import Removals
from factreasoner.models.factor_graph import Table

LARGEST_SIZE = 3
"""All sets of up to this many contexts are tried, unless another size is given."""


class Flip(NamedTuple):
    """Contexts without which the label changes, the log-odds then, and whether no fewer can do it."""

    contexts: tuple[int, ...]
    log_odds: float
    smallest: bool


class FlipSearch:
    """The search in one part: `found` by atom, and the size up to which all sets were tried for the others.

    `alone` are the atoms' log-odds without each candidate in turn; `sides` the signs of P(true) - 1/2 with
    all contexts; `changes(atom, log_odds, gone)` whether the label is another with these log-odds and without
    the contexts `gone`. In an `additive` part the contexts with the largest effects are the smallest set.
    """

    def __init__(
        self,
        ways: Removals,
        alone: Table,
        sides: Table,
        changes: Callable[[int, float, Collection[int]], bool],
        *,
        additive: bool,
    ) -> None:
        self.found: dict[int, Flip] = {}
        self.searched = 0
        self._ways, self._alone, self._sides, self._changes = ways, alone, sides, changes
        self._additive = additive
        self._left = ways.affordable

    def search(self, atoms: Sequence[int], largest: int) -> FlipSearch:
        """Try all sets of up to `largest` contexts, then larger ones by their members' single effects."""
        # What was found before the time was over stands.
        with contextlib.suppress(OutOfTimeError):
            self._try_all(atoms, min(largest, 1) if self._additive else largest)
            for atom in atoms:
                if largest and atom not in self.found:
                    self._descend(atom)
        return self

    def _try_all(self, atoms: Sequence[int], largest: int) -> None:
        candidates = self._ways.candidates
        for size in range(1, min(largest, len(candidates)) + 1):
            missing = [atom for atom in atoms if atom not in self.found]
            count = math.comb(len(candidates), size)
            if size > 1 and not 0 < len(missing) * len(candidates) <= self._left - count:
                break
            sets = list(itertools.combinations(candidates, size))
            rows = self._alone if size == 1 else self._tried(sets)
            for atom in missing:
                if flip := self._best(atom, sets, rows):
                    self.found[atom] = flip
            self.searched = size

    def _tried(self, sets: Sequence[Collection[int]]) -> Table:
        self._left -= len(sets)
        return self._ways.log_odds(sets)

    def _order(self, atom: int, rows: Table) -> npt.NDArray[np.int_]:
        """The rows by how far they move the atom off its side."""
        side, column = self._sides[atom], rows[:, atom]
        return np.argsort(side * column if side else -np.abs(column), kind="stable")

    def _best(self, atom: int, sets: Sequence[tuple[int, ...]], rows: Table) -> Flip | None:
        """Of the sets that change the atom's label the one that goes furthest."""
        for row in self._order(atom, rows):
            if self._changes(atom, rows[row, atom], sets[row]):
                smallest = self._additive or len(sets[row]) <= self.searched + 1
                return Flip(sets[row], float(rows[row, atom]), smallest)
        return None

    def _descend(self, atom: int) -> None:
        """Take out the contexts that move it off its side most, one by one."""
        ranked = [self._ways.candidates[row] for row in self._order(atom, self._alone)]
        sizes = iter(range(self.searched + 1, len(ranked) + 1))
        while step := list(itertools.islice(sizes, min(self._ways.at_once, self._left))):
            sets = [tuple(ranked[:size]) for size in step]
            for gone, row in zip(sets, self._tried(sets), strict=True):
                if flip := self._best(atom, [gone], row[None]):
                    self.found[atom] = self._pared(atom, flip)
                    return
        if self._additive and next(sizes, None) is None:
            self.searched = len(ranked)

    def _pared(self, atom: int, flip: Flip) -> Flip:
        """Put contexts back one at a time while the label stays changed."""
        while not flip.smallest and len(flip.contexts) <= self._left:
            fewer = list(itertools.combinations(flip.contexts, len(flip.contexts) - 1))
            if (less := self._best(atom, fewer, self._tried(fewer))) is None:
                break
            flip = less
        return flip
