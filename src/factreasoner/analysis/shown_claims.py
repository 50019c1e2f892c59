"""Which claims of a run are shown, and in which order."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, NamedTuple

from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.rows import ClaimRow


class Wanted(NamedTuple):
    """Of one record or of all; with one of these labels or cautions, or any; so many at most.

    The label None is that of those not judged.
    """

    record: str | None = None
    labels: frozenset[str | None] = frozenset()
    cautions: frozenset[str] = frozenset()
    limit: int | None = None

    def has(self, row: ClaimRow) -> bool:
        """Whether the row is one of those, whatever its record."""
        named = row.label in self.labels or not self.cautions.isdisjoint(row.cautions)
        return named or not (self.labels or self.cautions)


class _Place(NamedTuple):
    """Where a row is, in the order of its probability: those without one come last."""

    unknown: bool
    p_true: float
    position: int
    record: str
    row: int


def shown_claims(run: FinishedRun[Any], wanted: Wanted, *, by_p: bool = False) -> Iterator[ClaimRow]:
    """The wanted rows in the order of the records, or by probability; one record is read at a time."""
    rows = _least_likely(run, wanted) if by_p else (row for _, row in _matching(run, wanted))
    for count, row in enumerate(rows):
        if count == wanted.limit:
            return
        yield row


def _matching(run: FinishedRun[Any], wanted: Wanted) -> Iterator[tuple[int, ClaimRow]]:
    """The wanted rows, each with its number among those of its record."""
    for result in run.results(None if wanted.record is None else (wanted.record,)):
        for index, row in enumerate(run.task.rows(result)):
            if wanted.has(row):
                yield index, row


def _least_likely(run: FinishedRun[Any], wanted: Wanted) -> Iterator[ClaimRow]:
    """The wanted rows by probability; only their places are held, and each is read again."""
    places = (
        _Place(row.p_true is None, row.p_true or 0.0, position, row.record, index)
        for position, (index, row) in enumerate(_matching(run, wanted))
    )
    ordered = sorted(places) if wanted.limit is None else heapq.nsmallest(wanted.limit, places)
    for place in ordered:
        (result,) = run.results((place.record,))
        yield list(run.task.rows(result))[place.row]
