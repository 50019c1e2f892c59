"""Exact marginals by pgmpy's variable elimination, as an independent check."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.factors import components
from factreasoner.models import Marginals
from factreasoner.models.graph import Factor, FactorGraph, Table
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.exact import fits, plan_of_network, too_wide
from factreasoner.solvers.junction_tree import LOWEST
from factreasoner.solvers.reduction import INCONSISTENT
from factreasoner.solvers.settings import SolverSettings


class PgmpySolver:
    """Variable elimination, one query per variable, on the unreduced network.

    It skips the reductions of other solvers, so that it can reveal their errors. pgmpy has limits:

    - It refuses disconnected networks and nodes without factors: it gets one connected component at a time.
    - It does not normalise queries on Markov networks, and merges equal factors: both are handled here.
    - Its elimination orders take minutes (min-fill) or too much memory ("greedy"): ours are used.
    - Every query eliminates again, which takes minutes where a junction tree takes a second:
      `config.solver_seconds` limits that.
    - It multiplies plain numbers: a network whose products could overflow is refused.
    """

    name = "pgmpy"

    def __init__(self, config: SolverSettings) -> None:
        self._config = config

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: the network is too wide.
            SolverError: time ran out, the network or its evidence has probability 0, a table is malformed, or
                a product left the range of plain numbers.
        """
        groups = components(len(graph.names), [factor.scope for factor in graph.factors])
        plan = plan_of_network(graph)
        if not fits(plan):
            raise too_wide(plan)
        factors = _in_range(graph, groups)
        _variable_elimination()  # the import takes seconds, which do not count
        deadline = time.monotonic() + self._config.solver_seconds
        found: dict[int, Table] = {}
        for group, own in zip(groups, factors, strict=True):
            part = replace(graph, factors=tuple(own))
            found.update(self._component(part, group, plan, deadline))
        return Marginals(
            probabilities={name: tuple(map(float, found[i])) for i, name in enumerate(graph.names)},
            solver=self.name,
            exact=True,
            width=plan.width,
        )

    def _component(
        self, graph: FactorGraph, group: tuple[int, ...], plan: Elimination, deadline: float
    ) -> dict[int, Table]:
        """The distributions of the variables of one connected component."""
        evidence = {i: state for i, state in graph.evidence.items() if i in group}
        found = {i: np.eye(graph.cardinalities[i])[state] for i, state in evidence.items()}
        inference = _variable_elimination()(_markov_network(graph, group))
        free = [i for i in group if i not in evidence]
        observed = [factor for factor in graph.factors if evidence.keys() >= set(factor.scope)]
        if not all(f.table[tuple(evidence[i] for i in f.scope)] for f in observed):
            raise SolverError(INCONSISTENT)  # queries leave out what is wholly observed
        for done, i in enumerate(free):
            if time.monotonic() > deadline:
                raise self._too_slow(done, len(free), plan)
            order = [j for j in plan.order if j in free and j != i]
            query = inference.query([i], evidence=evidence, elimination_order=order, show_progress=False)
            found[i] = _normalised(query.values)
        return found

    def _too_slow(self, done: int, count: int, plan: Elimination) -> SolverError:
        return SolverError(
            f"pgmpy answered {done} of {count} queries of a component of a network of width {plan.width} in "
            f"{self._config.solver_seconds:g} s; raise solver_seconds, or use solver 'exact' or 'gibbs'"
        )


def _in_range(graph: FactorGraph, groups: Sequence[tuple[int, ...]]) -> list[list[Factor]]:
    """The factors of each component, every table divided by its largest entry.

    Raises SolverError: a table is entirely 0, or the product of smallest entries is not a plain number.
    """
    place = {i: g for g, group in enumerate(groups) for i in group}
    found: list[list[Factor]] = [[] for _ in groups]
    smallest = [0.0] * len(groups)
    for factor in graph.factors:
        largest = factor.table.max()
        if not largest:
            raise SolverError(INCONSISTENT)
        if factor.scope:
            table, g = factor.table / largest, place[factor.scope[0]]
            found[g].append(Factor(factor.scope, table))
            # Of the entries before the division, which may lose the smallest.
            least = factor.table[factor.table > 0.0].min()
            smallest[g] += math.log(least) - math.log(largest)
    if min(smallest, default=0.0) < LOWEST:
        raise SolverError(
            "pgmpy multiplies plain numbers, and products of this network's factors could leave their range; "
            "use solver 'exact'"
        )
    return found


def _normalised(weights: Table) -> Table:
    total = float(weights.sum())
    if not math.isfinite(total) or total <= 0.0:
        raise SolverError(INCONSISTENT)
    return np.asarray(weights / total)


def _variable_elimination() -> Any:
    with warnings.catch_warnings():
        # Importing pgmpy warns of deprecations in its own modules.
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.inference import VariableElimination
    return VariableElimination


def _markov_network(graph: FactorGraph, group: tuple[int, ...]) -> Any:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    network = DiscreteMarkovNetwork()
    network.add_nodes_from(group)
    tables: dict[tuple[int, ...], Table] = {(i,): np.ones(graph.cardinalities[i]) for i in group}
    for factor in graph.factors:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        scope = tuple(factor.scope[axis] for axis in axes)
        tables[scope] = tables.get(scope, 1.0) * factor.table.transpose(axes)
    for scope, table in tables.items():
        network.add_edges_from((i, j) for i in scope for j in scope if i < j)
        network.add_factors(DiscreteFactor(list(scope), table.shape, table))
    return network
