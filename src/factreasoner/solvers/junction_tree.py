"""Exact inference by a junction tree of numpy tables, calibrated in two passes.

Hugin propagation (Jensen, Lauritzen and Olesen 1990): one table per maximal clique. Messages are normalised.
Tables hold plain numbers; if a product leaves their range, the pass is repeated with logarithms.

A tree is calibrated for one network, or for several variants along a last axis of all tables. A variant lacks
some variables: their factors are 1 in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.errors import SolverError
from factreasoner.models.graph import Table
from factreasoner.solvers.elimination import adjacency_bits, bits_of
from factreasoner.solvers.reduction import INCONSISTENT, LogFactor, distribution, log_sum, logarithm

LOWEST = -700.0
"""Below this logarithm, a plain number is inexact or 0."""


class Arithmetic(NamedTuple):
    """A kind of numbers for tables; `zero` and `one` are neutral for sums and products.

    `lift` makes a table from logarithms and `logs` converts it back. `total` sums along axes, which keep
    length 1. Overflow of plain numbers raises FloatingPointError inside `np.errstate`.
    """

    zero: float
    one: float
    lift: Callable[[Table], Table]
    logs: Callable[[Table], Table]
    product: np.ufunc
    quotient: np.ufunc
    total: Callable[[Table, Sequence[int]], Table]

    def divide(self, table: Table, by: Table) -> Table:
        """The quotient, and zero where `by` is zero, since the table is zero there too."""
        return np.asarray(self.quotient(table, by, out=np.full_like(table, self.zero), where=by > self.zero))

    def normalise(self, table: Table) -> Table:
        """The table with a largest entry of one in every variant.

        Raises SolverError: a variant is entirely zero.
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

Lacks = npt.NDArray[np.bool_]
"""Which variables (rows) which variants (columns) lack."""


def junction_tree_marginals(
    cardinalities: Sequence[int], factors: Sequence[LogFactor], order: Sequence[int]
) -> list[Table]:
    """Marginals of any network, connected or not, by an elimination order of all its variables.

    Raises SolverError: every joint state has probability 0.
    """
    found = JunctionTree(cardinalities, factors, order).calibrated()
    return [distribution(found.logs(i)[:, 0]) for i in range(len(cardinalities))]


@dataclass(frozen=True)
class Clique:
    """A set of variables with a table; `scope` runs in elimination order.

    All but the `own` leading variables are shared with the `parent`.
    """

    scope: tuple[int, ...]
    own: int
    parent: int | None

    @property
    def separator(self) -> tuple[int, ...]:
        """The variables shared with the parent."""
        return self.scope[self.own :]


def clique_tree(
    count: int, scopes: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[list[Clique], dict[int, int]]:
    """The maximal cliques of an elimination order, every one before its parent.

    Also the index of the clique in which each variable is eliminated.
    """
    rank = {variable: position for position, variable in enumerate(order)}
    adjacency = adjacency_bits(count, scopes)
    tails: dict[int, tuple[int, ...]] = {}
    for variable in order:
        neighbours = adjacency[variable]
        members = bits_of(neighbours)
        for i in members:
            adjacency[i] = (adjacency[i] | neighbours) & ~(1 << i) & ~(1 << variable)
        tails[variable] = tuple(sorted(members, key=rank.__getitem__))
    # Eliminating a variable leaves its tail as a clique. If the next variable's clique has nothing else, the
    # two are one: `first` names the clique that eliminates each variable by that clique's first variable.
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for variable in order:
        tail = tails[variable]
        last[first.setdefault(variable, variable)] = variable
        if tail and tail[0] not in first and len(tails[tail[0]]) == len(tail) - 1:
            first[tail[0]] = first[variable]
    heads = sorted(last, key=lambda head: rank[last[head]])
    index = {head: i for i, head in enumerate(heads)}
    cliques = []
    for head in heads:
        separator = tails[last[head]]
        scope = (head, *tails[head])
        parent = index[first[separator[0]]] if separator else None
        cliques.append(Clique(scope, len(scope) - len(separator), parent))
    return cliques, {variable: index[head] for variable, head in first.items()}


class ScopedTable(NamedTuple):
    """A table over the variables `scope`, in elimination order; its last axis runs over the variants."""

    scope: tuple[int, ...]
    table: Table


class JunctionTree:
    """The cliques of a network by an elimination order of all its variables; see `clique_tree`."""

    def __init__(
        self, cardinalities: Sequence[int], factors: Sequence[LogFactor], order: Sequence[int]
    ) -> None:
        rank = {variable: position for position, variable in enumerate(order)}
        self._sizes = cardinalities
        self._cliques, places = clique_tree(len(cardinalities), [factor.scope for factor in factors], order)
        self._factors: list[tuple[int, ScopedTable]] = []
        for factor in factors:
            axes = sorted(range(len(factor.scope)), key=lambda axis: rank[factor.scope[axis]])
            scope = tuple(factor.scope[axis] for axis in axes)
            self._factors.append(
                (places[scope[0]], ScopedTable(scope, factor.logs.transpose(axes)[..., None]))
            )

    def calibrated(self, lacks: Lacks | None = None) -> CalibratedTree:
        """Every clique's table as the network's distribution over it, in plain numbers if possible.

        Raises SolverError: a variant allows no joint state.
        """
        with contextlib.suppress(FloatingPointError), np.errstate(under="raise", over="raise"):
            return self.propagated(LINEAR, lacks)
        # Not in an except clause: the error would keep the first pass's tables in memory.
        return self.propagated(LOGARITHMIC, lacks)

    def propagated(self, numbers: Arithmetic, lacks: Lacks | None = None) -> CalibratedTree:
        """As `calibrated`, with the given kind of numbers.

        Raises:
            SolverError: a variant allows no joint state.
            FloatingPointError: plain numbers overflow.
        """
        variants = 1 if lacks is None else lacks.shape[1]
        inbox: list[list[ScopedTable]] = [[] for _ in self._cliques]
        for home, (scope, given) in self._factors:
            gone = lacks is not None and len(scope) > 1 and lacks[list(scope)].any(axis=0)
            logs = np.where(gone, 0.0, given) if np.any(gone) else given
            inbox[home].append(ScopedTable(scope, numbers.lift(logs)))
        found: list[ScopedTable] = []
        sent: list[Table] = []
        for clique, messages in zip(self._cliques, inbox, strict=True):
            sizes = [self._sizes[i] for i in clique.scope]
            over = ScopedTable(clique.scope, np.full([*sizes, variants], numbers.one))
            for by in messages:
                _multiply(numbers, over, by)
            message = numbers.normalise(_onto(numbers, over, clique.separator).table)
            if clique.parent is not None:
                inbox[clique.parent].append(ScopedTable(clique.separator, message))
            messages.clear()
            found.append(over)
            sent.append(message)
        for clique, over, message in zip(self._cliques[::-1], found[::-1], sent[::-1], strict=True):
            if clique.parent is not None:
                above = _onto(numbers, found[clique.parent], clique.separator).table
                update = numbers.divide(numbers.normalise(above), message)
                _multiply(numbers, over, ScopedTable(clique.separator, update))
        by_size = sorted(found, key=lambda over: over.table.size, reverse=True)
        return CalibratedTree(numbers, {i: over for over in by_size for i in over.scope})


class CalibratedTree(NamedTuple):
    """The calibrated tables of a junction tree: for each variable the smallest one that has it."""

    numbers: Arithmetic
    smallest: Mapping[int, ScopedTable]

    def logs(self, i: int) -> Table:
        """Logarithms of variable i's weights, shape (states, variants)."""
        return self.numbers.logs(_onto(self.numbers, self.smallest[i], (i,)).table)


def _multiply(numbers: Arithmetic, over: ScopedTable, by: ScopedTable) -> None:
    """Multiply a table in place by one over part of its variables."""
    runs, variants = _runs(over, by.scope)
    view = over.table.reshape([size for size, _ in runs] + variants)
    last = [by.table.shape[-1]] if variants else []
    numbers.product(view, by.table.reshape([size if kept else 1 for size, kept in runs] + last), out=view)


def _onto(numbers: Arithmetic, over: ScopedTable, scope: tuple[int, ...]) -> ScopedTable:
    """Sum a table down to `scope`, part of its variables in the same order."""
    runs, variants = _runs(over, scope)
    axes = [axis for axis, (_, kept) in enumerate(runs) if not kept]
    summed = numbers.total(over.table.reshape([size for size, _ in runs] + variants), axes)
    size = dict(zip(over.scope, over.table.shape, strict=False))
    return ScopedTable(scope, summed.reshape([*(size[i] for i in scope), over.table.shape[-1]]))


def _runs(over: ScopedTable, scope: tuple[int, ...]) -> tuple[list[tuple[int, bool]], list[int]]:
    """Adjacent axes joined if all of them are in `scope`, or none: (states, in scope).

    Also the axis of the variants, if there are several.
    """
    inside = frozenset(scope)
    runs: list[tuple[int, bool]] = []
    for i, size in zip(over.scope, over.table.shape, strict=False):
        kept = i in inside
        if runs and runs[-1][1] == kept:
            runs[-1] = (runs[-1][0] * size, kept)
        else:
            runs.append((size, kept))
    return runs, [] if over.table.shape[-1] == 1 else [over.table.shape[-1]]
