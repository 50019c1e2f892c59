"""The default solver: exact wherever that is possible, sampled where not."""

from __future__ import annotations

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.exact import Job, Planned, job_for
from factreasoner.solvers.gibbs import solve_or_sample
from factreasoner.solvers.reduction import reduce

LARGEST_WORK = 1 << 28
"""Table entries that conditioning may compute at once: a few seconds. Past that, sampling is tried first."""

ENTRIES_A_SECOND = 40_000_000
"""Table entries that exact inference surely computes in a second."""


class AutoSolver:
    """Exact inference while the elimination width allows it, else Gibbs sampling, component by component.

    Where sampling does not converge in a share of `config.solver_seconds`, exact inference is tried as far as
    memory and the rest of the time allow. The result names the solver that ran: "gibbs" when any component's
    posteriors are sampled, else "exact".
    """

    name = "auto"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises:
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        return solve_or_sample(reduce(graph), self._job, self._config)

    def _job(self, planned: Planned, seconds: float) -> Job | None:
        work = max(LARGEST_WORK, int(seconds * ENTRIES_A_SECOND))
        try:
            return job_for(planned, self._config.max_width, largest_work=work)
        except WidthError:
            return None
