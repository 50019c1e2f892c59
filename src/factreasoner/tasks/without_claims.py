"""Why records have nothing to judge, in words."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.abstention import is_abstention
from factreasoner.models import TaskResult

NAMED = 3
"""Ids of records that are named; of more it is said how many."""


class WithoutClaims:
    """The records that have no claims to show, by the reason."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}

    def add(self, result: TaskResult) -> None:
        """Take down a record that has no claims to show."""
        failed = f"failed: {result.failures[0].message}" if result.failures else ""
        self._ids.setdefault(failed or nothing_in(result.response), []).append(result.record_id)

    def said(self, claim_word: str) -> str:
        """How many there are and why: "No atoms in 2 records: an abstention (r3), failed: ... (r5)."

        Empty where there are none.
        """
        count = sum(map(len, self._ids.values()))
        reasons = ", ".join(f"{why} ({_named(ids)})" for why, ids in self._ids.items())
        return f"No {claim_word}s in {count} record{'s' * (count > 1)}: {reasons}." if count else ""


def nothing_in(response: str) -> str:
    """Why nothing in a response is judged."""
    if not response.strip():
        return "an empty answer"
    if is_abstention(response):
        return "an abstention"
    return "no claim was found (instructions, questions and remarks are none)"


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more
