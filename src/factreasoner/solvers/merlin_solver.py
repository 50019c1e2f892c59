"""Posteriors by merlin, an inference engine in C++ that the user has installed."""

from __future__ import annotations

from typing import get_args

import merlin_bridge
from factreasoner.choices import RemovedMerlinAlgorithm
from factreasoner.config import Config
from factreasoner.errors import ConfigError, SolverError
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.merlin_plan import AlgorithmChoice, EliminationCost, choose_algorithm
from factreasoner.solvers.reduction import check

NO_BOUND = (
    "an approximation without an error bound: on some networks such results are off by more than 0.5; "
    "merlin_algorithm 'cte' and solver 'exact' are exact"
)


class MerlinSolver:
    """Runs the merlin binary on the network as it is given.

    Nothing that the other solvers do to a network first is done here, so that a fault of theirs would show.
    `cte` and `bte` are exact; with no algorithm set, see
    :func:`factreasoner.solvers.merlin_plan.choose_algorithm`.

    Raises:
        ConfigError: there is no merlin binary; or the algorithm set is one that earlier versions offered.
    """

    name = "merlin"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()
        if self._config.merlin_algorithm in get_args(RemovedMerlinAlgorithm):
            raise ConfigError(
                f"merlin_algorithm: {self._config.merlin_algorithm!r} is not offered any more: set 'wmb' or "
                "'cte', or another solver (auto, exact, gibbs)"
            )
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
        check(graph)
        if not graph.names:
            return Marginals(probabilities={}, solver=self.name, exact=True, width=0)
        problem = EliminationCost.of(graph)
        chosen = choose_algorithm(problem, self._config)
        result = self._run(graph, chosen)
        exact = result.algorithm in merlin_bridge.EXACT_ALGORITHMS
        return Marginals(
            probabilities={
                name: tuple(p / sum(found) for p in found)
                for name, found in zip(graph.names, result.marginals, strict=True)
            },
            solver=self.name,
            exact=exact,
            width=problem.width,
            diagnostics=_diagnostics(result, chosen) | ({} if exact else {"warning": NO_BOUND}),
        )

    def _run(self, graph: FactorGraph, chosen: AlgorithmChoice) -> merlin_bridge.Result:
        factors = [(factor.scope, factor.table.ravel().tolist()) for factor in graph.factors]
        try:
            return merlin_bridge.run(
                merlin_bridge.Network(graph.cardinalities, factors),
                binary=self._binary,
                algorithm=chosen.algorithm,
                ibound=chosen.ibound,
                iterations=self._config.merlin_iterations,
                evidence=graph.evidence,
                timeout=self._config.merlin_timeout,
            )
        except merlin_bridge.MerlinError as error:
            raise SolverError(f"solver 'merlin': {error}") from error


def _diagnostics(result: merlin_bridge.Result, chosen: AlgorithmChoice) -> dict[str, str | int | float]:
    told: dict[str, str | int | float | None] = {
        "algorithm": result.algorithm,
        "reason": chosen.reason,
        "ibound": result.ibound,
        "iterations": result.iterations,
        "seconds": round(result.seconds, 3),
        "precision": merlin_bridge.PRECISION,
    }
    return {key: value for key, value in told.items() if value is not None}
