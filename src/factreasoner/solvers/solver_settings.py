"""What solvers need of the settings: handed in, so that a solver does without the others."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class SolverSettings(Protocol):
    """Limits of every solver, and the settings of merlin; :class:`factreasoner.Config` is such."""

    @property
    def max_width(self) -> int | None:
        """Largest elimination width solved exactly; None: by memory."""

    @property
    def tolerance(self) -> float:
        """Standard error at which sampling stops."""

    @property
    def solver_seconds(self) -> float:
        """Seconds that sampling, or pgmpy, may take for one network."""

    @property
    def seed(self) -> int:
        """Seed of the sampling."""

    @property
    def merlin_path(self) -> Path | None:
        """The merlin binary; None: MERLIN_PATH, else merlin on PATH."""

    @property
    def merlin_algorithm(self) -> str | None:
        """How merlin infers; None: as the network's width allows."""

    @property
    def merlin_ibound(self) -> int | None:
        """The i-bound of merlin's mini-buckets."""

    @property
    def merlin_iterations(self) -> int | None:
        """Iterations of merlin."""

    @property
    def merlin_timeout(self) -> float:
        """Seconds merlin may take for one network."""
