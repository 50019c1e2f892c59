"""Exact marginals by junction trees, component by component."""

from __future__ import annotations

import threading

from factreasoner.errors import WidthError
from factreasoner.models import Marginals
from factreasoner.models.factor_graph import FactorGraph, Table
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import junction_tree_marginals
from factreasoner.solvers.memory import bytes_needed, memory_budget, readable
from factreasoner.solvers.reduction import Component, alone, reduce
from factreasoner.solvers.solver_settings import SolverSettings

_LARGE = 1 << 26
_one_large_at_a_time = threading.Lock()


class ExactSolver:
    """Junction tree inference. Refuses what would need more memory than allowed, before allocating it.

    With `config.max_width` a wider network is refused, too.
    """

    name = "exact"

    def __init__(self, config: SolverSettings | None = None) -> None:
        self._max_width = config.max_width if config else None

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        reduced = reduce(graph)
        plans = [plan_of(part) for part in reduced.components]
        for plan in plans:
            if not fits(plan, self._max_width):
                raise too_wide(plan, self._max_width)
        return Marginals(
            probabilities=reduced.named(map(solve, reduced.components, plans)),
            solver=self.name,
            exact=True,
            width=max((plan.width for plan in plans), default=0),
        )


def plan_of(part: Component) -> Elimination:
    """A good elimination order of a component; nothing large is allocated."""
    if len(part.variables) == 1:  # as most are: nothing speaks of most passages
        (states,) = part.cardinalities
        return Elimination((0,), 0, states, states)
    return eliminate(part.cardinalities, part.scopes)


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


def solve(part: Component, plan: Elimination) -> list[Table]:
    """Exact marginals of one component, in the order of its variables.

    Raises:
        SolverError: every joint state has probability 0.
    """
    if len(part.variables) == 1:
        return [alone(part)]
    if bytes_needed(plan) <= _LARGE:
        return junction_tree_marginals(part.cardinalities, part.factors, plan.order).marginals
    # Threads that solve one large network each would need the budget once for every thread.
    with _one_large_at_a_time:
        return junction_tree_marginals(part.cardinalities, part.factors, plan.order).marginals
