"""Rough marginals by a few mean-field sweeps: enough to tell the scale of a network, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from merlin_bridge.network import Factor

SWEEPS = 3

WORK_LIMIT = 1_000_000
"""Table entries times scope sizes a sweep may touch; larger tables are left out of it, the largest first."""

LOG_FLOOR = -5.0
"""log 0, relative to a table's largest entry: low enough to lead away from it, and still finite."""

BELIEF_FLOOR = 1e-6
"""Least probability of a state before the last normalisation, so that no expectation is 0."""

Belief = tuple[float, ...]


class Restricted(NamedTuple):
    """A factor under the evidence: a table over its unobserved variables, divided by its largest entry."""

    scope: tuple[int, ...]
    sizes: tuple[int, ...]
    table: Sequence[float]
    largest: float

    @classmethod
    def of(cls, factor: Factor, cardinalities: Sequence[int], observed: Mapping[int, int]) -> Restricted:
        """`factor` with the observed variables at their states; of zeros only when that is all it has."""
        scope, table = list(factor.scope), list(factor.values)
        for i in factor.scope:
            if i in observed:
                axis, sizes = scope.index(i), [cardinalities[k] for k in scope]
                stride = math.prod(sizes[axis + 1 :])
                block, start = stride * sizes[axis], stride * observed[i]
                table = [x for at in range(start, len(table), block) for x in table[at : at + stride]]
                del scope[axis]
        largest = max(table)
        if largest > 0.0:
            table = [value / largest for value in table]
        return cls(tuple(scope), tuple(cardinalities[k] for k in scope), table, largest)


def rough_beliefs(cardinalities: Sequence[int], factors: Sequence[Restricted]) -> list[Belief]:
    """One distribution a variable: mean field, begun at the uniform one, with all states kept possible."""
    beliefs: list[Belief] = [(1.0 / size,) * size for size in cardinalities]
    touching: list[list[Restricted]] = [[] for _ in cardinalities]
    work = 0
    for factor in sorted(factors, key=lambda factor: len(factor.table)):
        work += len(factor.table) * len(factor.scope)
        if work > WORK_LIMIT:
            break
        logs = [max(math.log(x), LOG_FLOOR) if x > 0.0 else LOG_FLOOR for x in factor.table]
        for i in factor.scope:
            touching[i].append(factor._replace(table=logs))
    for _ in range(SWEEPS):
        for i, around in enumerate(touching):
            if around:
                messages = [_contracted(factor, beliefs, i) for factor in around]
                beliefs[i] = _softmax([sum(column) for column in zip(*messages, strict=True)])
    return beliefs


def expectation(factor: Restricted, beliefs: Sequence[Belief]) -> float:
    """E_b[table] under the product of the beliefs."""
    return _contracted(factor, beliefs, None)[0]


def _contracted(factor: Restricted, beliefs: Sequence[Belief], kept: int | None) -> Sequence[float]:
    """The table averaged over every variable but `kept`."""
    table = factor.table
    inner = 1
    for i, size in reversed(list(zip(factor.scope, factor.sizes, strict=True))):
        if i == kept:
            inner = size
            continue
        weights = beliefs[i]
        block = size * inner
        table = [
            sum(weights[state] * table[start + state * inner] for state in range(size))
            for base in range(0, len(table), block)
            for start in range(base, base + inner)
        ]
    return table


def _softmax(logs: Sequence[float]) -> Belief:
    largest = max(logs)
    weights = [max(math.exp(x - largest), BELIEF_FLOOR) for x in logs]
    total = sum(weights)
    return tuple(weight / total for weight in weights)
