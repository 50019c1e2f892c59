"""Why records have nothing to judge, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factreasoner.atoms.abstention import is_abstention
from factreasoner.models import TaskResult

NAMED = 3
"""Ids of records that are named; of more it is said how many."""


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

    def said(self, claim_word: str) -> str:
        """How many there are and why: "No atoms in 2 records: an abstention (r3), failed: ... (r5)."

        Empty where there are none.
        """
        count = self._counts.total()
        reasons = ", ".join(f"{why} ({_named(ids, self._counts[why])})" for why, ids in self._ids.items())
        return f"No {claim_word}s in {count} record{'s' * (count > 1)}: {reasons}." if count else ""


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
