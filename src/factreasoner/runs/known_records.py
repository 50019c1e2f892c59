"""A record of a run that somebody names."""

from __future__ import annotations

import difflib
from typing import Any

from factreasoner.errors import RunError
from factreasoner.runs.store import RunFolder

MOST_COMPARED = 10_000
"""Ids among which the nearest is found in less than a second."""


def known_id(folder: RunFolder[Any], record_id: str) -> str:
    """The id of a record in that folder, whose journal was read.

    Raises:
        RunError: there is no such record; the nearest one is named, unless the run is large.
    """
    if record_id not in folder.entries:
        compared = folder.entries if len(folder.entries) <= MOST_COMPARED else ()
        close = difflib.get_close_matches(record_id, compared, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else f"{folder.results_path} has the ids"
        raise RunError(f"{folder.journal_path}: no record {record_id!r}; {remedy}")
    return record_id
