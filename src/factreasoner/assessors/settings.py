"""Settings of assessors."""

from __future__ import annotations

from factreasoner.graph.settings import GraphSettings
from factreasoner.judges.settings import JudgeSettings
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.setting import setting
from factreasoner.solvers.settings import SolverSettings


class AssessorSettings(JudgeSettings, GraphSettings, SolverSettings):
    """Settings of the assessor."""

    assessor: str = setting(
        "Assessor", "factreasoner", f"Method: {', '.join(PLUGINS['assessor'])} or package.module:Class."
    )
