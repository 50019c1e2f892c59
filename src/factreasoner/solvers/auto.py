"""The default solver: exact wherever that is possible, sampled where not."""

from __future__ import annotations

from factreasoner.models import Marginals
from factreasoner.models.factor_graph import FactorGraph
from factreasoner.solvers.exact import fits
from factreasoner.solvers.gibbs import solve_or_sample
from factreasoner.solvers.reduction import reduce
from factreasoner.solvers.solver_settings import SolverSettings


class AutoSolver:
    """Exact inference while width and memory allow it, else Gibbs sampling, component by component.

    The result names the solver that ran: "gibbs" when any component's posteriors are sampled, else "exact".
    """

    name = "auto"

    def __init__(self, config: SolverSettings) -> None:
        self._config = config

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises:
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        max_width = self._config.max_width
        return solve_or_sample(reduce(graph), lambda plan: fits(plan, max_width), self._config)
