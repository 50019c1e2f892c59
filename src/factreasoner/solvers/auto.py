"""The default solver: exact wherever that is possible."""

from __future__ import annotations

from factreasoner.config import Config
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.exact import ExactSolver


class AutoSolver:
    """Exact inference while the elimination width allows it. The result names the solver that ran."""

    name = "auto"

    def __init__(self, config: Config | None = None) -> None:
        self._exact = ExactSolver(config)

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises:
            WidthError: the network is too wide for exact inference.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        return self._exact.marginals(graph)
