"""Settings that explanations read."""

from __future__ import annotations

from factreasoner.graph.settings import GraphSettings
from factreasoner.solvers.settings import SolverSettings


class ExplanationSettings(GraphSettings, SolverSettings):
    """Settings of the graph and its solver."""
