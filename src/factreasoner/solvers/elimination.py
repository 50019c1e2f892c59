"""Elimination orders and their cost, before any table is allocated.

Greedy orders as in Kjaerulff, "Triangulation of graphs" (1990): min-weight removes the variable with the
smallest clique table, min-fill the one that adds the fewest edges.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

SMALL_TABLE = 1 << 12
"""A largest table up to this many entries needs no better order."""

HOPELESS_TABLE = 1 << 60
"""From this many entries, no order makes inference exact, and min-fill could take minutes."""

FILL_WORK = 20_000_000
"""Maximum adjacency look-ups of a min-fill search; beyond, the min-weight order is kept."""


_Score: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Elimination:
    """An elimination order of all variables, and its table sizes.

    `width` is the largest clique's number of variables minus one; `largest_table` and `total` count table
    entries (exact integers).
    """

    order: tuple[int, ...]
    width: int
    largest_table: int
    total: int


def eliminate(cardinalities: Sequence[int], scopes: Iterable[Sequence[int]]) -> Elimination:
    """A good elimination order, using little memory.

    Min-weight first; if that leaves large tables, the cheapest of it, min-fill and a sweep.
    """
    adjacency = adjacency_bits(len(cardinalities), scopes)
    tables = _Tables(cardinalities)
    found = _along(tables, adjacency, _greedy(adjacency, tables.weight, None) or ())
    if not SMALL_TABLE < found.largest_table < HOPELESS_TABLE:
        return found
    orders = (_greedy(adjacency, tables.fill, FILL_WORK), _sweep(adjacency))
    others = [_along(tables, adjacency, order) for order in orders if order is not None]
    return min([found, *others], key=attrgetter("total"))


def _sweep(adjacency: Sequence[int]) -> list[int]:
    """The reverse Cuthill-McKee order, which runs through grids from end to end."""
    degrees = [bits.bit_count() for bits in adjacency]
    order: list[int] = []
    seen = 0
    for start in sorted(range(len(adjacency)), key=degrees.__getitem__):
        queue = [] if seen >> start & 1 else [start]
        for i in queue:  # it grows meanwhile
            near = adjacency[i] & ~seen
            seen |= near | 1 << i
            queue += sorted(bits_of(near), key=degrees.__getitem__)
        order += queue
    return order[::-1]


def _along(tables: _Tables, adjacency: Sequence[int], order: Sequence[int]) -> Elimination:
    """The cost of a given order."""
    adjacency = list(adjacency)
    width = largest = total = 0
    for i in order:
        clique = adjacency[i]
        table = tables.size(clique | 1 << i)
        width = max(width, clique.bit_count())
        largest, total = max(largest, table), total + table
        _remove(i, adjacency, far=False)
    return Elimination(tuple(order), width, largest, total)


class _Tables:
    """Table sizes of sets of variables given as bits."""

    def __init__(self, cardinalities: Sequence[int]) -> None:
        self._masks: dict[int, int] = {}
        for i, cardinality in enumerate(cardinalities):
            self._masks[cardinality] = self._masks.get(cardinality, 0) | 1 << i

    def size(self, bits: int) -> int:
        entries = 1
        for cardinality, mask in self._masks.items():
            entries *= cardinality ** (bits & mask).bit_count()
        return entries

    def weight(self, i: int, adjacency: list[int]) -> _Score:
        return self.size(adjacency[i] | 1 << i), 0

    def fill(self, i: int, adjacency: list[int]) -> _Score:
        clique = adjacency[i]
        missing = sum((clique & ~adjacency[j]).bit_count() - 1 for j in bits_of(clique))
        return missing, self.size(clique | 1 << i)


def adjacency_bits(count: int, scopes: Iterable[Sequence[int]]) -> list[int]:
    """The neighbours of each variable as the set bits of an integer."""
    adjacency = [0] * count
    for scope in scopes:
        clique = 0
        for i in scope:
            clique |= 1 << i
        for i in scope:
            adjacency[i] |= clique
    return [bits & ~(1 << i) for i, bits in enumerate(adjacency)]


def bits_of(bits: int) -> list[int]:
    """Positions of the set bits, ascending."""
    positions = []
    while bits:
        low = bits & -bits
        positions.append(low.bit_length() - 1)
        bits ^= low
    return positions


def _greedy(
    adjacency: Sequence[int], score: Callable[[int, list[int]], _Score], work: int | None
) -> list[int] | None:
    """The order that always removes the variable with the lowest score; None if too much work."""
    adjacency = list(adjacency)
    left = (1 << len(adjacency)) - 1
    scores = [score(i, adjacency) for i in range(len(adjacency))]
    heap = [(value, i) for i, value in enumerate(scores)]
    heapq.heapify(heap)
    order: list[int] = []
    spent = 0
    while heap:
        value, i = heapq.heappop(heap)
        if not left >> i & 1 or value != scores[i]:
            continue
        # Once the clique is all that is left, the rest is one clique in any order.
        if adjacency[i] | 1 << i == left:
            return order + bits_of(left)
        order.append(i)
        left &= ~(1 << i)
        for j in _remove(i, adjacency, far=work is not None):
            spent += adjacency[j].bit_count()
            scores[j] = score(j, adjacency)
            heapq.heappush(heap, (scores[j], j))
        if work is not None and spent > work:
            return None
    return order


def _remove(i: int, adjacency: list[int], *, far: bool) -> list[int]:
    """Eliminate i in place; returns variables with changed scores, with `far` also their fill."""
    clique = adjacency[i]
    touched = clique
    for j in bits_of(clique):
        added = clique & ~adjacency[j] & ~(1 << j)
        adjacency[j] = (adjacency[j] | clique) & ~(1 << j) & ~(1 << i)
        if added and far:
            touched |= adjacency[j]
    return bits_of(touched)
