"""Summing out variables of one or two neighbours, so that only the core of a network is left to be sampled.

A sparse network is mostly such variables, and chains that need not walk through them mix in fewer sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factreasoner.solvers.log_factors import LogFactor, log_sum, merged
from factreasoner.solvers.reduction import Component


@dataclass(frozen=True, eq=False)
class Layer:
    """Variables to be drawn together, given those of earlier layers by the tables of `factors`."""

    variables: tuple[int, ...]
    factors: tuple[LogFactor, ...]


@dataclass(frozen=True, eq=False)
class Collapsed:
    """A component as the factors of its `core`, and layers of other variables, the nearest to it first.

    The joint distribution is that of the core times, for each other variable, its conditional distribution
    given at most two variables of the core and of earlier layers.
    """

    core: tuple[int, ...]
    factors: tuple[LogFactor, ...]
    layers: tuple[Layer, ...]


def collapse(part: Component) -> Collapsed:
    """Sum out, in rounds of variables that are not neighbours, all that have at most two."""
    factors = {factor.scope: factor for factor in part.factors}
    incident: list[set[tuple[int, ...]]] = [set() for _ in part.variables]
    for scope in factors:
        for i in scope:
            incident[i].add(scope)
    left = set(range(len(part.variables)))
    layers: list[Layer] = []
    while round_ := _round(left, incident):
        taken: list[LogFactor] = []
        for i in round_:
            own = [factors.pop(scope) for scope in sorted(incident[i])]
            taken += own
            message = _summed_out(i, own)
            scopes = [factor.scope for factor in own]
            for j in message.scope:
                incident[j].difference_update(scopes)
                incident[j].add(message.scope)
            if message.scope:
                known = factors.get(message.scope)
                factors[message.scope] = merged([message, known] if known else [message])[0]
        left.difference_update(round_)
        layers.append(Layer(tuple(round_), tuple(taken)))
    return Collapsed(tuple(sorted(left)), tuple(factors.values()), tuple(reversed(layers)))


def _round(left: set[int], incident: Sequence[set[tuple[int, ...]]]) -> list[int]:
    blocked: set[int] = set()
    chosen = []
    for i in sorted(left):
        if i in blocked or any(len(scope) > 2 for scope in incident[i]):
            continue
        neighbours = {j for scope in incident[i] for j in scope} - {i}
        if len(neighbours) <= 2:
            chosen.append(i)
            blocked |= neighbours
    return chosen


def _summed_out(i: int, own: Sequence[LogFactor]) -> LogFactor:
    """The factor over the neighbours of variable i that is left when it is summed out of its factors."""
    scope = tuple(sorted({i, *(j for factor in own for j in factor.scope)}))
    product = np.zeros((1,) * len(scope))
    for factor in own:
        axes = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
        sizes = dict(zip(factor.scope, factor.logs.shape, strict=True))
        product = product + factor.logs.transpose(axes).reshape([sizes.get(j, 1) for j in scope])
    axis = scope.index(i)
    return LogFactor(scope[:axis] + scope[axis + 1 :], log_sum(product, [axis]).squeeze(axis))
