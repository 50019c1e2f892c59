"""The junction tree of an elimination order: its tables, and where each factor goes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from factreasoner.solvers.elimination import adjacency_bits, bits_of

GROUPED_FROM = 1 << 12
"""From this many table entries on, what goes into a clique is multiplied in groups first."""

GROUP_SHARE = 64
"""A group's own table has at most this fraction of the clique's entries."""


@dataclass(frozen=True)
class Clique:
    """A set of variables with a table; `scope` runs in elimination order.

    All but the `own` leading variables are shared with the `parent`.
    """

    scope: tuple[int, ...]
    own: int
    parent: int | None

    @property
    def separator(self) -> tuple[int, ...]:
        """The variables shared with the parent."""
        return self.scope[self.own :]


@dataclass(frozen=True)
class CliqueTree:
    """Cliques, every one before its parent. Factor j is multiplied into clique `homes[j]`."""

    cliques: tuple[Clique, ...]
    homes: tuple[int, ...]


def clique_tree(sizes: Sequence[int], scopes: Sequence[Sequence[int]], order: Sequence[int]) -> CliqueTree:
    """The maximal cliques of an elimination order of all variables, and small ones for groups of factors.

    `sizes` are the variables' cardinalities, `scopes` the factors'.
    """
    rank = {variable: position for position, variable in enumerate(order)}
    maximal, place = _maximal(len(sizes), scopes, order, rank)
    homes = [place[min(scope, key=rank.__getitem__)] for scope in scopes]
    return _grouped(sizes, [sorted(scope, key=rank.__getitem__) for scope in scopes], maximal, homes)


def _maximal(
    count: int, scopes: Sequence[Sequence[int]], order: Sequence[int], rank: dict[int, int]
) -> tuple[list[Clique], dict[int, int]]:
    """The maximal cliques, and for each variable the clique in which it is eliminated."""
    adjacency = adjacency_bits(count, scopes)
    tails: dict[int, tuple[int, ...]] = {}
    for variable in order:
        neighbours = adjacency[variable]
        members = bits_of(neighbours)
        for i in members:
            adjacency[i] = (adjacency[i] | neighbours) & ~(1 << i) & ~(1 << variable)
        tails[variable] = tuple(sorted(members, key=rank.__getitem__))
    # Eliminating a variable leaves its tail as a clique. If the next variable's clique has nothing else, the
    # two are one: `first` names the clique that eliminates each variable by that clique's first variable.
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for variable in order:
        tail = tails[variable]
        last[first.setdefault(variable, variable)] = variable
        if tail and tail[0] not in first and len(tails[tail[0]]) == len(tail) - 1:
            first[tail[0]] = first[variable]
    heads = sorted(last, key=lambda head: rank[last[head]])
    index = {head: i for i, head in enumerate(heads)}
    cliques = []
    for head in heads:
        separator = tails[last[head]]
        scope = (head, *tails[head])
        parent = index[first[separator[0]]] if separator else None
        cliques.append(Clique(scope, len(scope) - len(separator), parent))
    return cliques, {variable: index[head] for variable, head in first.items()}


class _Incoming(NamedTuple):
    """What is multiplied into a clique: the table of a factor, or the message of another clique."""

    scope: Sequence[int]
    factor: int | None = None
    clique: int | None = None


def _grouped(
    sizes: Sequence[int], scopes: Sequence[Sequence[int]], maximal: Sequence[Clique], homes: Sequence[int]
) -> CliqueTree:
    """Give a large clique children without own variables that gather factors and messages of like scopes.

    A pass over a large table costs far more than all passes over the small tables of a group.
    """
    incoming: list[list[_Incoming]] = [[] for _ in maximal]
    for j, home in enumerate(homes):
        incoming[home].append(_Incoming(scopes[j], factor=j))
    for c, clique in enumerate(maximal):
        if clique.parent is not None:
            incoming[clique.parent].append(_Incoming(clique.separator, clique=c))
    groups = [_groups(sizes, clique.scope, incoming[c]) for c, clique in enumerate(maximal)]
    # A clique's groups stand right before it.
    start = list(itertools.accumulate((len(found) + 1 for found in groups), initial=0))
    places = [start[c] + len(found) for c, found in enumerate(groups)]
    factor_place = {j: places[home] for j, home in enumerate(homes)}
    parents = [None if clique.parent is None else places[clique.parent] for clique in maximal]
    cliques: list[Clique] = []
    for c, found in enumerate(groups):
        for scope, members in found:
            for member in members:
                if member.factor is not None:
                    factor_place[member.factor] = len(cliques)
                if member.clique is not None:
                    parents[member.clique] = len(cliques)
            cliques.append(Clique(scope, 0, places[c]))
        cliques.append(maximal[c])
    for c, place in enumerate(places):
        cliques[place] = Clique(maximal[c].scope, maximal[c].own, parents[c])
    return CliqueTree(tuple(cliques), tuple(factor_place[j] for j in range(len(homes))))


def _groups(
    sizes: Sequence[int], wide: tuple[int, ...], incoming: Sequence[_Incoming]
) -> list[tuple[tuple[int, ...], list[_Incoming]]]:
    """Scopes within `wide` and what to gather in each, first fit by the least growth of a group's table."""

    def entries(scope: Collection[int]) -> int:
        return math.prod(sizes[i] for i in scope)

    limit = entries(wide) // GROUP_SHARE
    if entries(wide) < GROUPED_FROM:
        return []
    groups: list[tuple[frozenset[int], list[_Incoming]]] = []
    for entry in sorted(incoming, key=lambda entry: len(entry.scope), reverse=True):
        grown = [(union.union(entry.scope), g) for g, (union, _) in enumerate(groups)]
        fitting = [
            (entries(union) / entries(groups[g][0]), g) for union, g in grown if entries(union) <= limit
        ]
        if fitting:
            g = min(fitting)[1]
            groups[g] = (grown[g][0], [*groups[g][1], entry])
        elif entries(entry.scope) <= limit:
            groups.append((frozenset(entry.scope), [entry]))
    return [(tuple(i for i in wide if i in union), members) for union, members in groups if len(members) > 1]
