"""Settings of solvers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.setting import Settings, setting

MerlinAlgorithm = Literal["wmb", "bte", "cte", "ijgp", "lbp"]
_graph = partial(setting, "Graph")


class SolverSettings(Settings):
    """Settings of the solver."""

    solver: str = _graph("auto", f"Solver: {', '.join(PLUGINS['solver'])} or package.module:Class.")
    solver_seconds: float = _graph(
        30.0, "Maximum seconds per record for gibbs, pgmpy or merlin.", gt=0.0, allow_inf_nan=False
    )
    merlin_path: Path | None = _graph(
        None, "The merlin binary. (default: MERLIN_PATH, else merlin on PATH)", affects="calls"
    )
    merlin_algorithm: MerlinAlgorithm | None = _graph(
        None, "Algorithm of merlin. (default: cte while the width allows it, else wmb)"
    )
    merlin_ibound: int | None = _graph(None, "i-bound of wmb and ijgp. (default: 10)", ge=1)
    seed: int = setting("Scores", 0, "Random seed.")
