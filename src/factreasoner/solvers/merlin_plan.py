"""Which of merlin's algorithms to run, at which i-bound, and whether the machine can bear it."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.mini_buckets import largest_ibound, mini_buckets
from merlin_bridge import DEFAULT_ITERATIONS, EXACT_ALGORITHMS, IBOUND_ALGORITHMS

EXACT_WIDTH = 18
"""Largest elimination width at which an exact algorithm is chosen, unless `max_width` says otherwise."""

EXACT_ENTRIES = 1 << 25
"""Most table entries at which one is chosen: a few seconds of merlin's arithmetic."""

ENTRIES_A_SECOND = 5_000_000
"""Table entries times iterations that mini-buckets should manage in a second: some 200 ns for one."""

BYTES_PER_ENTRY = 32
"""A cluster's table, its reparametrisation and two messages, in doubles."""

BYTES_PER_PAIR = 72
"""The mini-bucket algorithms keep a set of variables for every pair of clusters."""


class EliminationCost(NamedTuple):
    """What eliminating a network would take: the sizes and scopes of what is not observed, and an order."""

    cardinalities: tuple[int, ...]
    scopes: list[list[int]]
    order: tuple[int, ...]
    width: int
    entries: int

    @classmethod
    def of(cls, graph: FactorGraph) -> EliminationCost:
        """The cost of eliminating a network, its observed variables left out."""
        sizes = tuple(1 if i in graph.evidence else size for i, size in enumerate(graph.cardinalities))
        scopes = [[i for i in factor.scope if i not in graph.evidence] for factor in graph.factors]
        scopes = [scope for scope in scopes if scope]
        cost = eliminate(sizes, scopes)
        return cls(sizes, scopes, cost.order, cost.width, cost.total)


class AlgorithmChoice(NamedTuple):
    """An algorithm, its i-bound where it takes one, and why it is this one."""

    algorithm: str
    ibound: int | None
    reason: str


def choose_algorithm(problem: EliminationCost, config: Config) -> AlgorithmChoice:
    """What to run: as set, and chosen where nothing is set.

    Chosen is `cte`, which is exact, while the width allows it; else `wmb` at the largest i-bound that should
    take about a second.

    Raises:
        WidthError: it would need more memory than half of the machine's.
    """
    algorithm, reason = _algorithm(problem, config)
    ibound = None
    if algorithm in IBOUND_ALGORITHMS:
        entries = ENTRIES_A_SECOND // (config.merlin_iterations or DEFAULT_ITERATIONS)
        ibound = config.merlin_ibound or largest_ibound(
            problem.cardinalities, problem.scopes, problem.order, entries=entries, most=problem.width
        )
    needed = _memory(problem, algorithm, ibound)
    if needed > half_the_memory():
        raise WidthError(
            f"merlin's {algorithm!r} would need about {needed / 2**30:.3g} GiB at elimination width "
            f"{problem.width}, more than half of this machine's memory: use merlin_algorithm 'wmb' with a "
            "smaller merlin_ibound, or solver 'gibbs'"
        )
    return AlgorithmChoice(algorithm, ibound, reason)


def _algorithm(problem: EliminationCost, config: Config) -> tuple[str, str]:
    if config.merlin_algorithm is not None:
        return config.merlin_algorithm, "set by merlin_algorithm"
    limit = EXACT_WIDTH if config.max_width is None else config.max_width
    if problem.width <= limit and problem.entries <= EXACT_ENTRIES:
        return "cte", f"elimination width {problem.width} allows exact inference"
    return "wmb", f"elimination width {problem.width} is too large for exact inference"


def _memory(problem: EliminationCost, algorithm: str, ibound: int | None) -> int:
    """About how many bytes merlin will take."""
    if algorithm in EXACT_ALGORITHMS:
        return problem.entries * BYTES_PER_ENTRY
    if ibound is None:
        return 0
    cost = mini_buckets(problem.cardinalities, problem.scopes, problem.order, ibound=ibound)
    return cost.entries * BYTES_PER_ENTRY + cost.tables**2 * BYTES_PER_PAIR


def half_the_memory() -> int:
    """Bytes merlin may take; without a limit where the machine does not tell its size."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return sys.maxsize
