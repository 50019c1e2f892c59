"""Which claims of a run are shown, and in which order."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from factreasoner.atoms.abstention import is_abstention
from factreasoner.models import TaskResult
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.rows import ClaimRow

NAMED = 3
"""Ids of records that are named; of more it is said how many."""


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


class WithoutClaims:
    """The records that have no claims to show, by the reason."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, result: TaskResult) -> None:
        """Take down a record that has no claims to show."""
        why = _why_none(result)
        self._counts[why] += 1
        if self._counts[why] <= NAMED:
            self._ids.setdefault(why, []).append(result.record_id)

    def __str__(self) -> str:
        """How many there are and why ("2 records: an abstention (r3), failed: ... (r5)"); empty for none."""
        count = self._counts.total()
        reasons = ", ".join(f"{why} ({_named(ids, self._counts[why])})" for why, ids in self._ids.items())
        return f"{count} record{'s' * (count > 1)}: {reasons}" if count else ""


def _why_none(result: TaskResult) -> str:
    if result.failures:
        return f"failed: {result.failures[0].message}"
    return nothing_in(result.response)


def nothing_in(response: str) -> str:
    """Why nothing in a response is judged."""
    if not response.strip():
        return "an empty answer"
    return (
        "an abstention"
        if is_abstention(response)
        else "no claim was found (instructions, questions and remarks are none)"
    )


def _named(ids: Sequence[str], count: int) -> str:
    more = count - len(ids)
    return ", ".join(ids) + (f" and {more} more" if more > 0 else "")


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
