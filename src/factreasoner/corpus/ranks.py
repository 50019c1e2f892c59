"""Several rankings made one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

RRF_K = 60


def fused(rankings: Iterable[Sequence[T]]) -> list[T]:
    """Reciprocal rank fusion: by the sum of 1 / (60 + rank) over the rankings, best first.

    Of equal sums the item that is seen first comes first.

    Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank
    learning methods" (2009).
    """
    scores = defaultdict[T, float](float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] += 1 / (RRF_K + rank)
    return sorted(scores, key=lambda item: -scores[item])
