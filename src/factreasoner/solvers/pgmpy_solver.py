"""Exact marginals by pgmpy's variable elimination, for users who want a second, independent opinion."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from factreasoner.config import Config
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.exact import check_width, plan_of
from factreasoner.solvers.reduction import Component, distribution, known_marginals, reduce


class PgmpySolver:
    """Variable elimination, one query a variable.

    pgmpy refuses disconnected networks and nodes without factors, so it is given one connected component
    at a time; its queries on Markov networks are not normalised, so that is done here. Its own
    elimination orders are not used: min-fill takes minutes where ours takes milliseconds, and "greedy"
    can allocate many times the tables that the width asks for.
    """

    name = "pgmpy"

    def __init__(self, config: Config | None = None) -> None:
        self.max_width = config.max_width if config else None

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        parts = reduce(graph)
        plans = [plan_of(part) for part in parts]
        for plan in plans:
            check_width(plan, self.max_width)
        probabilities = known_marginals(graph)
        for part, plan in zip(parts, plans, strict=True):
            solved = _component_marginals(part, plan)
            probabilities.update((graph.names[i], p) for i, p in zip(part.variables, solved, strict=True))
        return Marginals(
            probabilities={name: probabilities[name] for name in graph.names},
            solver=self.name,
            exact=True,
            width=max((plan.width for plan in plans), default=0),
        )


def _component_marginals(part: Component, plan: Elimination) -> list[tuple[float, ...]]:
    if not part.factors:
        return [distribution(np.ones(part.cardinalities[0]))]
    with warnings.catch_warnings():
        # Importing pgmpy announces deprecations of its own modules, which nobody here can act on.
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.inference import VariableElimination

    inference = VariableElimination(_markov_network(part))
    return [
        distribution(
            inference.query(
                [i], elimination_order=[j for j in plan.order if j != i], show_progress=False
            ).values
        )
        for i in range(len(part.variables))
    ]


def _markov_network(part: Component) -> Any:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    network = DiscreteMarkovNetwork()
    network.add_nodes_from(range(len(part.variables)))
    for factor in part.factors:
        network.add_edges_from((i, j) for i in factor.scope for j in factor.scope if i < j)
        network.add_factors(DiscreteFactor(list(factor.scope), factor.table.shape, factor.table))
    return network
