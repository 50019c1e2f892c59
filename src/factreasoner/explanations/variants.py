"""Exact posteriors of many variants of a narrow network at once, each without a few of its variables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.junction_tree import JunctionTree
from factreasoner.solvers.log_factors import LogFactor, merged

CHUNK_ENTRIES = 1 << 22
"""Table entries of all cliques and variants that are worked on together: 32 MiB."""


class VariantTree:
    """The junction tree of a network of binary variables; `variables` are those to be explained."""

    def __init__(self, graph: FactorGraph, plan: Elimination, variables: Sequence[int]) -> None:
        factors = merged(LogFactor.of(factor) for factor in graph.factors)
        self._tree = JunctionTree(graph.cardinalities, factors, plan.order)
        self._count = len(graph.names)
        self._variables = tuple(variables)
        self._chunk = max(1, CHUNK_ENTRIES // plan.total)

    def log_odds(self, removed: Sequence[Collection[int]]) -> Table:
        """ln P(true) - ln P(false) of the variables in each variant, shape (variants, variables).

        Variant b lacks the variables `removed[b]`.

        Raises:
            SolverError: a variant allows no joint state.
        """
        found = [
            self._solved(removed[start : start + self._chunk])
            for start in range(0, len(removed), self._chunk)
        ]
        return np.concatenate([np.empty((0, len(self._variables))), *found])

    def _solved(self, removed: Sequence[Collection[int]]) -> Table:
        lacks = np.zeros((self._count, len(removed)), dtype=bool)
        for variant, gone in enumerate(removed):
            lacks[list(gone), variant] = True
        calibrated = self._tree.calibrated(lacks)
        logs = np.stack([calibrated.logs(i) for i in self._variables], axis=1)
        return np.asarray(logs[1] - logs[0]).T
