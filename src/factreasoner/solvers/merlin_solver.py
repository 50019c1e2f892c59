"""Posteriors by merlin, an inference engine in C++ that the user has installed."""

from __future__ import annotations

import numpy as np

import merlin_bridge
from factreasoner.config import Config
from factreasoner.errors import ConfigError, SolverError
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Marginals
from factreasoner.solvers.merlin_plan import Plan, Problem, plan
from factreasoner.solvers.reduction import Component, reduce


class MerlinSolver:
    """Runs the merlin binary, once for all connected parts of a network.

    Variables with one possible state and variables that stand alone need no inference and are not sent.
    `cte` and `bte` are exact; with no algorithm set, see :func:`factreasoner.solvers.merlin_plan.plan`.

    Raises:
        ConfigError: there is no merlin binary.
    """

    name = "merlin"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()
        try:
            self._binary = merlin_bridge.locate(self._config.merlin_path)
        except merlin_bridge.MerlinNotFoundError as error:
            raise ConfigError(f"solver 'merlin': {error}") from error

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable, to the 6 decimals merlin prints; `diagnostics` say what was run.

        Raises:
            WidthError: what was set would need more memory than half of the machine's.
            SolverError: merlin failed, crashed, ran out of time or gave no valid answer; or the network or
                its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        connected = [part for part in reduced.components if len(part.variables) > 1]
        solved: dict[int, Table] = {}
        exact, width = True, 0
        diagnostics: dict[str, str | int | float] = {"algorithm": "none needed"}
        if connected:
            problem = Problem.of(connected)
            chosen = plan(problem, self._config)
            result = self._run(problem, chosen)
            solved.update(zip(problem.variables, map(np.array, result.marginals), strict=True))
            exact, width = result.algorithm in merlin_bridge.EXACT_ALGORITHMS, problem.width
            diagnostics = _diagnostics(result, chosen)
        for part in reduced.components:
            if len(part.variables) == 1:
                solved[part.variables[0]] = _product(part)
        return Marginals(
            probabilities=reduced.named(
                [solved[i] / solved[i].sum() for i in part.variables] for part in reduced.components
            ),
            solver=self.name,
            exact=exact,
            width=width,
            diagnostics=diagnostics,
        )

    def _run(self, problem: Problem, chosen: Plan) -> merlin_bridge.Result:
        factors = [(factor.scope, factor.table.ravel().tolist()) for factor in problem.factors]
        try:
            return merlin_bridge.run(
                merlin_bridge.Network(problem.cardinalities, factors),
                binary=self._binary,
                algorithm=chosen.algorithm,
                ibound=chosen.ibound,
                iterations=self._config.merlin_iterations,
                timeout=self._config.merlin_timeout,
            )
        except merlin_bridge.MerlinError as error:
            raise SolverError(f"solver 'merlin': {error}") from error


def _product(part: Component) -> Table:
    """The weights of a variable that stands alone."""
    weights = np.ones(part.cardinalities)
    for factor in part.factors:
        weights *= factor.table
    return weights


def _diagnostics(result: merlin_bridge.Result, chosen: Plan) -> dict[str, str | int | float]:
    told: dict[str, str | int | float | None] = {
        "algorithm": result.algorithm,
        "reason": chosen.reason,
        "ibound": result.ibound,
        "iterations": result.iterations,
        "seconds": round(result.seconds, 3),
        "precision": merlin_bridge.PRECISION,
    }
    return {key: value for key, value in told.items() if value is not None}
