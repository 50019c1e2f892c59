"""What atoms' posteriors would be without given contexts, by the cheapest way that gives the same numbers.

`ManyAtOnce` propagates many sets of contexts together through the junction tree of a narrow part. In a wide
one, `ByAbsorption` takes sets out of one calibrated junction tree; where that does not fit into memory,
posteriors are sampled, or priors come of contexts, `BySolver` asks the configured solver, as long as there is
time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np

from factreasoner.explanations.absorption import AbsorptionTree
from factreasoner.explanations.parts import Part
from factreasoner.explanations.scale import log_odds
from factreasoner.explanations.solver_removal import FEWEST_SETS, BySolver
from factreasoner.explanations.variants import VariantTree
from factreasoner.graph.factor_graph import Table
from factreasoner.models import Marginals
from factreasoner.protocols import Solver
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.memory import bytes_needed, memory_budget

NARROW_ENTRIES = 1 << 17
"""Table entries of one solution up to which all contexts together take about as long as a few solutions."""

SEARCH_ENTRIES = 1 << 26
"""Table entries that a search over sets of contexts may compute in one part: a few seconds."""

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
    if base.exact and 2 * bytes_needed(plan) <= memory_budget():
        return ByAbsorption(part, plan)
    return BySolver(part, base, solver, deadline=deadline)


def _equal(one: Table, other: Table) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.allclose(1.0 / (1.0 + np.exp(-one)), 1.0 / (1.0 + np.exp(-other)), rtol=0, atol=SAME))


class _Exact:
    """Sets through a junction tree: all is told, without error and without the solver."""

    exact = True
    stderr = None
    solves = 0
    untold = ""
    candidates: tuple[int, ...]

    def one_by_one(self) -> Table:
        """See `Removals`."""
        return self.log_odds([(c,) for c in self.candidates])

    @abstractmethod
    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See `Removals`."""


class ManyAtOnce(_Exact):
    """All sets through one junction tree."""

    def __init__(self, part: Part, plan: Elimination) -> None:
        self.candidates = part.contexts
        self.affordable = SEARCH_ENTRIES // plan.total
        self.at_once = self.affordable
        self._tree = VariantTree(part.graph, plan, part.atoms)

    def whole(self) -> Table:
        """See `Removals`."""
        return np.asarray(self._tree.log_odds([()])[0])

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See `Removals`."""
        return self._tree.log_odds(sets)


class ByAbsorption(_Exact):
    """Sets one by one out of one calibrated junction tree, each once."""

    def __init__(self, part: Part, plan: Elimination) -> None:
        self.candidates = part.contexts
        self.affordable = max(FEWEST_SETS, SEARCH_ENTRIES // plan.total)
        self.at_once = 1
        self._atoms = len(part.atoms)
        self._tree = AbsorptionTree(part.graph, plan, part.atoms)
        self._known: dict[frozenset[int], Table] = {}

    def whole(self) -> Table:
        """See `Removals`."""
        return self._tree.log_odds(frozenset())

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See `Removals`."""
        for gone in map(frozenset, sets):
            if gone not in self._known:
                self._known[gone] = self._tree.log_odds(gone)
        rows = [self._known[frozenset(gone)] for gone in sets]
        return np.array(rows).reshape(len(sets), self._atoms)
