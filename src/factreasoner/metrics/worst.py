"""The atoms of a run that are least likely to be true."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from factreasoner.metrics.factuality import JudgedAtom

KEPT = 5


class WorstAtoms:
    """Keeps the least likely atoms that are not supported; of equal ones, those that came first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str, str, str]] = []
        self._seen = 0

    def add(self, record_id: str, judged: Iterable[JudgedAtom]) -> None:
        """Count the judged atoms of one record."""
        for item in judged:
            self._seen += 1
            if item.support == "supported":
                continue
            entry = (-item.p_true, -self._seen, record_id, item.atom.id, item.support)
            if len(self._heap) < KEPT:
                heapq.heappush(self._heap, entry)
            else:
                heapq.heappushpop(self._heap, entry)

    def content(self) -> list[dict[str, Any]]:
        """For summary.json, the least likely first."""
        return [
            {"record": record_id, "atom": atom_id, "p_true": -negated, "label": label}
            for negated, _, record_id, atom_id, label in sorted(self._heap, reverse=True)
        ]
