"""A record of a run that somebody names."""

from __future__ import annotations

import difflib
from typing import Any

from factreasoner.errors import RunError
from factreasoner.runs.store import RunFolder


def known_id(folder: RunFolder[Any], record_id: str) -> str:
    """The id of a record in that folder, whose journal was read.

    Raises:
        RunError: there is no such record; the nearest one is named.
    """
    if record_id not in folder.entries:
        close = difflib.get_close_matches(record_id, folder.entries, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else f"{folder.results_path} has the ids"
        raise RunError(f"{folder.journal_path}: no record {record_id!r}; {remedy}")
    return record_id
