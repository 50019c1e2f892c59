"""What mini-bucket elimination at an i-bound would cost, without computing a table.

Dechter and Rish, "Mini-buckets: a general scheme for bounded inference" (2003): a variable's tables are
joined only while the joint one has at most i + 1 variables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factreasoner.solvers.elimination import bits_of


class MiniBuckets(NamedTuple):
    """The number of joined tables, and of their entries in all."""

    tables: int
    entries: int


def mini_buckets(
    cardinalities: Sequence[int], scopes: Iterable[Sequence[int]], order: Sequence[int], *, ibound: int
) -> MiniBuckets:
    """Eliminate in `order`, scopes only. A table wider than the bound is kept as it is."""
    # Variables are renamed by their place in the order: the first to go of a scope is its lowest bit.
    place = {i: k for k, i in enumerate(order)}
    sizes = [cardinalities[i] for i in order]
    buckets: list[list[int]] = [[] for _ in order]
    for scope in scopes:
        bits = sum(1 << place[i] for i in scope)
        buckets[min(place[i] for i in scope)].append(bits)
    tables = entries = 0
    for k, bucket in enumerate(buckets):
        for joined in _joined(bucket, ibound + 1):
            tables += 1
            entries += math.prod(sizes[i] for i in bits_of(joined))
            message = joined & ~(1 << k)
            if message:
                buckets[(message & -message).bit_length() - 1].append(message)
    return MiniBuckets(tables, entries)


def _joined(bucket: list[int], limit: int) -> list[int]:
    joined: list[int] = []
    for scope in sorted(bucket, key=int.bit_count):
        for m, other in enumerate(joined):
            if (scope | other).bit_count() <= max(limit, scope.bit_count(), other.bit_count()):
                joined[m] |= scope
                break
        else:
            joined.append(scope)
    return joined


def largest_ibound(
    cardinalities: Sequence[int],
    scopes: Sequence[Sequence[int]],
    order: Sequence[int],
    *,
    entries: int,
    most: int,
) -> int:
    """The largest i-bound up to `most` whose tables have at most `entries` in all; 1 where none has."""
    low, high = 1, max(most, 1)
    while low < high:
        middle = (low + high + 1) // 2
        if mini_buckets(cardinalities, scopes, order, ibound=middle).entries <= entries:
            low = middle
        else:
            high = middle - 1
    return low
