"""Junction trees of binary networks that variables can be taken out of: exact posteriors of what is left.

Every table has a last axis of variants. A variant lacks some variables: factors of theirs are 1 in it. All
variants share the elimination order, the cliques and every message's place (Jensen et al. 1990).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from factreasoner.errors import SolverError
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.solvers.clique_tree import clique_tree
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.reduction import INCONSISTENT, merged

CHUNK_ENTRIES = 1 << 22
"""Table entries of all cliques and variants that are worked on together: 32 MiB."""


class JunctionTree:
    """The cliques of a network of binary variables, by an elimination order of all of them."""

    def __init__(self, graph: FactorGraph, plan: Elimination) -> None:
        self.factors = merged(graph.factors)
        tree = clique_tree(graph.cardinalities, [factor.scope for factor in self.factors], plan.order)
        self.cliques, self.homes = tree.cliques, tree.homes
        self._count = len(graph.names)

    def propagated(self, lacks: npt.NDArray[np.bool_]) -> list[Table]:
        """The calibrated tables of all cliques; `lacks` says which variables (rows) which variant lacks.

        Raises:
            SolverError: a variant allows no joint state.
            FloatingPointError: under the caller's error state, weights left the range of a double.
        """
        tables = [np.ones((2,) * len(clique.scope) + (lacks.shape[1],)) for clique in self.cliques]
        for j, home in enumerate(self.homes):
            scope, table = self.placed(j)
            if len(scope) > 1 and (gone := lacks[list(scope)].any(axis=0)).any():
                table = np.where(gone, 1.0, table)
            tables[home] *= spread(table, scope, self.cliques[home].scope)
        sent: list[Table] = []
        for table, clique in zip(tables, self.cliques, strict=True):
            message = scaled(summed(table, clique.scope, clique.separator))
            sent.append(message)
            if clique.parent is not None:
                tables[clique.parent] *= spread(message, clique.separator, self.cliques[clique.parent].scope)
        for table, clique, message in zip(tables[::-1], self.cliques[::-1], sent[::-1], strict=True):
            if clique.parent is not None:
                above = summed(tables[clique.parent], self.cliques[clique.parent].scope, clique.separator)
                np.multiply(table, ratio(scaled(above), message), out=table)
        return tables

    def placed(self, j: int) -> tuple[tuple[int, ...], Table]:
        """Factor j with its variables in the order of its clique, and an axis of one variant."""
        factor = self.factors[j]
        scope = tuple(i for i in self.cliques[self.homes[j]].scope if i in factor.scope)
        return scope, factor.table.transpose([factor.scope.index(i) for i in scope])[..., None]

    def lacking(self, removed: Sequence[Collection[int]]) -> npt.NDArray[np.bool_]:
        """The array for `propagated` of variants that each lack some variables."""
        lacks = np.zeros((self._count, len(removed)), dtype=bool)
        for variant, gone in enumerate(removed):
            lacks[list(gone), variant] = True
        return lacks


class VariantTree:
    """Many variants of a narrow network at once. `variables` are those whose posteriors are wanted."""

    def __init__(self, graph: FactorGraph, plan: Elimination, variables: Sequence[int]) -> None:
        self._tree = JunctionTree(graph, plan)
        self._chunk = max(1, CHUNK_ENTRIES // plan.total)
        scopes = [clique.scope for clique in self._tree.cliques]
        self._read_at = {
            i: min((place for place, scope in enumerate(scopes) if i in scope), key=lambda p: len(scopes[p]))
            for i in variables
        }

    def log_odds(self, removed: Sequence[Collection[int]]) -> Table:
        """ln P(true) - ln P(false) of the variables in each variant, shape (variants, variables).

        Variant b lacks the variables `removed[b]`.

        Raises:
            SolverError: a variant allows no joint state.
            FloatingPointError: weights left the range of a double on the way.
        """
        found = [
            self._solved(removed[start : start + self._chunk])
            for start in range(0, len(removed), self._chunk)
        ]
        return np.concatenate([np.empty((0, len(self._read_at))), *found])

    def _solved(self, removed: Sequence[Collection[int]]) -> Table:
        with np.errstate(under="raise", over="raise"):
            tables = self._tree.propagated(self._tree.lacking(removed))
            weights = [
                summed(tables[place], self._tree.cliques[place].scope, (i,))
                for i, place in self._read_at.items()
            ]
        return odds(np.stack(weights, axis=1)).T


def spread(table: Table, scope: Collection[int], wide: Sequence[int]) -> Table:
    """A table over `scope`, part of `wide` in the same order, in a shape that multiplies one over `wide`."""
    return table.reshape([2 if i in scope else 1 for i in wide] + [table.shape[-1]])


def summed(table: Table, wide: Sequence[int], scope: Collection[int]) -> Table:
    """A table over `wide` summed down to `scope`, part of `wide` in the same order."""
    # The widest strides first: several times faster than the other way round.
    for axis, i in enumerate(wide):
        if i not in scope:
            table = table.sum(axis=axis, keepdims=True)
    return table.reshape((2,) * len(scope) + (table.shape[-1],))


def scaled(table: Table) -> Table:
    """A table whose largest entry is 1 in every variant. Raises SolverError where one is 0 throughout."""
    largest = table.max(axis=tuple(range(table.ndim - 1)))
    if not largest.all():
        raise SolverError(INCONSISTENT)
    return np.asarray(table / largest)


def ratio(new: Table, old: Table) -> Table:
    """`new` / `old`, and 0 where both are."""
    return np.asarray(np.divide(new, old, out=np.zeros_like(new), where=old > 0.0))


def odds(weights: Table) -> Table:
    """ln of the second weight over the first, along the first axis."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights[1]) - np.log(weights[0]))
