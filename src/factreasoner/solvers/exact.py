"""Exact marginals by a junction tree, component by component (pyAgrum's Shafer-Shenoy)."""

from __future__ import annotations

import functools
import os
import warnings
from typing import Any

import numpy as np

from factreasoner.config import Config
from factreasoner.errors import SolverError, WidthError
from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.models import Marginals
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.reduction import INCONSISTENT, Component, distribution, known_marginals, reduce

MEMORY_BUDGET = 1 << 30
"""Bytes the tables of one component may take, where less than half of the machine's memory."""

BYTES_PER_ENTRY = 24
"""A float64 for the clique's table and about as much again for messages and posteriors."""


class ExactSolver:
    """Junction tree inference. Refuses what would need more memory than allowed, before allocating it.

    The limit is `config.max_width` where given, and else a memory budget.
    """

    name = "exact"

    def __init__(self, config: Config | None = None) -> None:
        self.max_width = config.max_width if config else None

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Exact marginals of every variable.

        Raises:
            WidthError: a component is too wide.
            SolverError: the network or its evidence has probability 0, or a table is malformed.
        """
        parts = reduce(graph)
        plans = [plan_of(part) for part in parts]
        for plan in plans:
            check_width(plan, self.max_width)
        probabilities = known_marginals(graph)
        for part in parts:
            solved = component_marginals(part)
            probabilities.update((graph.names[i], p) for i, p in zip(part.variables, solved, strict=True))
        return Marginals(
            probabilities={name: probabilities[name] for name in graph.names},
            solver=self.name,
            exact=True,
            width=max((plan.width for plan in plans), default=0),
        )


def plan_of(part: Component) -> Elimination:
    """A good elimination order of a component."""
    return eliminate(part.cardinalities, [factor.scope for factor in part.factors])


def check_width(plan: Elimination, max_width: int | None) -> None:
    """Refuse a plan above the limit.

    Raises:
        WidthError: naming the width, the memory it would take and what to do instead.
    """
    needed = plan.total * BYTES_PER_ENTRY
    budget = memory_budget()
    if needed <= budget and (max_width is None or plan.width <= max_width):
        return
    limit = (
        f"allowed: width {max_width}"
        if max_width is not None and plan.width > max_width
        else (f"allowed: {_size(budget)}")
    )
    raise WidthError(
        f"exact inference would have elimination width {plan.width} and need about {_size(needed)} "
        f"({limit}). Use solver 'gibbs', or 'auto', which falls back to it; raise max_width; or remove weak "
        "relations."
    )


def memory_budget() -> int:
    """Bytes allowed for one component's tables."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return MEMORY_BUDGET
    return min(MEMORY_BUDGET, total // 2)


def _size(count: int) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count //= 1024
    return f"{count} TiB" if count < 1 << 20 else "more than 10^6 TiB"


def component_marginals(part: Component) -> list[tuple[float, ...]]:
    """Exact marginals of one component, in the order of its variables. Memory is the caller's concern.

    Raises:
        SolverError: every joint state has probability 0.
    """
    if len(part.variables) == 1:
        table = part.factors[0].table if part.factors else np.ones(part.cardinalities[0])
        return [distribution(table)]
    pyagrum = _pyagrum()
    inference = pyagrum.ShaferShenoyMRFInference(_markov_random_field(part))
    try:
        inference.makeInference()
    except pyagrum.IncompatibleEvidence as error:
        raise SolverError(INCONSISTENT) from error
    return [distribution(inference.posterior(i).toarray()) for i in range(len(part.variables))]


@functools.cache
def _pyagrum() -> Any:
    with warnings.catch_warnings():
        # Its generated types lack a __module__, which Python warns of as each is first used; with warnings
        # as errors that would crash the process.
        warnings.simplefilter("ignore", DeprecationWarning)
        import pyagrum

        field = pyagrum.MarkovRandomField()
        field.add(pyagrum.RangeVariable("v", "", 0, 1))
        field.addFactor(["v"]).fillWith([0.5, 0.5])
        pyagrum.ShaferShenoyMRFInference(field).posterior("v").toarray()
    return pyagrum


def _markov_random_field(part: Component) -> Any:
    pyagrum = _pyagrum()
    field = pyagrum.MarkovRandomField()
    for i, cardinality in enumerate(part.cardinalities):
        field.add(pyagrum.RangeVariable(f"v{i}", "", 0, cardinality - 1))
    for factor in part.factors:
        tensor = field.addFactor([f"v{i}" for i in factor.scope])
        # Scopes are sorted, and pyAgrum's tensors run first variable fastest: Fortran's order.
        tensor.fillWith(factor.table.ravel(order="F").tolist())
    return field
