"""What atoms' posteriors would be without given contexts, by the cheapest way that gives the same numbers.

`ManyAtOnce` propagates many sets of contexts together through the junction tree of a narrow part. In a wide
one, or where posteriors are sampled or priors come of contexts, `BySolver` asks the configured solver, as
long as there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np

from factreasoner.explanations.parts import Part
from factreasoner.explanations.scale import log_odds
from factreasoner.explanations.solver_removal import BySolver
from factreasoner.models import Marginals
from factreasoner.models.factor_graph import Table
from factreasoner.protocols import Solver
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import JunctionTree
from factreasoner.solvers.log_factors import LogFactor, merged

NARROW_ENTRIES = 1 << 17
"""Table entries of one solution up to which all contexts together take about as long as a few solutions."""

SEARCH_ENTRIES = 1 << 26
"""Table entries that a search over sets of contexts may compute in one part: a few seconds."""

CHUNK_ENTRIES = 1 << 22
"""Table entries of all cliques and variants that are worked on together: 32 MiB."""

SAME = 1e-9
"""Posteriors this close to exact ones are exact, whatever other parts of the network are."""


class Removals(Protocol):
    """Posteriors of one part's atoms when contexts are taken out of it.

    `candidates` are the contexts worth trying, `affordable` is how many sets of them a search may try, and
    `at_once` how many of them cost little more than one.
    """

    candidates: tuple[int, ...]
    affordable: int
    at_once: int

    @property
    def solves(self) -> int:
        """How often the solver was called."""
        ...

    @property
    def exact(self) -> bool:
        """Whether all posteriors so far are exact."""
        ...

    @property
    def stderr(self) -> float | None:
        """The largest standard error of any posterior so far."""
        ...

    @property
    def untold(self) -> str:
        """Why something could not be found out; empty where nothing was left undone."""
        ...

    def whole(self) -> Table | None:
        """Log-odds of the atoms with nothing taken out; None where only the solver could tell."""
        ...

    def one_by_one(self) -> Table:
        """Log-odds of the atoms without each candidate in turn, shape (candidates, atoms).

        What can't be told is no candidate any more afterwards.
        """
        ...

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """Log-odds of the atoms without each set of contexts, shape (sets, atoms).

        Raises:
            OutOfTimeError: not all of them could be told.
        """
        ...


def removals(part: Part, base: Marginals, solver: Callable[[float], Solver], *, deadline: float) -> Removals:
    """The cheapest way for a part of a network whose posteriors are `base`, as the solver found them.

    Sampled posteriors are compared to posteriors by the same solver, exact ones to exact ones. `solver`
    makes one that takes about so many seconds; none is asked after `deadline`, a time of time.monotonic().
    """
    plan = eliminate(part.graph.cardinalities, [factor.scope for factor in part.graph.factors])
    if part.priors:
        return BySolver(part, base, solver, deadline=deadline)
    if plan.total <= NARROW_ENTRIES:
        many = ManyAtOnce(part, plan)
        # A network may be sampled in its wide parts alone.
        if base.exact or _equal(many.whole(), log_odds(base, [part.graph.names[i] for i in part.atoms])):
            return many
    return BySolver(part, base, solver, deadline=deadline)


def _equal(one: Table, other: Table) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.allclose(1.0 / (1.0 + np.exp(-one)), 1.0 / (1.0 + np.exp(-other)), rtol=0, atol=SAME))


class ManyAtOnce:
    """All sets through one junction tree, as variants of it: exact, and without the solver."""

    exact = True
    stderr = None
    solves = 0
    untold = ""

    def __init__(self, part: Part, plan: Elimination) -> None:
        self.candidates = part.contexts
        self.affordable = SEARCH_ENTRIES // plan.total
        self.at_once = self.affordable
        self._variables = len(part.graph.names)
        self._atoms = part.atoms
        factors = merged(LogFactor.of(factor) for factor in part.graph.factors)
        self._tree = JunctionTree(part.graph.cardinalities, factors, plan.order)
        self._chunk = max(1, CHUNK_ENTRIES // plan.total)

    def whole(self) -> Table:
        """See `Removals`."""
        return np.asarray(self.log_odds([()])[0])

    def one_by_one(self) -> Table:
        """See `Removals`."""
        return self.log_odds([(c,) for c in self.candidates])

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See `Removals`. Raises SolverError where a variant allows no joint state."""
        chunks = (sets[start : start + self._chunk] for start in range(0, len(sets), self._chunk))
        return np.concatenate([np.empty((0, len(self._atoms))), *map(self._solved, chunks)])

    def _solved(self, sets: Sequence[Collection[int]]) -> Table:
        lacks = np.zeros((self._variables, len(sets)), dtype=bool)
        for variant, gone in enumerate(sets):
            lacks[list(gone), variant] = True
        calibrated = self._tree.calibrated(lacks)
        logs = np.stack([calibrated.logs(i) for i in self._atoms], axis=1)
        return np.asarray(logs[1] - logs[0]).T
