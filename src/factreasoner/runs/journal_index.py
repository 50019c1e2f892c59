"""Where each record's latest result stands in a journal, in little memory: journals may have millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from factreasoner.compact import Digests, Ids, Numbers
from factreasoner.models import Status
from factreasoner.runs.journal import JournalEntry

STATUSES: tuple[Status, ...] = get_args(Status)


class JournalIndex(Mapping[str, JournalEntry]):
    """Entries by record id, in the order in which records were first set: some 20 bytes each beside `Ids`."""

    def __init__(self) -> None:
        self._ids = Ids()
        self._offsets = Numbers()
        self._statuses = Numbers()
        self._sizes = Numbers()
        self._to_repeat = Numbers()
        self._digests = Digests()

    def __getitem__(self, record_id: str) -> JournalEntry:
        at = self._ids.place(record_id)
        if at is None:
            raise KeyError(record_id)
        return self._entry(at)

    def __setitem__(self, record_id: str, entry: JournalEntry) -> None:
        """Raises ValueError, TypeError or OverflowError where something of it is not what it should be."""
        if not isinstance(entry.fingerprint, str):
            raise TypeError(f"the fingerprint of {record_id!r} is no text")
        status, size = STATUSES.index(entry.status), Numbers([entry.size])[0]
        at = self._ids.add(record_id)
        if at == len(self._offsets):
            self._offsets.append(0)
            self._sizes.append(0)
            self._statuses.append(0)
            self._to_repeat.append(0)
        self._offsets[at], self._sizes[at] = entry.offset, size
        self._statuses[at], self._to_repeat[at] = status, entry.to_repeat
        self._digests[at] = entry.fingerprint

    def __contains__(self, record_id: object) -> bool:
        return record_id in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def since(self, offset: int) -> Iterator[tuple[str, JournalEntry]]:
        """The records whose latest result stands at `offset` or behind it, as they stand in the journal."""
        for _, at in sorted((stands, at) for at, stands in enumerate(self._offsets) if stands >= offset):
            yield self._ids[at], self._entry(at)

    def _entry(self, at: int) -> JournalEntry:
        status, to_repeat = STATUSES[self._statuses[at]], bool(self._to_repeat[at])
        return JournalEntry(self._offsets[at], status, self._digests[at], self._sizes[at], to_repeat)
