"""Conditioning: solve once for every state of a few variables whose removal makes a network narrow.

Cutset conditioning over junction trees (Pearl 1988; Dechter 1996): memory falls with every variable taken
out, while time multiplies by its number of states.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.errors import OutOfTimeError, SolverError
from factreasoner.graph.factor_graph import Table
from factreasoner.solvers.clique_tree import clique_tree
from factreasoner.solvers.elimination import Elimination, eliminate
from factreasoner.solvers.junction_tree import junction_tree_marginals
from factreasoner.solvers.log_factors import INCONSISTENT, LogFactor

LARGEST_WORK = 1 << 31
"""Table entries computed at most, over all conditioned solutions: some tens of seconds."""

MOST_VARIABLES = 16


class Cutset(NamedTuple):
    """Variables to condition on, and the elimination of all variables once those are observed."""

    variables: tuple[int, ...]
    plan: Elimination


def cutset(
    cardinalities: Sequence[int],
    scopes: Sequence[Sequence[int]],
    plan: Elimination,
    *,
    fits: Callable[[Elimination], bool],
    largest_work: int = LARGEST_WORK,
) -> Cutset | None:
    """Variables that bring `plan` under what `fits`, taken greedily; None when that takes too much work."""
    if plan.total > largest_work:
        # Fixing a variable of k states makes no table more than k times smaller.
        return None
    sizes = list(cardinalities)
    chosen: list[int] = []
    states = 1
    while not fits(plan):
        variable = _most_costly(sizes, scopes, plan)
        chosen.append(variable)
        states *= sizes[variable]
        # One state is left: the variable no longer counts in any table.
        sizes[variable] = 1
        scopes = [rest for scope in scopes if (rest := [i for i in scope if i != variable])]
        plan = eliminate(sizes, scopes, restarts=0)
        if len(chosen) > MOST_VARIABLES or states > largest_work:
            return None
    return Cutset(tuple(chosen), plan) if states * plan.total <= largest_work else None


def _most_costly(sizes: Sequence[int], scopes: Sequence[Sequence[int]], plan: Elimination) -> int:
    """The variable in the largest share of the tables' entries; one of many states counts for more."""
    cliques = [clique.scope for clique in clique_tree(sizes, scopes, plan.order).cliques]
    cost = [0.0] * len(sizes)
    for scope in cliques:
        share = math.exp(sum(math.log(sizes[i]) for i in scope) - math.log(plan.largest_table))
        for i in scope:
            cost[i] += share * (1.0 - 1.0 / sizes[i])
    return max(range(len(sizes)), key=cost.__getitem__)


def condition(
    cardinalities: Sequence[int], factors: Sequence[LogFactor], cut: Cutset, *, deadline: float = math.inf
) -> list[Table]:
    """Exact marginals, as the mixture over every state of the cutset.

    Raises:
        SolverError: every joint state has probability 0.
        OutOfTimeError: not all states were solved by `deadline`, a time of time.monotonic().
    """
    sizes = [1 if i in cut.variables else size for i, size in enumerate(cardinalities)]
    solved: list[tuple[tuple[int, ...], float, list[Table]]] = []
    for states in itertools.product(*(range(cardinalities[i]) for i in cut.variables)):
        if time.monotonic() > deadline:
            raise OutOfTimeError(f"{len(solved)} states of {cut.variables} were solved in the time allowed")
        observed = dict(zip(cut.variables, states, strict=True))
        left = [factor.given(observed) for factor in factors]
        constant = sum(float(factor.logs) for factor in left if not factor.scope)
        if constant == -math.inf:
            continue
        try:
            result = junction_tree_marginals(
                sizes, [factor for factor in left if factor.scope], cut.plan.order
            )
        except SolverError:
            # This state of the cutset is impossible; that all of them are is found below.
            continue
        solved.append((states, result.log_z + constant, result.marginals))
    if not solved:
        raise SolverError(INCONSISTENT)
    largest = max(log_z for _, log_z, _ in solved)
    mixed = [np.zeros(size) for size in cardinalities]
    for states, log_z, marginals in solved:
        weight = math.exp(log_z - largest)
        for i, marginal in enumerate(marginals):
            if i not in cut.variables:
                mixed[i] += weight * marginal
        for i, state in zip(cut.variables, states, strict=True):
            mixed[i][state] += weight
    return [weights / weights.sum() for weights in mixed]
