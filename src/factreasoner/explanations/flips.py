"""The smallest set of contexts without which an atom has another label.

Finding it takes up to one posterior a set, so the search is bounded: single contexts; then, for each atom,
the contexts whose loss moves P(true) off its side of one half most, one after another; then all sets of two,
three, ... contexts as long as that is affordable. What was found says whether it is known to be smallest.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.calibration.calibrators import Calibrator, calibrated
from factreasoner.errors import OutOfTimeError
from factreasoner.explanations.parts import SAYS_NOTHING, Part
from factreasoner.explanations.removal import Removals, probability
from factreasoner.models import HALF_TOLERANCE, Relation
from factreasoner.models.factor_graph import Table
from factreasoner.models.graph import STANDARD_ERRORS as IN_DOUBT

LARGEST_SIZE = 3
"""All sets of up to this many contexts are tried, unless another size is given."""

STANDARD_ERRORS = 4.0
"""A sampled change below this many standard errors is none."""

_SETS_AT_ONCE = 1 << 12

Sides: TypeAlias = npt.NDArray[np.int_]


class Scale(NamedTuple):
    """Probabilities and sides of one half, through the calibrator of posteriors if there is one."""

    calibrator: Calibrator | None = None

    def probability(self, log_odds: Table) -> Table:
        """P(true) at these log-odds of a posterior, calibrated where the run is."""
        return calibrated(self.calibrator, probability(log_odds))

    def sides(self, log_odds: Table) -> Sides:
        """1 where P(true) is above one half, -1 below, 0 at it."""
        return _sides(self.probability(log_odds))

    def clear(self, log_odds: Table, margin: float) -> npt.NDArray[np.bool_]:
        """Whether the side stays the same if the solver's probability is off by `margin`."""
        p = probability(log_odds)
        low, high = (_sides(calibrated(self.calibrator, p + off)) for off in (-margin, margin))
        return np.equal(low, high)

    def beyond(self, log_odds: Table, side: int) -> Table:
        """How far log-odds are beyond `side`."""
        return -side * log_odds if side else np.abs(self.probability(log_odds) - 0.5)


def _sides(p: Table) -> Sides:
    return np.where(np.abs(p - 0.5) <= HALF_TOLERANCE, 0, np.where(p > 0.5, 1, -1))


class Labels:
    """Labels by log-odds and by the evidence that is left, as `label_of` gives them; each is a number.

    `supporting` and `contradicting` say which variables of the part do so to each atom, shape (atoms,
    variables + 1): the last column is for contexts that can't be taken out. `stderr` is the standard error
    of the posteriors with all contexts.
    """

    def __init__(
        self,
        supporting: npt.NDArray[np.bool_],
        contradicting: npt.NDArray[np.bool_],
        *,
        scale: Scale | None = None,
        stderr: float | None = None,
    ) -> None:
        self.scale = scale or Scale()
        self.without_evidence = ~(supporting | contradicting).any(axis=1)
        self.two_faced = bool((supporting & contradicting).any())
        self._supporting, self._contradicting = supporting, contradicting
        self._doubt = IN_DOUBT * (stderr or 0.0)

    @classmethod
    def of(
        cls,
        part: Part,
        evidence: Mapping[str, Sequence[Relation]],
        *,
        scale: Scale | None = None,
        stderr: float | None = None,
    ) -> Labels:
        """Those of a part's atoms; `evidence` has each atom's relations with contexts."""
        place = {name: i for i, name in enumerate(part.graph.names)}
        supporting = np.zeros((len(part.atoms), len(place) + 1), dtype=bool)
        contradicting = np.zeros_like(supporting)
        for row, atom in enumerate(part.graph.names[i] for i in part.atoms):
            for relation in evidence[atom]:
                if relation.probability > SAYS_NOTHING:
                    other = relation.source if relation.target == atom else relation.target
                    kind = contradicting if relation.kind == "contradiction" else supporting
                    kind[row, place.get(other, -1)] = True
        return cls(supporting, contradicting, scale=scale, stderr=stderr)

    def now(self, log_odds: Table) -> Sides:
        """The atoms' labels with all contexts."""
        doubtful = np.abs(self.scale.probability(log_odds) - 0.5) <= self._doubt
        sides = np.where(doubtful, 0, self.scale.sides(log_odds))
        return np.array([self._of(sides[atom], atom, [()])[0][0] for atom in range(len(sides))])

    def column(
        self, log_odds: Table, atom: int, sets: Sequence[Collection[int]], margin: float
    ) -> tuple[Sides, npt.NDArray[np.bool_]]:
        """An atom's labels without each set, and whether an error of `margin` leaves each as it is."""
        sides = self.scale.sides(log_odds)
        labels, bare = self._of(sides, atom, sets)
        return labels, bare | (sides == 0) | self.scale.clear(log_odds, margin)

    def _of(
        self, sides: Sides, atom: int, sets: Sequence[Collection[int]]
    ) -> tuple[Sides, npt.NDArray[np.bool_]]:
        left = np.ones((len(sets), self._supporting.shape[1]), dtype=bool)
        for row, gone in enumerate(sets):
            left[row, list(gone)] = False
        pro = (left & self._supporting[atom]).any(axis=1)
        contra = (left & self._contradicting[atom]).any(axis=1)
        labels = np.select(
            [(sides > 0) & pro, (sides < 0) & contra, (sides == 0) & pro & contra], [1, -1, 2], 0
        )
        return labels, ~(pro | contra)


class Flip(NamedTuple):
    """Contexts without which the label changes, the log-odds then, and whether no fewer can do it."""

    contexts: tuple[int, ...]
    log_odds: float
    smallest: bool


class Flips(NamedTuple):
    """What was found for each atom; every set of up to `searched[atom]` contexts was tried."""

    found: tuple[Flip | None, ...]
    searched: tuple[int, ...]


class FlipSearch:
    """The search in one part. `base` are the atoms' log-odds, `alone` those without each candidate in turn.

    In `additive` parts the contexts with the largest effects are the smallest set, and nothing is searched,
    unless a context both supports and contradicts an atom.
    If the standard error of sampled posteriors leaves a label in doubt, it counts as unchanged.
    An atom without evidence is unverified whatever its P(true) is, and nothing is searched for it.
    """

    def __init__(
        self, removals: Removals, base: Table, alone: Table, *, additive: bool, labels: Labels
    ) -> None:
        self._removals = removals
        self._labels = labels
        self._scale = labels.scale
        self._now = labels.now(base)
        self._sides = self._scale.sides(base)
        self._alone = alone
        self._additive = additive and not labels.two_faced
        self._left = removals.affordable
        self._found: list[Flip | None] = [None] * len(base)
        self._complete = set(np.flatnonzero(labels.without_evidence).tolist())
        self._searched = 0

    def search(self, largest: int = LARGEST_SIZE) -> Flips:
        """Try all sets of up to `largest` contexts, and larger ones by their members' single effects."""
        candidates = self._removals.candidates
        self._searched = min(1, len(candidates))
        # What was found before the time was over stands.
        with contextlib.suppress(OutOfTimeError):
            self._search(candidates, largest)
        return Flips(
            tuple(
                flip and flip._replace(smallest=flip.smallest or len(flip.contexts) <= self._searched + 1)
                for flip in self._found
            ),
            tuple(
                len(candidates) if atom in self._complete else self._searched
                for atom in range(len(self._found))
            ),
        )

    def _search(self, candidates: Sequence[int], largest: int) -> None:
        self._keep([(c,) for c in candidates], self._alone, range(len(self._found)))
        for atom, flip in enumerate(self._found):
            if flip is None and atom not in self._complete and self._descend(atom):
                self._complete.add(atom)
        while self._searched < min(largest, len(candidates)):
            size = self._searched + 1
            open_atoms = [
                atom
                for atom, flip in enumerate(self._found)
                if atom not in self._complete
                and (flip is None or (not flip.smallest and len(flip.contexts) > size))
            ]
            if not open_atoms or math.comb(len(candidates), size) > self._left:
                break
            for sets in _chunks(itertools.combinations(candidates, size)):
                self._keep(sets, self._tried(sets), open_atoms)
            self._searched = size

    def _tried(self, sets: Sequence[Collection[int]]) -> Table:
        self._left -= len(sets)
        return self._removals.log_odds(sets)

    def _keep(self, sets: Sequence[tuple[int, ...]], rows: Table, atoms: Collection[int]) -> None:
        """Keep, for each of `atoms`, the best of `sets` that changes its label, if none better is kept."""
        for atom in atoms:
            row = self._best(rows[:, atom], atom, sets)
            if row is None:
                continue
            flip = Flip(sets[row], float(rows[row, atom]), False)
            known = self._found[atom]
            if known is None or self._rank(flip, atom) < self._rank(known, atom):
                self._found[atom] = flip

    def _best(self, column: Table, atom: int, sets: Sequence[Collection[int]]) -> int | None:
        """The row of the set that changes the atom's label, and goes furthest; None where none does."""
        margin = STANDARD_ERRORS * (self._removals.stderr or 0.0)
        labels, sure = self._labels.column(column, atom, sets, margin)
        changed = np.flatnonzero((labels != self._now[atom]) & sure)
        if not len(changed):
            return None
        return int(changed[self._scale.beyond(column[changed], self._sides[atom]).argmax()])

    def _descend(self, atom: int) -> bool:
        """Take out the contexts that move it off its side most, one by one; True if nothing flips it."""
        side = self._sides[atom]
        if side == 0:
            return False
        order = np.argsort(side * self._alone[:, atom], kind="stable")
        ranked = [self._removals.candidates[row] for row in order]
        sizes = iter(range(2, len(ranked) + 1))
        while step := list(itertools.islice(sizes, min(self._removals.at_once, self._left))):
            rows = self._tried([ranked[:size] for size in step])
            for size, row in zip(step, rows, strict=True):
                gone = tuple(ranked[:size])
                if self._best(row[None, atom], atom, [gone]) is not None:
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
            row = self._best(column, atom, fewer)
            if row is None:
                break
            flip = Flip(fewer[row], float(column[row]), False)
        return flip

    def _rank(self, flip: Flip, atom: int) -> tuple[int, float]:
        return len(flip.contexts), -float(self._scale.beyond(np.array(flip.log_odds), self._sides[atom]))


def _chunks(sets: Iterator[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    while chunk := list(itertools.islice(sets, _SETS_AT_ONCE)):
        yield chunk
