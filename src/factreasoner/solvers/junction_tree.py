"""Exact inference by a junction tree of numpy tables, calibrated in two passes.

Hugin propagation (Jensen, Lauritzen and Olesen 1990): one table a maximal clique. Messages are normalised, so
that any number of factors may be multiplied, and the constants give the partition function. Tables hold
plain numbers; where a product underflows, the whole pass is repeated with logarithms.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.graph.factor_graph import Factor, Table
from factreasoner.solvers.clique_tree import CliqueTree, clique_tree
from factreasoner.solvers.reduction import INCONSISTENT


class Solved(NamedTuple):
    """The distribution of every variable, and the natural logarithm of the sum over all joint states."""

    marginals: list[Table]
    log_z: float


def calibrate(cardinalities: Sequence[int], factors: Sequence[Factor], order: Sequence[int]) -> Solved:
    """Marginals and log Z of any network, connected or not, by an elimination order of all its variables.

    Raises:
        SolverError: every joint state has probability 0.
    """
    tree = clique_tree(cardinalities, [factor.scope for factor in factors], order)
    with contextlib.suppress(FloatingPointError), np.errstate(under="raise", over="raise"):
        return _Propagation(cardinalities, tree, _Linear()).run(factors)
    # Not in an except clause: the error would keep the first pass's tables in memory.
    return _Propagation(cardinalities, tree, _Logarithmic()).run(factors)


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
        self, cardinalities: Sequence[int], tree: CliqueTree, numbers: _Linear | _Logarithmic
    ) -> None:
        self._sizes = cardinalities
        self._cliques = tree.cliques
        self._homes = tree.homes
        self._numbers = numbers

    def run(self, factors: Sequence[Factor]) -> Solved:
        inbox = self._delivered(factors)
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
        for place in reversed(range(len(self._cliques))):
            clique = self._cliques[place]
            if clique.parent is not None:
                above = self._onto(
                    tables[clique.parent], self._cliques[clique.parent].scope, clique.separator
                )
                update = self._numbers.divide(above, sent[place])
                self._multiply(tables[place], clique.scope, update, clique.separator)
        return Solved(self._marginals(tables), log_z)

    def _delivered(self, factors: Sequence[Factor]) -> list[list[tuple[tuple[int, ...], Table]]]:
        """For each clique its factors, with axes in the order of its scope."""
        inbox: list[list[tuple[tuple[int, ...], Table]]] = [[] for _ in self._cliques]
        for factor, home in zip(factors, self._homes, strict=True):
            axis = {i: axis for axis, i in enumerate(factor.scope)}
            scope = tuple(i for i in self._cliques[home].scope if i in axis)
            table = factor.table.transpose([axis[i] for i in scope])
            inbox[home].append((scope, self._numbers.lift(table)))
        return inbox

    def _marginals(self, tables: Sequence[Table]) -> list[Table]:
        """Every variable's distribution, from the smallest table that has it."""
        smallest: dict[int, int] = {}
        for place in sorted(range(len(tables)), key=lambda place: tables[place].size, reverse=True):
            smallest.update(dict.fromkeys(self._cliques[place].scope, place))
        marginals = []
        for i in range(len(self._sizes)):
            place = smallest[i]
            weights = self._numbers.weights(self._onto(tables[place], self._cliques[place].scope, (i,)))
            marginals.append(weights / weights.sum())
        return marginals

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
