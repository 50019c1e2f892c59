"""The claims of a run that are least likely to be true."""

from __future__ import annotations

import heapq
from typing import Any, Generic, TypeVar

KEPT = 5
T = TypeVar("T")


class LeastLikely(Generic[T]):
    """Keeps the `size` items of the lowest P; of equal ones, those that came first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, T]] = []
        self._seen = 0

    def add(self, p_true: float, item: T) -> None:
        """Count an item."""
        self._seen += 1
        entry = (-p_true, -self._seen, item)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def items(self) -> list[T]:
        """What was kept, the least likely first."""
        return [item for _, _, item in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]


def doubt(label: str | None, p_true: float | None) -> float | None:
    """The probability by which a claim ranks among the least likely; None for one that has no place there.

    A source that does not exist bears nothing out, though nothing could be judged.
    """
    if label == "supported":
        return None
    return 0.0 if label == "unknown_source" else p_true


class Worst:
    """Keeps where the least likely atoms or claims are that are not supported; `word` is what they are."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._kept: LeastLikely[dict[str, Any]] = LeastLikely(KEPT)

    def add(self, record_id: str, claim_id: str, label: str | None, p_true: float | None) -> None:
        """Count one; what was not judged is left out."""
        rank = doubt(label, p_true)
        if rank is not None:
            place = {"record": record_id, self._word: claim_id}
            self._kept.add(rank, place | {"p_true": p_true, "label": label})

    def content(self) -> list[dict[str, Any]]:
        """For summary.json, the least likely first."""
        return self._kept.items()
