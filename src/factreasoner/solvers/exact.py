"""Exact marginals by junction trees, component by component."""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Marginals
from factreasoner.solvers.conditioning import LARGEST_WORK, Cutset, condition, cutset
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import junction_tree_marginals
from factreasoner.solvers.lumping import Lumped, lump
from factreasoner.solvers.memory import bytes_needed, memory_budget, readable
from factreasoner.solvers.reduction import Component, alone, reduce

_LARGE = 1 << 26
_one_large_at_a_time = threading.Lock()


class Planned(NamedTuple):
    """A component with its variables lumped, and what its junction tree would take."""

    lumped: Lumped
    plan: Elimination

    @classmethod
    def of(cls, part: Component) -> Planned:
        """Look for a good elimination order; nothing large is allocated."""
        if len(part.variables) == 1:  # as most are: nothing speaks of most passages
            (states,) = part.cardinalities
            return cls(Lumped(((0,),), (states,), part.factors), Elimination((0,), 0, states, states))
        lumped = lump(part)
        return cls(lumped, eliminate(lumped.cardinalities, lumped.scopes))


class Job(NamedTuple):
    """How one component will be solved exactly; nothing large has been allocated yet."""

    lumped: Lumped
    plan: Elimination
    cut: Cutset | None = None

    @property
    def width(self) -> int:
        """Elimination width of the tree, or of each tree when conditioned."""
        return self.cut.plan.width if self.cut else self.plan.width


class ExactSolver:
    """Junction tree inference. Refuses what would need more memory than allowed, before allocating it.

    With `config.max_width` a wider network is refused. Without, the limit is a memory budget, and a network
    above it is conditioned on the few variables that cut its width, if they are few enough.
    """

    name = "exact"

    def __init__(self, config: Config | None = None) -> None:
        self._max_width = config.max_width if config else None

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        jobs = [job_for(Planned.of(part), self._max_width) for part in reduced.components]
        conditioned = sum(len(job.cut.variables) for job in jobs if job.cut)
        return Marginals(
            probabilities=reduced.named(
                solve(part, job) for part, job in zip(reduced.components, jobs, strict=True)
            ),
            solver=self.name,
            exact=True,
            width=max((job.width for job in jobs), default=0),
            diagnostics={"conditioned_on": conditioned} if conditioned else {},
        )


def job_for(planned: Planned, max_width: int | None = None, *, largest_work: int = LARGEST_WORK) -> Job:
    """How to solve a component exactly; conditioning may compute `largest_work` table entries.

    Raises:
        WidthError: naming the width, the memory it would take and what to do instead.
    """
    lumped, plan = planned
    if fits(plan, max_width):
        return Job(lumped, plan)
    if max_width is None:
        cut = cutset(lumped.cardinalities, lumped.scopes, plan, fits=fits, largest_work=largest_work)
        if cut:
            return Job(lumped, plan, cut)
    raise too_wide(plan, max_width)


def fits(plan: Elimination, max_width: int | None = None) -> bool:
    """Whether a plan is within the width and the memory allowed."""
    return bytes_needed(plan) <= memory_budget() and (max_width is None or plan.width <= max_width)


def too_wide(plan: Elimination, max_width: int | None) -> WidthError:
    """The refusal of a plan above the limit."""
    by_width = max_width is not None and plan.width > max_width
    limit = f"width {max_width}" if by_width else readable(memory_budget())
    remedies = ["use solver 'gibbs', or 'auto', which falls back to it", "or remove weak relations"]
    if by_width:
        remedies.insert(1, "raise max_width")
    return WidthError(
        f"exact inference would have elimination width {plan.width} and need {readable(bytes_needed(plan))}; "
        f"allowed: {limit}. To go on, {'; '.join(remedies)}."
    )


def solve(part: Component, job: Job, *, deadline: float = math.inf) -> list[Table]:
    """Exact marginals of one component, in the order of its variables.

    Raises:
        SolverError: every joint state has probability 0.
        OutOfTimeError: it had to be conditioned, and that was not done by `deadline`.
    """
    if len(part.variables) == 1:
        return [alone(part)]
    if bytes_needed(job.plan) <= _LARGE:
        return _solve(job, deadline)
    # Threads that solve one large network each would need the budget once for every thread.
    with _one_large_at_a_time:
        return _solve(job, deadline)


def _solve(job: Job, deadline: float) -> list[Table]:
    sizes, factors = job.lumped.cardinalities, job.lumped.factors
    if job.cut:
        return job.lumped.expand(condition(sizes, factors, job.cut, deadline=deadline))
    return job.lumped.expand(junction_tree_marginals(sizes, factors, job.plan.order).marginals)
