"""Where each record's latest result stands in a journal, in little memory: journals may have millions."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from typing import get_args

from factreasoner.models import Status
from factreasoner.runs.journal import JournalEntry

STATUSES: tuple[Status, ...] = get_args(Status)
_DIGEST = re.compile("[0-9a-f]{16}")


class JournalIndex(Mapping[str, JournalEntry]):
    """Entries by record id, in the order in which records were first set: 26 bytes each, and the id."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._offsets = array("Q")
        self._statuses = bytearray()
        self._sizes = array("L")
        self._to_repeat = bytearray()
        self._digests = array("Q")
        self._other_fingerprints: dict[int, str] = {}

    def __getitem__(self, record_id: str) -> JournalEntry:
        at = self._places[record_id]
        digest = self._other_fingerprints.get(at, f"{self._digests[at]:016x}")
        status = STATUSES[self._statuses[at]]
        return JournalEntry(self._offsets[at], status, digest, self._sizes[at], bool(self._to_repeat[at]))

    def __setitem__(self, record_id: str, entry: JournalEntry) -> None:
        """Raises ValueError, TypeError or OverflowError where something of it is not what it should be."""
        status, usual = STATUSES.index(entry.status), _DIGEST.fullmatch(entry.fingerprint)
        at = self._places.setdefault(record_id, len(self._places))
        if at == len(self._offsets):
            for column in (self._offsets, self._sizes, self._digests):
                column.append(0)
            self._statuses.append(0)
            self._to_repeat.append(0)
        self._offsets[at], self._sizes[at] = entry.offset, entry.size
        self._statuses[at], self._to_repeat[at] = status, entry.to_repeat
        self._digests[at] = int(entry.fingerprint, 16) if usual else 0
        self._other_fingerprints.pop(at, None)
        if not usual:
            self._other_fingerprints[at] = entry.fingerprint

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
