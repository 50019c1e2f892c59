"""Atoms' posteriors without each context, computed in the cheapest equivalent way.

`JunctionTreeRemoval` propagates all variants together through the junction tree of a narrow part. For a wide
part, or sampled posteriors, `SolverRemoval` runs the configured solver while there is time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.errors import OutOfTimeError
from factreasoner.explanations.components import NetworkPart, subgraph
from factreasoner.models import Marginals
from factreasoner.models.graph import FactorGraph, Table
from factreasoner.protocols import Solver
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import JunctionTree
from factreasoner.solvers.reduction import LogFactor, merged

NARROW_ENTRIES = 1 << 17
"""Table entries of one solution up to which all contexts together cost only a few solutions."""

CHUNK_ENTRIES = 1 << 22
"""Table entries of all cliques and variants processed together: 32 MiB."""

SAME = 1e-9
"""Posteriors this close to exact ones are exact."""


def log_odds(marginals: Marginals, names: Sequence[str]) -> Table:
    """ln P(true) - ln P(false) of the variables `names`."""
    p = np.array([marginals.probabilities[name] for name in names]).reshape(len(names), 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p[:, 1]) - np.log(p[:, 0]))


def probability(log_odds: npt.ArrayLike) -> Table:
    """P(true) of log-odds."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.asarray(log_odds) / 2.0))


class JunctionTreeRemoval:
    """All contexts through one junction tree, exact and without the solver.

    `candidates` are the contexts to try. `exact` and `stderr` describe the worst posterior so far, and
    `not_computed` says why something could not be computed.
    """

    exact = True
    stderr: float | None = None
    not_computed = ""

    def __init__(self, part: NetworkPart, plan: Elimination) -> None:
        self.candidates = part.contexts
        self._variables = len(part.graph.names)
        self._atoms = part.atoms
        factors = merged(LogFactor.of(factor) for factor in part.graph.factors)
        self._tree = JunctionTree(part.graph.cardinalities, factors, plan.order)
        self._chunk = max(1, CHUNK_ENTRIES // plan.total)

    def whole(self) -> Table:
        """Log-odds of the atoms with all contexts."""
        return np.asarray(self._solved([None])[0])

    def one_by_one(self) -> Table:
        """Log-odds of the atoms without each candidate, shape (candidates, atoms).

        A context that can't be computed is removed from the candidates.

        Raises SolverError: a variant allows no joint state.
        """
        starts = range(0, len(self.candidates), self._chunk)
        chunks = (self.candidates[start : start + self._chunk] for start in starts)
        return np.concatenate([np.empty((0, len(self._atoms))), *map(self._solved, chunks)])

    def _solved(self, gone: Sequence[int | None]) -> Table:
        """Log-odds of the atoms in variants without one context each, or with all."""
        lacks = np.zeros((self._variables, len(gone)), dtype=bool)
        for variant, context in enumerate(gone):
            if context is not None:
                lacks[context, variant] = True
        calibrated = self._tree.calibrated(lacks)
        logs = np.stack([calibrated.logs(i) for i in self._atoms], axis=1)
        return np.asarray(logs[1] - logs[0]).T


class SolverRemoval:
    """Contexts one by one through the solver; interface as `JunctionTreeRemoval`.

    Stops if the base or a result has not converged: its differences would be random.
    """

    def __init__(
        self, part: NetworkPart, base: Marginals, solver: Callable[[float], Solver], *, deadline: float
    ) -> None:
        self.candidates = part.contexts if base.exact else part.beside(part.atoms)
        self.exact = base.exact
        self.stderr = base.stderr
        self.not_computed = ""
        self._part = part
        self._base = base
        self._solver = solver
        self._deadline = deadline
        self._known: dict[int, Table] = {}
        if base.converged is False:
            self._give_up("the posteriors did not converge, so the effect of a context is unknown")

    def whole(self) -> None:
        """See `JunctionTreeRemoval`; here only the solver could tell."""

    def one_by_one(self) -> Table:
        """See `JunctionTreeRemoval`."""
        try:
            for context in self.candidates:
                self._known[context] = self._without(context)
        except OutOfTimeError as error:
            self._give_up(str(error))
        rows = [self._known[context] for context in self.candidates]
        return np.array(rows).reshape(len(rows), len(self._part.atoms))

    def _give_up(self, why: str) -> None:
        self.not_computed = why
        self.candidates = tuple(c for c in self.candidates if c in self._known)

    def _without(self, context: int) -> Table:
        graph, atoms = self._part.graph, self._part.atoms
        rest = subgraph(graph, [i for i in range(len(graph.names)) if i != context])
        return log_odds(self._solved(rest), [graph.names[i] for i in atoms])

    def _solved(self, graph: FactorGraph) -> Marginals:
        """The solver's answer, in at most half of the time left."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0.0:
            raise OutOfTimeError("the time is up; raise solver_seconds to see the effect of more contexts")
        given = self._solver(seconds / 2.0).marginals(graph)
        if given.converged is False:
            raise OutOfTimeError(
                "the posteriors without a context did not converge in the time left; raise solver_seconds"
            )
        self.exact = self.exact and given.exact
        if given.stderr is not None:
            self.stderr = max(given.stderr, self.stderr or 0.0)
        return given


Removals: TypeAlias = JunctionTreeRemoval | SolverRemoval


def removals(
    part: NetworkPart, base: Marginals, solver: Callable[[float], Solver], *, deadline: float
) -> Removals:
    """The cheapest method for a part with the solver's posteriors `base`.

    Sampled posteriors are compared with sampled ones of the same solver, exact ones with exact ones. `solver`
    makes a solver with a time limit; none is used after `deadline`, a time of time.monotonic().
    """
    plan = eliminate(part.graph.cardinalities, [factor.scope for factor in part.graph.factors])
    if plan.total > NARROW_ENTRIES:
        return SolverRemoval(part, base, solver, deadline=deadline)
    many = JunctionTreeRemoval(part, plan)
    # A network may be sampled in its wide parts alone.
    known = probability(log_odds(base, [part.graph.names[i] for i in part.atoms]))
    if base.exact or np.allclose(probability(many.whole()), known, rtol=0, atol=SAME):
        return many
    return SolverRemoval(part, base, solver, deadline=deadline)
