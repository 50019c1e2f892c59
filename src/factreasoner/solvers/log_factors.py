"""Factors by the natural logarithms of their tables, so that no product of any number of them vanishes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Factor, Table

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
        """What is left of it when variables are observed in a state each."""
        if observed.keys().isdisjoint(self.scope):
            return self
        scope = tuple(i for i in self.scope if i not in observed)
        return LogFactor(scope, self.logs[tuple(observed.get(i, slice(None)) for i in self.scope)])


def logarithm(table: Table) -> Table:
    """Natural logarithms; -inf for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(table))


def merged(factors: Iterable[LogFactor]) -> list[LogFactor]:
    """The same product with one factor a scope; scopes sorted, every table's largest entry 0 (of logarithms).

    Raises:
        SolverError: a product is 0 throughout.
    """
    by_scope: dict[tuple[int, ...], list[Table]] = {}
    for factor in factors:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        scope = tuple(factor.scope[axis] for axis in axes)
        by_scope.setdefault(scope, []).append(scaled(factor.logs.transpose(axes)))
    by_scope.pop((), None)
    return [LogFactor(scope, _product(tables)) for scope, tables in by_scope.items()]


def _product(tables: Sequence[Table]) -> Table:
    return tables[0] if len(tables) == 1 else scaled(np.sum(tables, axis=0))


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

    Raises:
        SolverError: all are -inf.
    """
    largest = logs.max(axis=0)
    if np.isneginf(largest).any():
        raise SolverError(INCONSISTENT)
    weights = np.exp(logs - largest)
    return np.asarray(weights / weights.sum(axis=0))
