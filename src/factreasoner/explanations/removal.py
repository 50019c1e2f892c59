"""What atoms' posteriors would be without given contexts, by the cheapest way that gives the same numbers.

`ManyAtOnce` propagates many sets of contexts together through the junction tree of a narrow part. In a wide
one, `OneAtATime` goes by way of the atoms for all single contexts at once, where it can; through a
calibrated junction tree; or through the configured solver.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from factreasoner.explanations.absorption import AbsorptionTree
from factreasoner.explanations.junction import VariantTree
from factreasoner.explanations.parts import Part, induced
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Marginals
from factreasoner.protocols import Solver
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.memory import bytes_needed, memory_budget

NARROW_ENTRIES = 1 << 17
"""Table entries of one solution up to which all contexts together take about as long as a few solutions."""

SEARCH_ENTRIES = 1 << 26
"""Table entries that a search over sets of contexts may compute in one part: a few seconds."""

FEWEST_SETS = 32
"""Sets that may be tried in a part however large its tables are."""

SMALLEST_CHANCE = 1e-6
"""A context at least this probably false can be conditioned on being false without loss of precision."""


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

    def whole(self) -> Table | None:
        """Log-odds of the atoms with nothing taken out; None where only the solver could tell."""
        ...

    def one_by_one(self) -> Table:
        """Log-odds of the atoms without each candidate in turn, shape (candidates, atoms)."""
        ...

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """Log-odds of the atoms without each set of contexts, shape (sets, atoms)."""
        ...


def removals(part: Part, base: Marginals, solver: Solver) -> Removals:
    """The cheapest way for a part of a network whose posteriors are `base`, as the solver found them.

    Sampled posteriors are compared to posteriors by the same solver, exact ones to exact ones.
    """
    plan = eliminate(part.graph.cardinalities, [factor.scope for factor in part.graph.factors])
    one_at_a_time = OneAtATime(part, base, solver, plan)
    if base.exact and plan.total <= NARROW_ENTRIES:
        return ManyAtOnce(part, plan, one_at_a_time)
    return one_at_a_time


class ManyAtOnce:
    """All sets through one junction tree; one at a time where plain numbers do not reach."""

    def __init__(self, part: Part, plan: Elimination, otherwise: OneAtATime) -> None:
        self.candidates = part.contexts
        self.affordable = SEARCH_ENTRIES // plan.total
        self.at_once = self.affordable
        self._tree = VariantTree(part.graph, plan, part.atoms)
        self._otherwise = otherwise

    @property
    def solves(self) -> int:
        """See Removals."""
        return self._otherwise.solves

    @property
    def exact(self) -> bool:
        """See Removals."""
        return self._otherwise.exact

    @property
    def stderr(self) -> float | None:
        """See Removals."""
        return self._otherwise.stderr

    def whole(self) -> Table | None:
        """See Removals."""
        try:
            return np.asarray(self._tree.log_odds([()])[0])
        except FloatingPointError:
            return self._otherwise.whole()

    def one_by_one(self) -> Table:
        """See Removals."""
        return self.log_odds([(c,) for c in self.candidates])

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See Removals."""
        try:
            return self._tree.log_odds(sets)
        except FloatingPointError:
            return self._otherwise.log_odds(sets)


class OneAtATime:
    """Sets one by one, each once. `exact` and `stderr` are of the worst result of the solver."""

    def __init__(self, part: Part, base: Marginals, solver: Solver, plan: Elimination) -> None:
        self.candidates = part.contexts if base.exact else part.beside(part.atoms)
        self.affordable = max(FEWEST_SETS, SEARCH_ENTRIES // plan.total if base.exact else 0)
        self.at_once = 1
        self.solves = 0
        self.exact = base.exact
        self.stderr = base.stderr
        self._part = part
        self._base = base
        self._solver = solver
        self._plan = plan if base.exact and 2 * bytes_needed(plan) <= memory_budget() else None
        self._tree: AbsorptionTree | None = None
        self._known: dict[frozenset[int], Table] = {}

    def whole(self) -> Table | None:
        """See Removals."""
        return self._by_absorption(frozenset())

    def one_by_one(self) -> Table:
        """See Removals."""
        through_atoms = self._through_atoms()
        if through_atoms:
            rows = self._by_atoms(through_atoms)
            self._known.update((frozenset((c,)), row) for c, row in zip(through_atoms, rows, strict=True))
        return self.log_odds([(c,) for c in self.candidates])

    def log_odds(self, sets: Sequence[Collection[int]]) -> Table:
        """See Removals."""
        for gone in map(frozenset, sets):
            if gone not in self._known:
                self._known[gone] = self._without(gone)
        rows = [self._known[frozenset(gone)] for gone in sets]
        return np.array(rows).reshape(len(sets), len(self._part.atoms))

    def _through_atoms(self) -> tuple[int, ...]:
        """The contexts that one call an atom can take out, if that is fewer: those silent when false.

        To take such a context out is to condition on its being false. That is done by Bayes' rule, which
        multiplies errors, so it needs results to a double's precision.
        """
        if not self._base.exact or "precision" in self._base.diagnostics:
            return ()
        names = self._part.graph.names
        fitting = tuple(
            c
            for c in self.candidates
            if self._base.probabilities[names[c]][0] >= SMALLEST_CHANCE and silent(self._part.graph, c)
        )
        return fitting if len(self._part.atoms) < len(fitting) else ()

    def _by_atoms(self, contexts: Sequence[int]) -> Table:
        """P(a | c false) = P(c false | a) P(a) / P(c false), for all contexts by one call an atom."""
        graph, names = self._part.graph, self._part.graph.names

        def false(marginals: Marginals) -> Table:
            return np.array([marginals.probabilities[names[c]][0] for c in contexts])

        columns = []
        for atom in self._part.atoms:
            p = self._base.probabilities[names[atom]]
            state = int(p[1] > p[0])
            given = self._solved(replace(graph, evidence={atom: state}))
            p_state = np.minimum(p[state] * false(given) / false(self._base), 1.0)
            with np.errstate(divide="ignore"):
                odds_of_state = np.log(p_state) - np.log1p(-p_state)
            columns.append(odds_of_state if state else -odds_of_state)
        return np.stack(columns, axis=1)

    def _without(self, gone: frozenset[int]) -> Table:
        found = self._by_absorption(gone)
        if found is not None:
            return found
        graph = self._part.graph
        given = self._solved(induced(graph, [i for i in range(len(graph.names)) if i not in gone]))
        return log_odds(given, [graph.names[i] for i in self._part.atoms])

    def _by_absorption(self, gone: frozenset[int]) -> Table | None:
        if self._plan is None:
            return None
        try:
            self._tree = self._tree or AbsorptionTree(self._part.graph, self._plan, self._part.atoms)
            return self._tree.log_odds(gone)
        except FloatingPointError:
            self._plan = None
            return None

    def _solved(self, graph: FactorGraph) -> Marginals:
        self.solves += 1
        given = self._solver.marginals(graph)
        self.exact = self.exact and given.exact
        if given.stderr is not None:
            self.stderr = max(given.stderr, self.stderr or 0.0)
        return given


def silent(graph: FactorGraph, variable: int) -> bool:
    """Whether a variable that is false says nothing about any other: its tables are then constant."""
    rows = [
        factor.table.take(0, axis=factor.scope.index(variable))
        for factor in graph.factors
        if variable in factor.scope and len(factor.scope) > 1
    ]
    return all(np.ptp(row) == 0.0 for row in rows)


def log_odds(marginals: Marginals, names: Sequence[str]) -> Table:
    """ln P(true) - ln P(false) of the variables `names`."""
    p = np.array([marginals.probabilities[name] for name in names]).reshape(len(names), 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p[:, 1]) - np.log(p[:, 0]))
