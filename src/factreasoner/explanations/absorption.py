"""Exact posteriors of a wide network from which a few variables are taken out, one junction tree for all.

Only the change travels: a clique that loses a factor tells its neighbours by what ratio their separator
changed, and they theirs (Hugin's absorption: Jensen, Lauritzen and Olesen 1990). Against solving anew that
saves the elimination order, the inward pass and every clique that no wanted posterior depends on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.solvers.arithmetic import Logarithmic
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.junction_tree import CalibratedTree, JunctionTree
from factreasoner.solvers.log_factors import LogFactor, merged


class AbsorptionTree:
    """A connected network, its junction tree calibrated. `variables` are those whose posteriors are wanted.

    Clique number `place` and its parent share separator number `place`.

    Raises:
        SolverError: the network allows no joint state.
    """

    def __init__(self, graph: FactorGraph, plan: Elimination, variables: Sequence[int]) -> None:
        factors = merged(LogFactor.of(factor) for factor in graph.factors)
        self._tree = JunctionTree(graph.cardinalities, factors, plan.order)
        self._cliques = self._tree.cliques
        self._use(self._tree.calibrated())
        self._variables = tuple(variables)
        self._at_separator: list[list[int]] = [[] for _ in self._cliques]
        self._at_clique: list[list[int]] = [[] for _ in self._cliques]
        self._plan_readings()
        self._children: list[list[int]] = [[] for _ in self._cliques]
        self._below = [len(read) for read in self._at_clique]
        for place, clique in enumerate(self._cliques):
            if clique.parent is not None:
                self._children[clique.parent].append(place)
                self._below[clique.parent] += self._below[place] + len(self._at_separator[place])

    def _use(self, calibrated: CalibratedTree) -> None:
        """Work with these tables and the numbers they hold."""
        self._numbers = calibrated.numbers
        self._tables = calibrated.tables
        self._separators = [
            self._summed(table, clique.scope, clique.separator)
            for table, clique in zip(self._tables, self._cliques, strict=True)
        ]

    def _plan_readings(self) -> None:
        """Read each variable off the smallest separator that has it, else off the one clique that does."""
        for i in self._variables:
            held = [place for place, clique in enumerate(self._cliques) if i in clique.scope]
            shared = [place for place in held if i in self._cliques[place].separator]
            if shared:
                smallest = min(shared, key=lambda place: len(self._cliques[place].separator))
                self._at_separator[smallest].append(i)
            else:
                self._at_clique[held[0]].append(i)

    def log_odds(self, gone: frozenset[int]) -> Table:
        """ln P(true) - ln P(false) of the variables without those in `gone`, which have factors in common."""
        with contextlib.suppress(FloatingPointError), np.errstate(under="raise", over="raise"):
            return self._without(gone)
        # Plain numbers do not reach: from now on logarithms.
        self._use(self._tree.propagated(Logarithmic()))
        return self._without(gone)

    def _without(self, gone: frozenset[int]) -> Table:
        tables: dict[int, Table] = {}
        separators: dict[int, Table] = {}
        found: dict[int, Table] = {}
        top = self._collect(gone, tables, separators)
        pending = [(top, top)]
        while pending:
            place, origin = pending.pop()
            table, scope = tables.pop(place), self._cliques[place].scope
            found.update((i, self._summed(table, scope, (i,))) for i in self._at_clique[place])
            for edge, other in self._onward(place, origin):
                between = self._cliques[edge].separator
                new = self._summed(table, scope, between)
                found.update((i, self._summed(new, between, (i,))) for i in self._at_separator[edge])
                if self._beyond(edge, other):
                    change = self._numbers.divide(new, separators.get(edge, self._separators[edge]))
                    self._multiply(tables, other, change, between)
                    pending.append((other, place))
        logs = self._numbers.logs(np.stack([found[i] for i in self._variables], axis=1))[..., 0]
        return np.asarray(logs[1] - logs[0])

    def _collect(self, gone: frozenset[int], tables: dict[int, Table], separators: dict[int, Table]) -> int:
        """Take the factors of `gone` out, and bring all that changed together in one clique; which one."""
        for j, factor in enumerate(self._tree.factors):
            if len(factor.scope) > 1 and not gone.isdisjoint(factor.scope):
                scope, logs = self._tree.placed(j)
                self._multiply(tables, self._tree.homes[j], self._numbers.lift(-logs), scope)
        if not tables:
            tables[0] = self._tables[0]
        changed = set(tables)
        while len(changed) > 1:
            # Children stand before their parents: nothing that is still to change lies below this one.
            place = min(changed)
            clique = self._cliques[place]
            new = self._summed(tables[place], clique.scope, clique.separator)
            separators[place] = new
            change = self._numbers.divide(new, self._separators[place])
            parent = clique.parent
            assert parent is not None, "the last clique is every other one's ancestor"
            self._multiply(tables, parent, change, clique.separator)
            changed.remove(place)
            changed.add(parent)
        return changed.pop()

    def _multiply(self, tables: dict[int, Table], place: int, by: Table, scope: tuple[int, ...]) -> None:
        """Multiply a clique's own table among `tables`, a copy of the calibrated one at first."""
        if place not in tables:
            tables[place] = self._tables[place].copy()
        self._tree.multiply(self._numbers, tables[place], self._cliques[place].scope, by, scope)

    def _summed(self, table: Table, wide: tuple[int, ...], scope: tuple[int, ...]) -> Table:
        return self._tree.onto(self._numbers, table, wide, scope)

    def _onward(self, place: int, origin: int) -> Iterator[tuple[int, int]]:
        """(separator, clique) of the neighbours that wanted posteriors lie at or behind, but `origin`."""
        for child in self._children[place]:
            if child != origin and self._below[child] + len(self._at_separator[child]):
                yield child, child
        parent = self._cliques[place].parent
        if parent is not None and parent != origin and self._below[place] < len(self._variables):
            yield place, parent

    def _beyond(self, edge: int, other: int) -> bool:
        """Whether a wanted posterior lies beyond a separator, on the side of clique `other`."""
        if other == edge:
            return self._below[edge] > 0
        return self._below[edge] + len(self._at_separator[edge]) < len(self._variables)
