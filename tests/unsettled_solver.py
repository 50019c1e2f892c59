"""A solver of a user's own that samples and stops too early: `--solver unsettled_solver:UnsettledSolver`."""

from factreasoner.solvers.exact import ExactSolver


class UnsettledSolver:
    """Posteriors that are off, with a standard error that does not show it."""

    name = "unsettled"

    def __init__(self, config=None):
        self._warning = {"warning": "sampling stopped without converging"}

    def marginals(self, graph):
        """Half way to one half."""
        exact = ExactSolver().marginals(graph)
        off = {name: tuple((p + 0.5) / 2.0 for p in found) for name, found in exact.probabilities.items()}
        return exact.model_copy(
            update={
                "probabilities": off,
                "solver": self.name,
                "exact": False,
                "converged": False,
                "stderr": 0.002,
                "diagnostics": self._warning,
            }
        )
