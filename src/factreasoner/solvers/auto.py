"""The default solver: exact wherever that is possible, sampled where not."""

from __future__ import annotations

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.exact import Job, job_for
from factreasoner.solvers.gibbs import solve_or_sample
from factreasoner.solvers.reduction import Component, reduce

LARGEST_WORK = 1 << 28
"""Table entries that conditioning may compute: a few seconds. Past that, sampling serves better."""


class AutoSolver:
    """Exact inference while the elimination width allows it, else Gibbs sampling, component by component.

    The result names the solver that ran: "gibbs" when any component was sampled, else "exact".
    """

    name = "auto"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises:
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        return solve_or_sample(reduced, [self._job(part) for part in reduced.components], self._config)

    def _job(self, part: Component) -> Job | None:
        try:
            return job_for(part, self._config.max_width, largest_work=LARGEST_WORK)
        except WidthError:
            return None
