"""The atoms of a run that are least likely to be true."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from factreasoner.metrics.factuality import JudgedAtom

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


class WorstAtoms:
    """Keeps the least likely atoms that are not supported."""

    def __init__(self) -> None:
        self._kept: LeastLikely[dict[str, Any]] = LeastLikely(KEPT)

    def add(self, record_id: str, judged: Iterable[JudgedAtom]) -> None:
        """Count the judged atoms of one record."""
        for item in judged:
            if item.support != "supported":
                told = {"record": record_id, "atom": item.atom.id}
                self._kept.add(item.p_true, told | {"p_true": item.p_true, "label": item.support})

    def content(self) -> list[dict[str, Any]]:
        """For summary.json, the least likely first."""
        return self._kept.items()
