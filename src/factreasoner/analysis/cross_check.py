"""Solvers side by side on one network: what each found, how long it took, or why it found nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from factreasoner.errors import ConfigError, SolverError
from factreasoner.models import Marginals
from factreasoner.models.factor_graph import Factor, FactorGraph
from factreasoner.plugins.kinds import SOLVER
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings import Config


class SolverRun(NamedTuple):
    """What one solver, asked for by name, made of a network in how many seconds."""

    asked: str
    seconds: float
    marginals: Marginals


class SolverRefusal(NamedTuple):
    """Why there is nothing of one solver."""

    name: str
    reason: str


class LargestDifference(NamedTuple):
    """The largest difference between two solvers' probabilities of one state, and of which variable."""

    largest: float
    variable: str


def run_solver(name: str, graph: FactorGraph, config: Config) -> SolverRun:
    """Solve a network by one solver.

    Raises:
        ConfigError: no such solver, or its program is not installed.
        SolverError: inference was refused or failed.
    """
    solver = SOLVER.make(name, {"config": lambda: config})
    started = time.perf_counter()
    marginals = solver.marginals(graph)
    return SolverRun(name, time.perf_counter() - started, marginals)


def run_all_solvers(graph: FactorGraph, config: Config) -> Iterator[SolverRun | SolverRefusal]:
    """Try every registered solver, and the one `config` names if it is another, one after another."""
    for name in dict.fromkeys((*PLUGINS["solver"], config.solver)):
        try:
            # Some solvers import their library only when first used.
            run_solver(name, _small(), config)
            yield run_solver(name, graph, config)
        except (ConfigError, SolverError) as error:
            yield SolverRefusal(name, str(error))


def reference_run(trials: Iterable[SolverRun]) -> SolverRun:
    """The run to measure the others by: one that is exact, to a double's precision, if there is any."""
    return min(trials, key=lambda t: (not t.marginals.exact, "precision" in t.marginals.diagnostics))


def difference(one: Marginals, other: Marginals) -> LargestDifference:
    """The largest difference of any probability of any variable; 0 and "" of networks without variables."""
    gaps = (
        LargestDifference(abs(p - q), name)
        for name, values in one.probabilities.items()
        for p, q in zip(values, other.probabilities[name], strict=True)
    )
    return max(gaps, key=lambda gap: gap.largest, default=LargestDifference(0.0, ""))


def _small() -> FactorGraph:
    return FactorGraph(("x", "y"), (2, 2), (Factor((0, 1), np.array([[0.6, 0.4], [0.3, 0.7]])),))
