"""Exchangeable variables as one: contexts with the very same relations are counted, not enumerated.

k binary variables with equal tables to the same neighbours matter only by how many are true, so one variable
of k + 1 states replaces them (counting, as in lifted inference: de Salvo Braz, Amir and Roth 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from factreasoner.graph.factor_graph import Table
from factreasoner.solvers.log_factors import LogFactor, scaled
from factreasoner.solvers.reduction import Component


@dataclass(frozen=True, eq=False)
class Lumped:
    """A network over `groups` of a component's variables; `groups[i]` is variable i, counted if several."""

    groups: tuple[tuple[int, ...], ...]
    cardinalities: tuple[int, ...]
    factors: tuple[LogFactor, ...]

    @property
    def scopes(self) -> list[tuple[int, ...]]:
        """The variables of each factor, by their numbers."""
        return [factor.scope for factor in self.factors]

    def expand(self, marginals: list[Table]) -> list[Table]:
        """Marginals of the component's variables from those of the groups."""
        found: dict[int, Table] = {}
        for group, marginal in zip(self.groups, marginals, strict=True):
            true = np.arange(len(marginal))
            counted = np.array([marginal @ true[::-1], marginal @ true]) / len(group)
            found.update(dict.fromkeys(group, counted if len(group) > 1 else marginal))
        return [found[i] for i in range(len(found))]


def lump(part: Component) -> Lumped:
    """Count exchangeable binary variables together, as far as no two groups are neighbours."""
    incident: list[list[LogFactor]] = [[] for _ in part.variables]
    for factor in part.factors:
        for i in factor.scope:
            incident[i].append(factor)
    groups = _groups(part, incident)
    index = {i: g for g, group in enumerate(groups) for i in group}
    leaders = {group[0]: len(group) for group in groups}
    factors = []
    for factor in part.factors:
        if all(i in leaders for i in factor.scope):
            scope = tuple(index[i] for i in factor.scope)
            counted = next((axis for axis, i in enumerate(factor.scope) if leaders[i] > 1), None)
            logs = factor.logs
            if counted is not None:
                logs = _powers(logs, counted, leaders[factor.scope[counted]])
            factors.append(LogFactor(scope, logs))
    for g, group in enumerate(groups):
        if len(group) > 1:
            ways = np.array([math.log(math.comb(len(group), n)) for n in range(len(group) + 1)])
            factors.append(LogFactor((g,), scaled(ways)))
    sizes = tuple(part.cardinalities[group[0]] if len(group) == 1 else len(group) + 1 for group in groups)
    return Lumped(tuple(groups), sizes, tuple(factors))


def _groups(part: Component, incident: list[list[LogFactor]]) -> list[tuple[int, ...]]:
    alike: dict[object, list[int]] = {}
    for i, factors in enumerate(incident):
        if part.cardinalities[i] == 2 and factors and all(len(factor.scope) <= 2 for factor in factors):
            alike.setdefault(_signature(i, factors), []).append(i)
    groups: list[tuple[int, ...]] = []
    counted: set[int] = set()
    for members in sorted(alike.values(), key=len, reverse=True):
        neighbours = {j for factor in incident[members[0]] for j in factor.scope} - {members[0]}
        # The table between two counts would be a power of both; one side is enough to cut the width.
        if len(members) > 1 and not neighbours & counted:
            counted.update(members)
            groups.append(tuple(members))
    groups += [(i,) for i in range(len(part.variables)) if i not in counted]
    return sorted(groups)


def _signature(i: int, factors: list[LogFactor]) -> object:
    seen = []
    for factor in factors:
        logs = factor.logs if factor.scope[0] == i else factor.logs.T
        seen.append((sum(factor.scope) - i if len(factor.scope) == 2 else -1, logs.tobytes()))
    return tuple(sorted(seen))


def _powers(logs: Table, axis: int, count: int) -> Table:
    """The product of `count` copies of a table, by how many of the copies' variables on `axis` are true."""
    false, true = np.moveaxis(logs, axis, 0)
    # A factor to the power of 0 is 1, also where it is 0.
    rows = [(n * true if n else 0.0) + ((count - n) * false if n < count else 0.0) for n in range(count + 1)]
    return scaled(np.moveaxis(np.stack(rows), 0, axis))
