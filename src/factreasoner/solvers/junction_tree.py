"""Exact inference by a junction tree of numpy tables, calibrated in two passes.

Hugin propagation (Jensen, Lauritzen and Olesen 1990): one table a maximal clique. Messages are normalised, so
that any number of factors may be multiplied, and the constants give the partition function. Tables hold
plain numbers; if a product leaves their range, the whole pass is repeated with logarithms.

A tree is calibrated for one network or for several variants of it at once, along a last axis of all tables. A
variant lacks some variables: their factors are 1 in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Table
from factreasoner.solvers.clique_tree import clique_tree
from factreasoner.solvers.reduction import INCONSISTENT, LogFactor, distribution, log_sum, logarithm

LOWEST = -700.0
"""Below this logarithm a plain number is not exact, or 0."""


class Linear:
    """Tables of plain numbers. What leaves their range raises FloatingPointError inside `np.errstate`."""

    one = 1.0

    def lift(self, logs: Table) -> Table:
        """The table whose entries have these logarithms."""
        if ((logs < LOWEST) & (logs > -np.inf)).any():
            raise FloatingPointError
        return np.asarray(np.exp(logs))

    def multiply(self, table: Table, by: Table) -> None:
        """Multiply `table` by another one, in place."""
        table *= by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        """Sums along `axes`, which keep the length 1."""
        # One axis at a time, the widest strides first: several times faster than numpy's joint reduction.
        for axis in axes:
            table = table.sum(axis=axis, keepdims=True)
        return table

    def divide(self, table: Table, by: Table) -> Table:
        """The quotient, and 0 where `by` is 0: so is the table there."""
        return np.asarray(np.divide(table, by, out=np.zeros_like(table), where=by > 0.0))

    def normalise(self, table: Table) -> tuple[Table, Table]:
        """The table with a largest entry of 1 in every variant, and the logarithms of what was divided by."""
        largest = table.max(axis=tuple(range(table.ndim - 1)))
        if not largest.all():
            raise SolverError(INCONSISTENT)
        return np.asarray(table / largest), np.asarray(np.log(largest))

    def logs(self, table: Table) -> Table:
        """Natural logarithms of a table's entries."""
        return logarithm(table)


class Logarithmic:
    """Tables of natural logarithms: slower, and of any range. Methods mean what those of `Linear` do."""

    one = 0.0

    def lift(self, logs: Table) -> Table:
        """See Linear."""
        return logs

    def multiply(self, table: Table, by: Table) -> None:
        """See Linear."""
        table += by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        """See Linear."""
        return log_sum(table, axes)

    def divide(self, table: Table, by: Table) -> Table:
        """See Linear."""
        return np.asarray(np.subtract(table, by, out=np.full_like(table, -np.inf), where=by > -np.inf))

    def normalise(self, table: Table) -> tuple[Table, Table]:
        """See Linear."""
        largest = table.max(axis=tuple(range(table.ndim - 1)))
        if np.isneginf(largest).any():
            raise SolverError(INCONSISTENT)
        return np.asarray(table - largest), np.asarray(largest)

    def logs(self, table: Table) -> Table:
        """See Linear."""
        return table


Arithmetic = Linear | Logarithmic


Lacks = npt.NDArray[np.bool_]
"""Which variables (rows) which variants (columns) lack."""


class Solved(NamedTuple):
    """The distribution of every variable, and the natural logarithm of the sum over all joint states."""

    marginals: list[Table]
    log_z: float


def junction_tree_marginals(
    cardinalities: Sequence[int], factors: Sequence[LogFactor], order: Sequence[int]
) -> Solved:
    """Marginals and log Z of any network, connected or not, by an elimination order of all its variables.

    Raises:
        SolverError: every joint state has probability 0.
    """
    found = JunctionTree(cardinalities, factors, order).calibrated()
    marginals = [distribution(found.logs(i)[..., 0]) for i in range(len(cardinalities))]
    return Solved(marginals, float(found.log_z[0]))


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
        self.smallest = smallest
        """The clique with the smallest table of those that have a variable."""

    def calibrated(self, lacks: Lacks | None = None) -> CalibratedTree:
        """Every clique's table as the network's distribution over it, in plain numbers where these reach.

        Raises:
            SolverError: a variant allows no joint state.
        """
        with contextlib.suppress(FloatingPointError), np.errstate(under="raise", over="raise"):
            return self.propagated(Linear(), lacks)
        # Not in an except clause: the error would keep the first pass's tables in memory.
        return self.propagated(Logarithmic(), lacks)

    def propagated(self, numbers: Arithmetic, lacks: Lacks | None = None) -> CalibratedTree:
        """As `calibrated`, with the kind of numbers given.

        Raises:
            SolverError: a variant allows no joint state.
            FloatingPointError: plain numbers do not reach.
        """
        variants = 1 if lacks is None else lacks.shape[1]
        inbox: list[list[tuple[tuple[int, ...], Table]]] = [[] for _ in self.cliques]
        for j, home in enumerate(self.homes):
            scope, logs = self.placed(j)
            if lacks is not None and len(scope) > 1 and (gone := lacks[list(scope)].any(axis=0)).any():
                logs = np.where(gone, 0.0, logs)
            inbox[home].append((scope, numbers.lift(logs)))
        tables: list[Table] = []
        sent: list[Table] = []
        log_z = np.zeros(variants)
        for clique, messages in zip(self.cliques, inbox, strict=True):
            table = np.full([*(self._sizes[i] for i in clique.scope), variants], numbers.one)
            for scope, message in messages:
                self.multiply(numbers, table, clique.scope, message, scope)
            total = self.onto(numbers, table, clique.scope, clique.separator)
            message, scale = numbers.normalise(total)
            log_z += scale
            if clique.parent is not None:
                inbox[clique.parent].append((clique.separator, message))
            messages.clear()
            tables.append(table)
            sent.append(message)
        for place in reversed(range(len(self.cliques))):
            clique = self.cliques[place]
            if clique.parent is not None:
                wide = self.cliques[clique.parent].scope
                above = self.onto(numbers, tables[clique.parent], wide, clique.separator)
                update = numbers.divide(numbers.normalise(above)[0], sent[place])
                self.multiply(numbers, tables[place], clique.scope, update, clique.separator)
        return CalibratedTree(self, numbers, tables, log_z)

    def placed(self, j: int) -> tuple[tuple[int, ...], Table]:
        """Factor j with its variables in the order of its clique, and an axis of one variant."""
        factor = self.factors[j]
        axis = {i: axis for axis, i in enumerate(factor.scope)}
        scope = tuple(i for i in self.cliques[self.homes[j]].scope if i in axis)
        return scope, factor.logs.transpose([axis[i] for i in scope])[..., None]

    def multiply(
        self, numbers: Arithmetic, table: Table, wide: tuple[int, ...], by: Table, scope: tuple[int, ...]
    ) -> None:
        """Multiply `table` over `wide` in place by a table over `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        variants = [] if table.shape[-1] == 1 else [table.shape[-1]]
        view = table.reshape([size for size, _ in runs] + variants)
        last = [by.shape[-1]] if variants else []
        numbers.multiply(view, by.reshape([size if kept else 1 for size, kept in runs] + last))

    def onto(self, numbers: Arithmetic, table: Table, wide: tuple[int, ...], scope: tuple[int, ...]) -> Table:
        """Sum `table` over `wide` down to `scope`, part of it in the same order."""
        runs = _runs(wide, scope, self._sizes)
        variants = [] if table.shape[-1] == 1 else [table.shape[-1]]
        axes = [axis for axis, (_, kept) in enumerate(runs) if not kept]
        summed = numbers.total(table.reshape([size for size, _ in runs] + variants), axes)
        return summed.reshape([*(self._sizes[i] for i in scope), table.shape[-1]])


class CalibratedTree(NamedTuple):
    """A junction tree with its calibrated tables, and log Z of every variant."""

    tree: JunctionTree
    numbers: Arithmetic
    tables: list[Table]
    log_z: Table

    def logs(self, i: int) -> Table:
        """Logarithms of variable i's weights, from the smallest table that has it: (states, variants)."""
        place = self.tree.smallest[i]
        scope = self.tree.cliques[place].scope
        return self.numbers.logs(self.tree.onto(self.numbers, self.tables[place], scope, (i,)))


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
