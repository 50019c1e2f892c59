"""The claims of a run that want a second look: contradicted, least likely, those that sources disagree on."""

from __future__ import annotations

import heapq
from typing import Any, Generic, TypeVar

KEPT = 5
KEPT_DISPUTED = 2
T = TypeVar("T")


class Lowest(Generic[T]):
    """Keeps the `size` items of the lowest rank; of equal ones, those that came first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, T]] = []
        self._seen = 0

    def add(self, rank: float, item: T) -> None:
        """Keep an item, if it is among the lowest so far."""
        self._seen += 1
        entry = (-rank, -self._seen, item)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def items(self) -> list[T]:
        """What was kept, the lowest first."""
        return [item for _, _, item in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]


def doubt(label: str | None, p_true: float | None) -> float | None:
    """The number by which a claim ranks among those to look at, the lowest first; None for no place there.

    Something speaks against contradicted claims, and then against those that cite a source which does not
    exist: they come before all others, however silent the passages are on these. Else P decides.
    """
    if label == "unknown_source":
        return -1.0
    if label == "supported" or p_true is None:
        return None
    return p_true - 2.0 if label == "contradicted" else p_true


class Worst:
    """Keeps where the claims are that want a second look; `word` is what they are, atoms or claims.

    Those are the contradicted ones, then the least likely that are not supported, and of the supported ones
    that a passage contradicts all the same up to `KEPT_DISPUTED`; `KEPT` in all.
    """

    def __init__(self, word: str) -> None:
        self._word = word
        self._kept: Lowest[dict[str, Any]] = Lowest(KEPT)
        self._disputed: Lowest[dict[str, Any]] = Lowest(KEPT_DISPUTED)

    def add(
        self,
        record_id: str,
        claim_id: str,
        label: str | None,
        p_true: float | None,
        *,
        disputed: bool = False,
    ) -> None:
        """Count one; what was not judged is left out. `disputed`: it is supported, and also contradicted."""
        place = {"record": record_id, self._word: claim_id, "p_true": p_true, "label": label}
        rank = doubt(label, p_true)
        if rank is not None:
            self._kept.add(rank, place)
        elif disputed and p_true is not None:
            self._disputed.add(p_true, place)

    def content(self) -> list[dict[str, Any]]:
        """For summary.json, the contradicted ones first and the disputed ones last."""
        disputed = self._disputed.items()
        return [*self._kept.items()[: KEPT - len(disputed)], *disputed]
