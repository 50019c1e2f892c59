"""What solvers need of the settings: handed in, so that a solver does without the others."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class SolverSettings(Protocol):
    """Limits of every solver, and the settings of merlin; :class:`factreasoner.Config` is such.

    What each means, and its default, stands in docs/settings.md.
    """

    max_width: int | None
    tolerance: float
    solver_seconds: float
    seed: int
    merlin_path: Path | None
    merlin_ibound: int | None
    merlin_iterations: int | None
    merlin_timeout: float

    @property
    def merlin_algorithm(self) -> str | None:
        """How merlin infers; None: as the network's width allows."""
        ...
