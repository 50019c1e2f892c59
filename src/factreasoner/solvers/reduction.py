"""Preprocessing for solvers: factors as logarithms, and connected components.

Evidence is applied, constant factors are dropped, and the rest is split into connected components.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.factors import components
from factreasoner.models.graph import Factor, FactorGraph, Table

INCONSISTENT = "the network is inconsistent: every joint state has probability 0"


@dataclass(frozen=True, eq=False)
class LogFactor:
    """A factor over `scope`: `logs` has the logarithm of every entry, -inf for 0."""

    scope: tuple[int, ...]
    logs: Table

    @classmethod
    def of(cls, factor: Factor) -> LogFactor:
        """The same factor by its logarithms."""
        return cls(factor.scope, logarithm(factor.table))

    def given(self, observed: Mapping[int, int]) -> LogFactor:
        """The factor after observing some variables."""
        if observed.keys().isdisjoint(self.scope):
            return self
        scope = tuple(i for i in self.scope if i not in observed)
        return LogFactor(scope, self.logs[tuple(observed.get(i, slice(None)) for i in self.scope)])


def logarithm(table: Table) -> Table:
    """Natural logarithms; -inf for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(table))


def merged(factors: Iterable[LogFactor]) -> list[LogFactor]:
    """The same product with one factor per scope; scopes are sorted, and the largest logarithm is 0.

    Raises SolverError: a product is entirely 0.
    """
    by_scope: dict[tuple[int, ...], list[Table]] = {}
    for factor in factors:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        scope = tuple(factor.scope[axis] for axis in axes)
        by_scope.setdefault(scope, []).append(scaled(factor.logs.transpose(axes)))
    by_scope.pop((), None)
    return [
        LogFactor(scope, tables[0] if len(tables) == 1 else scaled(np.sum(tables, axis=0)))
        for scope, tables in by_scope.items()
    ]


def scaled(logs: Table) -> Table:
    """`logs` less their largest. Raises SolverError where all are -inf."""
    largest = logs.max()
    if largest == -np.inf:
        raise SolverError(INCONSISTENT)
    return np.asarray(logs - largest)


def log_sum(logs: Table, axes: Sequence[int]) -> Table:
    """Logarithms of the sums along `axes`, which keep the length 1."""
    largest = logs
    for axis in axes:
        largest = largest.max(axis=axis, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    table = np.exp(logs - largest)
    for axis in axes:
        table = table.sum(axis=axis, keepdims=True)
    return logarithm(table) + largest


def distribution(logs: Table) -> Table:
    """The distribution of one variable with these logarithms of weights, along the first axis.

    Raises SolverError: all are -inf.
    """
    largest = logs.max(axis=0)
    if np.isneginf(largest).any():
        raise SolverError(INCONSISTENT)
    weights = np.exp(logs - largest)
    return np.asarray(weights / weights.sum(axis=0))


_PRODUCT_TOLERANCE = 1e-14

MOST_STATES = 1 << 23
"""Maximum states of all variables together: their arrays take a gibibyte."""


@dataclass(frozen=True, eq=False)
class Component:
    """A connected part of a reduced network.

    `variables` are indices into the whole graph, ascending; factor scopes are sorted positions in
    `variables`, no two the same. Every table's largest entry is 1, its logarithm 0.
    """

    variables: tuple[int, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[LogFactor, ...]

    @property
    def scopes(self) -> list[tuple[int, ...]]:
        """The variables of each factor, by their numbers."""
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
    """Apply the evidence and its consequences, and split the rest into connected components.

    A variable with a single state of positive weight counts as observed. A two-variable table that is a
    product of two others (such as a relation of probability 0.5) connects nothing.

    Raises SolverError: a table is entirely 0 under the evidence, or there are too many states.
    """
    if sum(graph.cardinalities) > MOST_STATES:
        most = max(range(len(graph.names)), key=graph.cardinalities.__getitem__)
        raise SolverError(
            f"the variables have {sum(graph.cardinalities)} states, {graph.names[most]!r} alone "
            f"{graph.cardinalities[most]}; at most {MOST_STATES} can be computed"
        )
    fixed = {i: 0 for i, cardinality in enumerate(graph.cardinalities) if cardinality == 1}
    fixed.update(graph.evidence)
    factors = [LogFactor.of(factor) for factor in graph.factors]
    while True:
        factors = merged(part for factor in factors for part in _split(factor.given(fixed)))
        found = _forced(factors)
        if not found:
            break
        fixed.update(found)
    groups = components(len(graph.names), [factor.scope for factor in factors])
    place = {i: (g, position) for g, group in enumerate(groups) for position, i in enumerate(group)}
    parts: list[list[LogFactor]] = [[] for _ in groups]
    for factor in factors:
        local = tuple(place[i][1] for i in factor.scope)
        parts[place[factor.scope[0]][0]].append(LogFactor(local, factor.logs))
    found_parts = (
        Component(group, tuple(graph.cardinalities[i] for i in group), tuple(part))
        for group, part in zip(groups, parts, strict=True)
        if group[0] not in fixed
    )
    return Reduced(graph, fixed, tuple(found_parts))


def _split(factor: LogFactor) -> tuple[LogFactor, ...]:
    """Two one-variable factors if a two-variable table is their product."""
    if len(factor.scope) != 2:
        return (factor,)
    logs = scaled(factor.logs)
    row, column = np.unravel_index(logs.argmax(), logs.shape)
    product = logs[:, [column]] + logs[[row], :]
    if not np.isclose(product, logs, rtol=_PRODUCT_TOLERANCE, atol=_PRODUCT_TOLERANCE).all():
        return (factor,)
    return LogFactor(factor.scope[:1], logs[:, column]), LogFactor(factor.scope[1:], logs[row])


def _forced(factors: Iterable[LogFactor]) -> dict[int, int]:
    """Variables with a single possible state, from zeros of one factor."""
    forced: dict[int, int] = {}
    for factor in factors:
        if np.isfinite(factor.logs).all():
            continue
        for axis, i in enumerate(factor.scope):
            others = tuple(other for other in range(len(factor.scope)) if other != axis)
            possible = np.flatnonzero(np.isfinite(factor.logs.max(axis=others)))
            if len(possible) == 1:
                forced.setdefault(i, int(possible[0]))
    return forced
