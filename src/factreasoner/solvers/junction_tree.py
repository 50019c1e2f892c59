"""Exact inference by a junction tree of numpy tables, calibrated in two passes.

Hugin propagation (Jensen, Lauritzen and Olesen 1990): one table a maximal clique. Messages are normalised, so
that any number of factors may be multiplied, and the constants give the partition function. Tables hold
plain numbers; where a product underflows, the whole pass is repeated with logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.factor_graph import Factor, Table
from factreasoner.solvers.elimination import adjacency_bits, bits_of
from factreasoner.solvers.reduction import INCONSISTENT


class Solved(NamedTuple):
    """The distribution of every variable, and the natural logarithm of the sum over all joint states."""

    marginals: list[Table]
    log_z: float


@dataclass(frozen=True)
class Clique:
    """A maximal clique; `scope` runs in elimination order, its separator to `parent` being the tail.

    `own` counts the leading variables, which no later clique has.
    """

    scope: tuple[int, ...]
    own: int
    parent: int | None

    @property
    def separator(self) -> tuple[int, ...]:
        """The variables shared with the parent."""
        return self.scope[self.own :]


def calibrate(cardinalities: Sequence[int], factors: Sequence[Factor], order: Sequence[int]) -> Solved:
    """Marginals and log Z of any network, connected or not, by an elimination order of all its variables.

    Raises:
        SolverError: every joint state has probability 0.
    """
    cliques = clique_tree(len(cardinalities), [factor.scope for factor in factors], order)
    try:
        with np.errstate(under="raise", over="raise"):
            return _Propagation(cardinalities, cliques, _Linear()).run(factors, order)
    except FloatingPointError:
        return _Propagation(cardinalities, cliques, _Logarithmic()).run(factors, order)


def clique_tree(count: int, scopes: Sequence[Sequence[int]], order: Sequence[int]) -> list[Clique]:
    """Maximal cliques of an elimination order, every one before its parent."""
    rank = {variable: position for position, variable in enumerate(order)}
    adjacency = adjacency_bits(count, scopes)
    tails: dict[int, tuple[int, ...]] = {}
    for variable in order:
        neighbours = adjacency[variable]
        members = bits_of(neighbours)
        for i in members:
            adjacency[i] = (adjacency[i] | neighbours) & ~(1 << i) & ~(1 << variable)
        tails[variable] = tuple(sorted(members, key=rank.__getitem__))
    # Eliminating a variable leaves its tail as a clique. Where that is all the next variable's clique has,
    # the two are one: `first` names the clique each variable is eliminated in by its first variable.
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for variable in order:
        tail = tails[variable]
        last[first.setdefault(variable, variable)] = variable
        if tail and tail[0] not in first and len(tails[tail[0]]) == len(tail) - 1:
            first[tail[0]] = first[variable]
    heads = sorted(last, key=lambda head: rank[last[head]])
    place = {head: i for i, head in enumerate(heads)}
    cliques = []
    for head in heads:
        separator = tails[last[head]]
        scope = (head, *tails[head])
        parent = place[first[separator[0]]] if separator else None
        cliques.append(Clique(scope, len(scope) - len(separator), parent))
    return cliques


class _Linear:
    """Tables of plain numbers."""

    one = 1.0

    def lift(self, table: Table) -> Table:
        return table

    def multiply(self, table: Table, by: Table) -> None:
        table *= by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        # One axis at a time, the widest strides first: several times faster than numpy's joint reduction.
        for axis in axes:
            table = table.sum(axis=axis, keepdims=True)
        return table

    def divide(self, table: Table, by: Table) -> Table:
        return np.asarray(np.divide(table, by, out=np.zeros_like(table), where=by > 0.0))

    def normalise(self, table: Table) -> tuple[Table, float]:
        largest = float(table.max())
        if largest == 0.0:
            raise SolverError(INCONSISTENT)
        return table / largest, math.log(largest)

    def weights(self, table: Table) -> Table:
        return table


class _Logarithmic:
    """Tables of natural logarithms: slower, and of any range."""

    one = 0.0

    def lift(self, table: Table) -> Table:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(table))

    def multiply(self, table: Table, by: Table) -> None:
        table += by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        largest = table
        for axis in axes:
            largest = largest.max(axis=axis, keepdims=True)
        largest = np.where(np.isneginf(largest), 0.0, largest)
        table = np.exp(table - largest)
        for axis in axes:
            table = table.sum(axis=axis, keepdims=True)
        return self.lift(table) + largest

    def divide(self, table: Table, by: Table) -> Table:
        return np.asarray(np.subtract(table, by, out=np.full_like(table, -np.inf), where=by > -np.inf))

    def normalise(self, table: Table) -> tuple[Table, float]:
        largest = float(table.max())
        if largest == -np.inf:
            raise SolverError(INCONSISTENT)
        return table - largest, largest

    def weights(self, table: Table) -> Table:
        return np.asarray(np.exp(table - table.max()))


class _Propagation:
    """One calibration: tables of all cliques, and the messages that went up."""

    def __init__(
        self, cardinalities: Sequence[int], cliques: Sequence[Clique], numbers: _Linear | _Logarithmic
    ) -> None:
        self._sizes = cardinalities
        self._cliques = cliques
        self._numbers = numbers

    def run(self, factors: Sequence[Factor], order: Sequence[int]) -> Solved:
        inbox = self._assigned(factors, order)
        tables: list[Table] = []
        sent: list[Table] = []
        log_z = 0.0
        for clique, messages in zip(self._cliques, inbox, strict=True):
            table = np.full([self._sizes[i] for i in clique.scope], self._numbers.one)
            for scope, message in messages:
                self._multiply(table, clique.scope, message, scope)
            message, scale = self._numbers.normalise(self._onto(table, clique.scope, clique.separator))
            log_z += scale
            if clique.parent is not None:
                inbox[clique.parent].append((clique.separator, message))
            messages.clear()
            tables.append(table)
            sent.append(message)
        marginals: list[Table] = [np.empty(0)] * len(self._sizes)
        for place in reversed(range(len(self._cliques))):
            clique, table = self._cliques[place], tables[place]
            if clique.parent is not None:
                above = self._onto(
                    tables[clique.parent], self._cliques[clique.parent].scope, clique.separator
                )
                update = self._numbers.divide(above, sent[place])
                self._multiply(table, clique.scope, update, clique.separator)
            for i in clique.scope[: clique.own]:
                weights = self._numbers.weights(self._onto(table, clique.scope, (i,)))
                marginals[i] = weights / weights.sum()
        return Solved(marginals, log_z)

    def _assigned(
        self, factors: Sequence[Factor], order: Sequence[int]
    ) -> list[list[tuple[tuple[int, ...], Table]]]:
        """For each clique, the factors whose first variable to be eliminated it eliminates."""
        rank = {variable: position for position, variable in enumerate(order)}
        place = {i: p for p, clique in enumerate(self._cliques) for i in clique.scope[: clique.own]}
        inbox: list[list[tuple[tuple[int, ...], Table]]] = [[] for _ in self._cliques]
        for factor in factors:
            axes = sorted(range(len(factor.scope)), key=lambda axis: rank[factor.scope[axis]])
            scope = tuple(factor.scope[axis] for axis in axes)
            inbox[place[scope[0]]].append((scope, self._numbers.lift(factor.table.transpose(axes))))
        return inbox

    def _multiply(self, table: Table, wide: tuple[int, ...], by: Table, scope: tuple[int, ...]) -> None:
        """Multiply `table` over `wide` in place by a table over `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        view = table.reshape([size for size, _ in runs])
        self._numbers.multiply(view, by.reshape([size if kept else 1 for size, kept in runs]))

    def _onto(self, table: Table, wide: tuple[int, ...], scope: tuple[int, ...]) -> Table:
        """Sum `table` over `wide` down to `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        axes = [axis for axis, (_, kept) in enumerate(runs) if not kept]
        summed = self._numbers.total(table.reshape([size for size, _ in runs]), axes)
        return summed.reshape([self._sizes[i] for i in scope])


def _runs(wide: Sequence[int], scope: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, bool]]:
    """Neighbouring axes of `wide` joined where all of them are in `scope`, or none: (states, in scope)."""
    inside = frozenset(scope)
    runs: list[tuple[int, bool]] = []
    for i in wide:
        kept = i in inside
        if runs and runs[-1][1] == kept:
            runs[-1] = (runs[-1][0] * sizes[i], kept)
        else:
            runs.append((sizes[i], kept))
    return runs
