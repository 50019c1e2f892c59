"""What every solver does first: apply the evidence, drop what says nothing, split into components."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.components import components
from factreasoner.graph.factor_graph import Factor, FactorGraph, Table

INCONSISTENT = "the network is inconsistent: every joint state has probability 0"
_PRODUCT_TOLERANCE = 1e-14
_LOWEST = -690.0
"""Natural logarithm of the smallest positive entry of a table whose largest is 1, within a double's range."""


@dataclass(frozen=True, eq=False)
class Component:
    """A connected part of a reduced network.

    `variables` are indices into the whole graph, ascending; factor scopes are sorted positions in
    `variables`, no two the same. Every table's largest entry is 1.
    """

    variables: tuple[int, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]

    @property
    def scopes(self) -> list[tuple[int, ...]]:
        """The factors' scopes."""
        return [factor.scope for factor in self.factors]


@dataclass(frozen=True, eq=False)
class Reduced:
    """A network given its evidence: variables with one possible state are `fixed`, the rest in components."""

    graph: FactorGraph
    fixed: Mapping[int, int]
    components: tuple[Component, ...]

    def named(self, solved: Iterable[Sequence[Table]]) -> dict[str, tuple[float, ...]]:
        """Marginals by name, in the graph's order, from those of each component's variables."""
        found: dict[int, tuple[float, ...]] = {
            i: tuple(float(k == state) for k in range(self.graph.cardinalities[i]))
            for i, state in self.fixed.items()
        }
        for part, marginals in zip(self.components, solved, strict=True):
            for i, marginal in zip(part.variables, marginals, strict=True):
                found[i] = tuple(float(p) for p in marginal)
        return {name: found[i] for i, name in enumerate(self.graph.names)}


def reduce(graph: FactorGraph) -> Reduced:
    """Apply the evidence and what follows from it, and split the rest into connected components.

    A variable with a single state of positive weight counts as observed; a table of two variables that is
    a product of two tables of one (a relation of probability 0.5, say) joins nothing.

    Raises:
        SolverError: a table is negative, not finite or of the wrong shape, the evidence names no state, or
            a table is 0 throughout under the evidence.
    """
    fixed = {i: 0 for i, cardinality in enumerate(graph.cardinalities) if cardinality == 1}
    for i, state in graph.evidence.items():
        if not 0 <= i < len(graph.names) or not 0 <= state < graph.cardinalities[i]:
            raise SolverError(f"evidence: variable {i} has no state {state}")
        fixed[i] = state
    factors = [_checked(factor, graph) for factor in graph.factors]
    while True:
        factors = merged(part for factor in factors for part in _split(_sliced(factor, fixed)))
        found = _forced(factors)
        if not found:
            break
        fixed.update(found)
    groups = components(len(graph.names), [factor.scope for factor in factors])
    place = {i: (g, position) for g, group in enumerate(groups) for position, i in enumerate(group)}
    parts: list[list[Factor]] = [[] for _ in groups]
    for factor in factors:
        local = tuple(place[i][1] for i in factor.scope)
        parts[place[factor.scope[0]][0]].append(Factor(local, factor.table))
    found_parts = (
        Component(group, tuple(graph.cardinalities[i] for i in group), tuple(part))
        for group, part in zip(groups, parts, strict=True)
        if group[0] not in fixed
    )
    return Reduced(graph, fixed, tuple(found_parts))


def _checked(factor: Factor, graph: FactorGraph) -> Factor:
    shape = tuple(graph.cardinalities[i] for i in factor.scope)
    table = np.asarray(factor.table, dtype=np.float64)
    problem = None
    if table.shape != shape or len(set(factor.scope)) != len(factor.scope):
        problem = f"table of shape {table.shape}, expected {shape}"
    elif not (table.min() >= 0.0 and table.max() < math.inf):
        problem = "entries must be finite and not negative"
    if problem:
        raise SolverError(f"factor over {', '.join(graph.names[i] for i in factor.scope)}: {problem}")
    return Factor(factor.scope, table)


def _sliced(factor: Factor, fixed: Mapping[int, int]) -> Factor:
    if not any(i in fixed for i in factor.scope):
        return factor
    free = tuple(i for i in factor.scope if i not in fixed)
    return Factor(free, factor.table[tuple(fixed.get(i, slice(None)) for i in factor.scope)])


def _split(factor: Factor) -> tuple[Factor, ...]:
    """Two factors of one variable each where the table of two variables is their product."""
    if len(factor.scope) != 2:
        return (factor,)
    table = scaled(factor.table)
    row, column = np.unravel_index(table.argmax(), table.shape)
    product = np.outer(table[:, column], table[row])
    if (np.abs(product - table) > _PRODUCT_TOLERANCE * table).any():
        return (factor,)
    return Factor(factor.scope[:1], table[:, column]), Factor(factor.scope[1:], table[row])


def _forced(factors: Iterable[Factor]) -> dict[int, int]:
    """Variables with a single possible state, by the zeros of one factor."""
    forced: dict[int, int] = {}
    for factor in factors:
        if factor.table.all():
            continue
        for axis, i in enumerate(factor.scope):
            others = tuple(other for other in range(len(factor.scope)) if other != axis)
            possible = np.flatnonzero(factor.table.max(axis=others))
            if len(possible) == 1:
                forced.setdefault(i, int(possible[0]))
    return forced


def merged(factors: Iterable[Factor]) -> list[Factor]:
    """The same product with one factor a scope; scopes sorted, every table's largest entry 1.

    Raises:
        SolverError: a product is 0 throughout.
    """
    by_scope: dict[tuple[int, ...], list[Table]] = {}
    for factor in factors:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        scope = tuple(factor.scope[axis] for axis in axes)
        by_scope.setdefault(scope, []).append(scaled(factor.table.transpose(axes)))
    by_scope.pop((), None)
    return [Factor(scope, _product(tables)) for scope, tables in by_scope.items()]


def _product(tables: Sequence[Table]) -> Table:
    if len(tables) == 1:
        return tables[0]
    # As logarithms: hundreds of factors that contradict one another must not vanish on the way.
    with np.errstate(divide="ignore"):
        logs = np.asarray(sum(np.log(table) for table in tables))
    largest = logs.max()
    if largest == -np.inf:
        raise SolverError(INCONSISTENT)
    return np.where(logs > -np.inf, np.exp(np.maximum(logs - largest, _LOWEST)), 0.0)


def scaled(table: Table) -> Table:
    """`table` divided by its largest entry; a positive entry stays positive.

    Raises:
        SolverError: the table is 0 throughout.
    """
    largest = table.max()
    if largest == 0.0:
        raise SolverError(INCONSISTENT)
    share = np.asarray(table / largest)
    if share.min() > 0.0:
        return share
    return np.where(table > 0.0, np.maximum(share, math.exp(_LOWEST)), 0.0)


def distribution(weights: Table) -> Table:
    """`weights` normalised. Raises SolverError where they are all 0 or not finite."""
    total = float(weights.sum())
    if not math.isfinite(total) or total <= 0.0:
        raise SolverError(INCONSISTENT)
    return np.asarray(weights / total)


def alone(part: Component) -> Table:
    """The distribution of a component of one variable."""
    return distribution(part.factors[0].table if part.factors else np.ones(part.cardinalities))
