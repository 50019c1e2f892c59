"""What every solver does first: apply the evidence, split into components, merge tables of one scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.factor_graph import Factor, FactorGraph, Table
from factreasoner.solvers.elimination import components

INCONSISTENT = "the network is inconsistent: every joint state has probability 0"


@dataclass(frozen=True, eq=False)
class Component:
    """A connected part of a reduced network.

    `variables` are indices into the whole graph, ascending; factor scopes are positions in `variables`. No
    factor's scope lies within another's, and every table's largest entry is 1.
    """

    variables: tuple[int, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]


def reduce(graph: FactorGraph) -> list[Component]:
    """The components of `graph` given its evidence; observed and one-state variables are in none.

    Raises:
        SolverError: a table is negative, not finite or of the wrong shape, the evidence names no state, or
            a table is 0 throughout under the evidence.
    """
    fixed = {i: 0 for i, cardinality in enumerate(graph.cardinalities) if cardinality == 1}
    for i, state in graph.evidence.items():
        if not 0 <= i < len(graph.names) or not 0 <= state < graph.cardinalities[i]:
            raise SolverError(f"evidence: variable {i} has no state {state}")
        fixed[i] = state
    factors = merged(_sliced(factor, fixed, graph) for factor in graph.factors)
    groups = components(len(graph.names), [factor.scope for factor in factors])
    place = {i: (g, position) for g, group in enumerate(groups) for position, i in enumerate(group)}
    parts: list[list[Factor]] = [[] for _ in groups]
    for factor in factors:
        local = tuple(place[i][1] for i in factor.scope)
        parts[place[factor.scope[0]][0]].append(Factor(local, factor.table))
    return [
        Component(group, tuple(graph.cardinalities[i] for i in group), tuple(part))
        for group, part in zip(groups, parts, strict=True)
        if group[0] not in fixed
    ]


def _sliced(factor: Factor, fixed: dict[int, int], graph: FactorGraph) -> Factor:
    shape = tuple(graph.cardinalities[i] for i in factor.scope)
    table = np.asarray(factor.table, dtype=np.float64)
    if table.shape != shape or len(set(factor.scope)) != len(factor.scope):
        raise SolverError(
            f"factor over {_names(factor, graph)}: table of shape {table.shape}, expected {shape}"
        )
    if not np.isfinite(table).all() or (table < 0).any():
        raise SolverError(f"factor over {_names(factor, graph)}: entries must be finite and not negative")
    free = tuple(i for i in factor.scope if i not in fixed)
    return Factor(free, table[tuple(fixed.get(i, slice(None)) for i in factor.scope)])


def _names(factor: Factor, graph: FactorGraph) -> str:
    return ", ".join(graph.names[i] for i in factor.scope)


def merged(factors: Iterable[Factor]) -> list[Factor]:
    """The same product with one factor for every scope that lies in no other; scopes sorted, maxima 1.

    Raises:
        SolverError: a product is 0 throughout.
    """
    by_scope: dict[tuple[int, ...], Table] = {}
    for factor in factors:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        scope = tuple(factor.scope[axis] for axis in axes)
        table = scaled(factor.table.transpose(axes))
        by_scope[scope] = scaled(by_scope[scope] * table) if scope in by_scope else table
    by_scope.pop((), None)
    hosts: dict[int, list[tuple[int, ...]]] = {}
    for scope in sorted(by_scope, key=len, reverse=True):
        candidates = min((hosts.get(i, []) for i in scope), key=len)
        host = next((wide for wide in candidates if set(scope) <= set(wide)), None)
        if host is None:
            for i in scope:
                hosts.setdefault(i, []).append(scope)
        else:
            by_scope[host] = scaled(by_scope[host] * spread(by_scope.pop(scope), scope, host))
    return [Factor(scope, table) for scope, table in by_scope.items()]


def scaled(table: Table) -> Table:
    """`table` divided by its largest entry, so that long products neither overflow nor vanish."""
    largest = table.max()
    if largest == 0.0:
        raise SolverError(INCONSISTENT)
    return np.asarray(table / largest)


def spread(table: Table, scope: Sequence[int], wide: Sequence[int]) -> Table:
    """A view of `table` that broadcasts over `wide`, a sorted superset of the sorted `scope`."""
    sizes = dict(zip(scope, table.shape, strict=True))
    return table.reshape([sizes.get(i, 1) for i in wide])


def distribution(weights: Table) -> tuple[float, ...]:
    """`weights` normalised. Raises SolverError where they are all 0 or not finite."""
    total = float(weights.sum())
    if not np.isfinite(total) or total <= 0.0:
        raise SolverError(INCONSISTENT)
    return tuple(float(weight) for weight in weights / total)


def point_mass(state: int, cardinality: int) -> tuple[float, ...]:
    """The distribution of an observed variable."""
    return tuple(float(i == state) for i in range(cardinality))


def known_marginals(graph: FactorGraph) -> dict[str, tuple[float, ...]]:
    """Marginals of the observed and the one-state variables, by name."""
    known: dict[str, tuple[float, ...]] = {}
    for name, cardinality in zip(graph.names, graph.cardinalities, strict=True):
        if cardinality == 1:
            known[name] = (1.0,)
    for i, state in graph.evidence.items():
        known[graph.names[i]] = point_mass(state, graph.cardinalities[i])
    return known
