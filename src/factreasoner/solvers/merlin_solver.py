"""Posteriors by merlin, an inference engine in C++ installed by the user."""

from __future__ import annotations

import merlin_bridge
from factreasoner.errors import ConfigError, SolverError, WidthError
from factreasoner.models import Marginals
from factreasoner.models.graph import FactorGraph
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.exact import machine_memory, plan_of_network, readable
from factreasoner.solvers.settings import SolverSettings

NO_BOUND = (
    "an approximation without an error bound: on some networks such results are off by more than 0.5; "
    "merlin_algorithm 'cte' and solver 'exact' are exact"
)
EXACT_WIDTH = 18
"""Maximum elimination width for an exact algorithm."""

EXACT_ENTRIES = 1 << 25
"""Maximum table entries for an exact algorithm: a few seconds of merlin's time."""

IBOUND = 10

BYTES_PER_ENTRY = 32
"""A cluster's table, its reparametrisation and two messages, in doubles."""


class MerlinSolver:
    """Runs the merlin binary on the unreduced network.

    It skips the reductions of other solvers, so that it can reveal their errors. `cte` and `bte` are exact.
    By default it is `cte` if the width allows it, else `wmb`.

    Raises ConfigError: there is no merlin binary.
    """

    name = "merlin"

    def __init__(self, config: SolverSettings) -> None:
        self._config = config
        try:
            self._binary = merlin_bridge.locate(self._config.merlin_path)
        except merlin_bridge.MerlinNotFoundError as error:
            raise ConfigError(f"solver 'merlin': {error}") from error

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable, to merlin's 6 decimals; `diagnostics` say what was run.

        Raises:
            WidthError: the algorithm would need more than half of the machine's memory.
            SolverError: merlin failed, ran out of time or gave no valid answer; or the network or its
                evidence has probability 0, or a table is malformed.
        """
        if not graph.names:
            return Marginals(probabilities={}, solver=self.name, exact=True, width=0)
        plan = plan_of_network(graph)
        algorithm, reason = self._chosen(plan)
        self._refuse_too_large(algorithm, plan)
        result = self._run(graph, algorithm)
        exact = result.algorithm in merlin_bridge.EXACT_ALGORITHMS
        diagnostics = {
            "algorithm": result.algorithm,
            "reason": reason,
            "ibound": result.ibound,
            "iterations": result.iterations,
            "seconds": round(result.seconds, 3),
            "precision": merlin_bridge.PRECISION,
            "warning": None if exact else NO_BOUND,
        }
        return Marginals(
            probabilities={
                name: tuple(p / sum(found) for p in found)
                for name, found in zip(graph.names, result.marginals, strict=True)
            },
            solver=self.name,
            exact=exact,
            width=plan.width,
            diagnostics={key: value for key, value in diagnostics.items() if value is not None},
        )

    def _chosen(self, plan: Elimination) -> tuple[str, str]:
        """The algorithm to run, and why."""
        if self._config.merlin_algorithm is not None:
            return self._config.merlin_algorithm, "set by merlin_algorithm"
        if plan.width <= EXACT_WIDTH and plan.total <= EXACT_ENTRIES:
            return "cte", f"elimination width {plan.width} allows exact inference"
        return "wmb", f"elimination width {plan.width} is too large for exact inference"

    def _refuse_too_large(self, algorithm: str, plan: Elimination) -> None:
        entries = plan.total
        if algorithm in merlin_bridge.IBOUND_ALGORITHMS:
            entries = min(entries, len(plan.order) << self._ibound + 1)
        elif algorithm not in merlin_bridge.EXACT_ALGORITHMS:
            return
        needed = entries * BYTES_PER_ENTRY
        if needed > machine_memory() // 2:
            raise WidthError(
                f"merlin's {algorithm!r} would need about {readable(needed)} at elimination width "
                f"{plan.width}, more than half of this machine's memory: use merlin_algorithm 'wmb' with a "
                "smaller merlin_ibound, or solver 'gibbs'"
            )

    @property
    def _ibound(self) -> int:
        return self._config.merlin_ibound or IBOUND

    def _run(self, graph: FactorGraph, algorithm: str) -> merlin_bridge.Result:
        factors = [(factor.scope, factor.table.ravel().tolist()) for factor in graph.factors]
        try:
            return merlin_bridge.run(
                merlin_bridge.Network(graph.cardinalities, factors),
                binary=self._binary,
                algorithm=algorithm,
                ibound=self._ibound,
                evidence=graph.evidence,
                timeout=self._config.solver_seconds,
            )
        except merlin_bridge.MerlinError as error:
            raise SolverError(f"solver 'merlin': {error}") from error
