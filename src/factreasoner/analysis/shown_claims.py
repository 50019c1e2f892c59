"""Which claims of a run are shown, and in which order."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.labels import WithoutClaims
from factreasoner.tasks.rows import ClaimRow


class Wanted(NamedTuple):
    """Which claims are to be shown: of one record or of all, with these labels or cautions, how many.

    Without labels and cautions claims of any are wanted. The label None is that of claims not judged.
    """

    record: str | None = None
    labels: frozenset[str | None] = frozenset()
    cautions: frozenset[str] = frozenset()
    limit: int | None = None

    def has(self, row: ClaimRow) -> bool:
        """Whether the row is one of those, whatever its record."""
        named = row.label in self.labels or not self.cautions.isdisjoint(row.cautions)
        return named or not (self.labels or self.cautions)


def shown_claims(
    run: FinishedRun[Any], wanted: Wanted, without: WithoutClaims, *, by_p: bool = False
) -> Iterator[ClaimRow]:
    """The wanted rows in the order of the records, or by probability; one record is read at a time.

    Records that have no claims are added to `without`.
    """
    found = _matching(run, wanted, without)
    rows = _least_likely(run, wanted.limit, found) if by_p else (row for _, row in found)
    for count, row in enumerate(rows):
        if count == wanted.limit:
            return
        yield row


def _matching(
    run: FinishedRun[Any], wanted: Wanted, without: WithoutClaims
) -> Iterator[tuple[int, ClaimRow]]:
    """The wanted rows, each with its number among those of its record."""
    for result in run.results(None if wanted.record is None else (wanted.record,)):
        rows = list(run.task.rows(result))
        if not rows:
            without.add(result)
        yield from ((index, row) for index, row in enumerate(rows) if wanted.has(row))


def _least_likely(
    run: FinishedRun[Any], limit: int | None, found: Iterable[tuple[int, ClaimRow]]
) -> Iterator[ClaimRow]:
    """The rows found by probability, those without one last; only places are held, and each is read again."""
    p, records, indices = array("d"), list[str](), array("L")
    for index, row in found:
        p.append(math.inf if row.p_true is None else row.p_true)
        records.append(row.record)
        indices.append(index)
    for place in np.argsort(p, kind="stable")[:limit]:
        (result,) = run.results((records[place],))
        yield list(run.task.rows(result))[indices[place]]
