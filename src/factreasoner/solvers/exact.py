"""Exact marginals by junction trees, per component, within available memory."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from pathlib import Path

import numpy as np

from factreasoner.errors import WidthError
from factreasoner.models import Marginals
from factreasoner.models.graph import FactorGraph, Table
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import junction_tree_marginals
from factreasoner.solvers.reduction import Component, distribution, reduce

_LARGE = 1 << 26
_one_large_at_a_time = threading.Lock()


class ExactSolver:
    """Junction tree inference. Refuses networks that need too much memory before allocating it."""

    name = "exact"

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        plans = [plan_of(part) for part in reduced.components]
        for plan in plans:
            if not fits(plan):
                raise too_wide(plan)
        return Marginals(
            probabilities=reduced.named(map(solve, reduced.components, plans)),
            solver=self.name,
            exact=True,
            width=max((plan.width for plan in plans), default=0),
        )


def plan_of(part: Component) -> Elimination:
    """A good elimination order of a component; nothing large is allocated."""
    if len(part.variables) == 1:  # the most frequent case: a passage without relations
        (states,) = part.cardinalities
        return Elimination((0,), 0, states, states)
    return eliminate(part.cardinalities, part.scopes)


def plan_of_network(graph: FactorGraph) -> Elimination:
    """The elimination cost of a network without its observed variables."""
    sizes = [1 if i in graph.evidence else size for i, size in enumerate(graph.cardinalities)]
    scopes = [[i for i in factor.scope if i not in graph.evidence] for factor in graph.factors]
    return eliminate(sizes, [scope for scope in scopes if scope])


def fits(plan: Elimination) -> bool:
    """Whether a plan is within the memory limit."""
    return bytes_needed(plan) <= memory_budget()


def too_wide(plan: Elimination) -> WidthError:
    """The error for a plan above the limit."""
    return WidthError(
        f"exact inference would have elimination width {plan.width} and need {readable(bytes_needed(plan))}; "
        f"allowed: {readable(memory_budget())}. Use solver 'gibbs', or 'auto', which falls back to it; "
        "or remove weak relations."
    )


def solve(part: Component, plan: Elimination) -> list[Table]:
    """Exact marginals of one component, in the order of its variables.

    Raises SolverError: every joint state has probability 0.
    """
    if len(part.variables) == 1:
        return [distribution(part.factors[0].logs if part.factors else np.zeros(part.cardinalities))]
    # Threads that solve one large network each would need the budget once for every thread.
    large = bytes_needed(plan) > _LARGE
    with _one_large_at_a_time if large else contextlib.nullcontext():
        return junction_tree_marginals(part.cardinalities, part.factors, plan.order)


MEMORY_BUDGET = 1 << 31
"""Maximum bytes of one component's tables, and at most half of the machine's memory."""

_CONTAINER_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def memory_budget() -> int:
    """Bytes allowed for one component's tables."""
    return min(MEMORY_BUDGET, machine_memory() // 2)


def machine_memory() -> int:
    """Bytes of this machine, or of the container; sys.maxsize if they are unknown."""
    return _smallest_limit(tuple(_CONTAINER_LIMITS))


@functools.cache
def _smallest_limit(of_containers: tuple[Path, ...]) -> int:
    limits = [sys.maxsize]
    with contextlib.suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in of_containers:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(path.read_text()))
    return min(limit for limit in limits if limit > 0)


def bytes_needed(plan: Elimination) -> int:
    """Bytes for one table per clique, and for two more of the largest while it is summed."""
    return 8 * (plan.total + 2 * plan.largest_table)


def readable(count: int) -> str:
    """A number of bytes in the largest unit that leaves at least one."""
    if count >= 1 << 60:
        return "more than 10^18 bytes"
    power = max(count.bit_length() - 1, 0) // 10
    return f"{count / (1 << 10 * power):.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power]}"
