"""Exact marginals by pgmpy's variable elimination, for users who want a second, independent opinion."""

from __future__ import annotations

import importlib.util
import time
import warnings
from typing import Any

from factreasoner.config import Config
from factreasoner.errors import MissingExtraError, SolverError
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Marginals
from factreasoner.registry import EXTRA_OF_MODULE
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.exact import fits, too_wide
from factreasoner.solvers.reduction import Component, alone, distribution, reduce


class PgmpySolver:
    """Variable elimination, one query a variable.

    pgmpy refuses disconnected networks and nodes without factors, so it is given one connected component
    at a time; its queries on Markov networks are not normalised, so that is done here. Its own
    elimination orders are not used: min-fill takes minutes where ours takes milliseconds, and "greedy"
    can allocate many times the tables that the width asks for. Every query eliminates anew, which takes
    minutes where a junction tree takes a second; `config.solver_seconds` limits that.

    Raises:
        MissingExtraError: pgmpy is not installed.
    """

    name = "pgmpy"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()
        if importlib.util.find_spec("pgmpy") is None:
            raise MissingExtraError(*EXTRA_OF_MODULE["pgmpy"])

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: time ran out, the network or its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        plans = [eliminate(part.cardinalities, part.scopes) for part in reduced.components]
        for plan in plans:
            if not fits(plan, self._config.max_width):
                raise too_wide(plan, self._config.max_width)
        if any(len(part.variables) > 1 for part in reduced.components):
            _variable_elimination()
        # The import takes seconds, and many on a busy machine: it is not the network's fault.
        deadline = time.monotonic() + self._config.solver_seconds
        return Marginals(
            probabilities=reduced.named(
                self._component_marginals(part, plan, deadline)
                for part, plan in zip(reduced.components, plans, strict=True)
            ),
            solver=self.name,
            exact=True,
            width=max((plan.width for plan in plans), default=0),
        )

    def _component_marginals(self, part: Component, plan: Elimination, deadline: float) -> list[Table]:
        if len(part.variables) == 1:
            return [alone(part)]
        inference = _variable_elimination()(_markov_network(part))
        found: list[Table] = []
        for i in range(len(part.variables)):
            if time.monotonic() > deadline:
                raise self._too_slow(len(found), part, plan)
            order = [j for j in plan.order if j != i]
            found.append(
                distribution(inference.query([i], elimination_order=order, show_progress=False).values)
            )
        return found

    def _too_slow(self, done: int, part: Component, plan: Elimination) -> SolverError:
        return SolverError(
            f"pgmpy answered {done} of {len(part.variables)} queries of a component of width {plan.width} in "
            f"{self._config.solver_seconds:g} s; raise solver_seconds, or use solver 'exact' or 'gibbs'"
        )


def _variable_elimination() -> Any:
    with warnings.catch_warnings():
        # Importing pgmpy announces deprecations of its own modules, which nobody here can act on.
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.inference import VariableElimination
    return VariableElimination


def _markov_network(part: Component) -> Any:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    network = DiscreteMarkovNetwork()
    network.add_nodes_from(range(len(part.variables)))
    for factor in part.factors:
        network.add_edges_from((i, j) for i in factor.scope for j in factor.scope if i < j)
        network.add_factors(DiscreteFactor(list(factor.scope), factor.table.shape, factor.table))
    return network
