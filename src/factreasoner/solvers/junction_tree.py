"""Exact inference by a junction tree of numpy tables, calibrated in two passes.

Hugin propagation (Jensen, Lauritzen and Olesen 1990): one table a maximal clique. Messages are normalised, so
that any number of factors may be multiplied. Tables hold plain numbers; if a product leaves their range, the
whole pass is repeated with logarithms.

A tree is calibrated for one network, or for several variants of it at once along a last axis of all tables. A
variant lacks some variables: their factors are 1 in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Table
from factreasoner.solvers.clique_tree import clique_tree
from factreasoner.solvers.reduction import INCONSISTENT, LogFactor, distribution, log_sum, logarithm

LOWEST = -700.0
"""Below this logarithm a plain number is not exact, or 0."""


class Arithmetic(NamedTuple):
    """A kind of numbers that tables hold; `zero` and `one` are neutral for sums and products.

    `lift` makes a table from logarithms and `logs` turns it back. `total` sums along axes, which keep the
    length 1. What leaves the range of plain numbers raises FloatingPointError inside `np.errstate`.
    """

    zero: float
    one: float
    lift: Callable[[Table], Table]
    logs: Callable[[Table], Table]
    product: np.ufunc
    quotient: np.ufunc
    total: Callable[[Table, Sequence[int]], Table]

    def divide(self, table: Table, by: Table) -> Table:
        """The quotient, and zero where `by` is zero, because the table is zero there too."""
        return np.asarray(self.quotient(table, by, out=np.full_like(table, self.zero), where=by > self.zero))

    def normalise(self, table: Table) -> Table:
        """The table with a largest entry of one in every variant.

        Raises:
            SolverError: a variant is zero throughout.
        """
        largest = table.max(axis=tuple(range(table.ndim - 1)))
        if (largest <= self.zero).any():
            raise SolverError(INCONSISTENT)
        return np.asarray(self.quotient(table, largest))


def _plain(logs: Table) -> Table:
    if ((logs < LOWEST) & (logs > -np.inf)).any():
        raise FloatingPointError
    return np.asarray(np.exp(logs))


def _sum(table: Table, axes: Sequence[int]) -> Table:
    # One axis at a time, the widest strides first: several times faster than numpy's joint reduction.
    for axis in axes:
        table = table.sum(axis=axis, keepdims=True)
    return table


LINEAR = Arithmetic(0.0, 1.0, _plain, logarithm, np.multiply, np.divide, _sum)
LOGARITHMIC = Arithmetic(-np.inf, 0.0, np.asarray, np.asarray, np.add, np.subtract, log_sum)
"""Slower, and of any range."""

Lacks = npt.NDArray[np.bool_]
"""Which variables (rows) which variants (columns) lack."""


def junction_tree_marginals(
    cardinalities: Sequence[int], factors: Sequence[LogFactor], order: Sequence[int]
) -> list[Table]:
    """Marginals of any network, connected or not, by an elimination order of all its variables.

    Raises:
        SolverError: every joint state has probability 0.
    """
    found = JunctionTree(cardinalities, factors, order).calibrated()
    return [distribution(found.logs(i)[..., 0]) for i in range(len(cardinalities))]


class JunctionTree:
    """The cliques of a network by an elimination order of all its variables; see `clique_tree`."""

    def __init__(
        self, cardinalities: Sequence[int], factors: Sequence[LogFactor], order: Sequence[int]
    ) -> None:
        tree = clique_tree(cardinalities, [factor.scope for factor in factors], order)
        self.factors = factors
        self.cliques, self.homes = tree.cliques, tree.homes
        self._sizes = cardinalities
        smallest: dict[int, int] = {}
        entries = [np.prod([float(cardinalities[i]) for i in clique.scope]) for clique in self.cliques]
        for place in sorted(range(len(entries)), key=entries.__getitem__, reverse=True):
            smallest.update(dict.fromkeys(self.cliques[place].scope, place))
        self._smallest = smallest

    def calibrated(self, lacks: Lacks | None = None) -> CalibratedTree:
        """Every clique's table as the network's distribution over it, in plain numbers where these reach.

        Raises:
            SolverError: a variant allows no joint state.
        """
        with contextlib.suppress(FloatingPointError), np.errstate(under="raise", over="raise"):
            return self.propagated(LINEAR, lacks)
        # Not in an except clause: the error would keep the first pass's tables in memory.
        return self.propagated(LOGARITHMIC, lacks)

    def propagated(self, numbers: Arithmetic, lacks: Lacks | None = None) -> CalibratedTree:
        """As `calibrated`, with the kind of numbers given.

        Raises:
            SolverError: a variant allows no joint state.
            FloatingPointError: plain numbers do not reach.
        """
        variants = 1 if lacks is None else lacks.shape[1]
        inbox: list[list[tuple[tuple[int, ...], Table]]] = [[] for _ in self.cliques]
        for j, home in enumerate(self.homes):
            scope, logs = self._placed(j)
            if lacks is not None and len(scope) > 1 and (gone := lacks[list(scope)].any(axis=0)).any():
                logs = np.where(gone, 0.0, logs)
            inbox[home].append((scope, numbers.lift(logs)))
        tables: list[Table] = []
        sent: list[Table] = []
        for clique, messages in zip(self.cliques, inbox, strict=True):
            table = np.full([*(self._sizes[i] for i in clique.scope), variants], numbers.one)
            for scope, message in messages:
                self._multiply(numbers, table, clique.scope, message, scope)
            message = numbers.normalise(self._onto(numbers, table, clique.scope, clique.separator))
            if clique.parent is not None:
                inbox[clique.parent].append((clique.separator, message))
            messages.clear()
            tables.append(table)
            sent.append(message)
        for place in reversed(range(len(self.cliques))):
            clique = self.cliques[place]
            if clique.parent is not None:
                wide = self.cliques[clique.parent].scope
                above = self._onto(numbers, tables[clique.parent], wide, clique.separator)
                update = numbers.divide(numbers.normalise(above), sent[place])
                self._multiply(numbers, tables[place], clique.scope, update, clique.separator)
        return CalibratedTree(self, numbers, tables)

    def logs_of(self, i: int, numbers: Arithmetic, tables: Sequence[Table]) -> Table:
        """Logarithms of variable i's weights, from the smallest of calibrated tables that has it."""
        place = self._smallest[i]
        return numbers.logs(self._onto(numbers, tables[place], self.cliques[place].scope, (i,)))

    def _placed(self, j: int) -> tuple[tuple[int, ...], Table]:
        """Factor j with its variables in the order of its clique, and an axis of one variant."""
        factor = self.factors[j]
        axis = {i: axis for axis, i in enumerate(factor.scope)}
        scope = tuple(i for i in self.cliques[self.homes[j]].scope if i in axis)
        return scope, factor.logs.transpose([axis[i] for i in scope])[..., None]

    def _multiply(
        self, numbers: Arithmetic, table: Table, wide: tuple[int, ...], by: Table, scope: tuple[int, ...]
    ) -> None:
        """Multiply `table` over `wide` in place by a table over `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        variants = [] if table.shape[-1] == 1 else [table.shape[-1]]
        view = table.reshape([size for size, _ in runs] + variants)
        last = [by.shape[-1]] if variants else []
        numbers.product(view, by.reshape([size if kept else 1 for size, kept in runs] + last), out=view)

    def _onto(
        self, numbers: Arithmetic, table: Table, wide: tuple[int, ...], scope: tuple[int, ...]
    ) -> Table:
        """Sum `table` over `wide` down to `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        variants = [] if table.shape[-1] == 1 else [table.shape[-1]]
        axes = [axis for axis, (_, kept) in enumerate(runs) if not kept]
        summed = numbers.total(table.reshape([size for size, _ in runs] + variants), axes)
        return summed.reshape([*(self._sizes[i] for i in scope), table.shape[-1]])


class CalibratedTree(NamedTuple):
    """A junction tree with its calibrated tables."""

    tree: JunctionTree
    numbers: Arithmetic
    tables: list[Table]

    def logs(self, i: int) -> Table:
        """Logarithms of variable i's weights, shape (states, variants)."""
        return self.tree.logs_of(i, self.numbers, self.tables)


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
