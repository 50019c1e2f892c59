"""The journal of a run: one result a line, on disk as soon as its record ends."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from factreasoner.errors import RunError
from factreasoner.models import Status, TaskResult, Usage
from factreasoner.models.results import Packed, pack, unpack
from factreasoner.models.wording import reworded
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=TaskResult)
_CHANGED = "it is cut or changed"
_REMEDY = "remove it and run again, or start over with --fresh"
_WHOLE = "the line is whole, so it was written with another manifest.json: put that one back"


class JournalEntry(NamedTuple):
    """Where a record's latest result is in the journal, and what its line says of it; see `Packed`."""

    offset: int
    status: Status
    fingerprint: str | None
    size: int

    @property
    def to_repeat(self) -> bool:
        """Whether something failed, so that a resumed run assesses the record again."""
        return self.fingerprint is None


class JournalLine(NamedTuple):
    """One result as it goes into the journal; the offset of its `entry` is 0 until it does.

    Workers make it: that takes longer than writing it, and one driver serves them all.
    """

    record_id: str
    text: bytes
    entry: JournalEntry
    usage: Usage


def line_of(task: Task[R], result: R) -> JournalLine:
    """A result of a task as its line."""
    fingerprint = None if task.to_repeat(result) else result.fingerprint
    text = result.model_dump_json().encode()
    packed = Packed(result.record_id, fingerprint, result.status, task.size(result), text)
    entry = JournalEntry(0, packed.status, packed.fingerprint, packed.size)
    return JournalLine(result.record_id, pack(packed), entry, result.total_usage)


class Journal(Generic[R]):
    """journal.jsonl of a run of `task`: one result a line."""

    def __init__(self, path: Path, task: Task[R]) -> None:
        self.journal_path = path
        self.task = task
        self._end = 0

    @functools.cached_property
    def entries(self) -> dict[str, JournalEntry]:
        """Where the last line of each record is, by id, in the order in which records first came.

        Every line is checked when this is first read; a torn last line is skipped.

        Raises:
            RunError: a line other than a torn last one is damaged.
        """
        self._end = 0
        found: dict[str, JournalEntry] = {}
        self._read_on(found)
        return found

    def mend_journal(self) -> None:
        """Read what is new, and cut a torn last line off. Raises as `entries` does."""
        self._read_on(self.entries)
        if self.journal_path.exists() and self._end < self.journal_path.stat().st_size:
            os.truncate(self.journal_path, self._end)

    def _read_on(self, entries: dict[str, JournalEntry]) -> None:
        if not self.journal_path.exists():
            return
        with self.journal_path.open("rb") as journal:
            journal.seek(self._end)
            for line in journal:
                if not line.endswith(b"\n"):
                    break
                found = self._unpacked(line, self._end)
                entries[found.id] = JournalEntry(self._end, found.status, found.fingerprint, found.size)
                self._end += len(line)

    def _unpacked(self, line: bytes, offset: int) -> Packed:
        try:
            return unpack(line)
        except (ValueError, LookupError, TypeError) as error:
            raise self._wrong(offset, f"damaged line: {_CHANGED}; {_REMEDY}") from error

    def _wrong(self, offset: int, why: str) -> RunError:
        number = 1
        with self.journal_path.open("rb") as journal:
            while journal.tell() < offset:
                journal.readline()
                number += 1
        return RunError(f"{self.journal_path}:{number}: {why}")

    def write(self, lines: Sequence[JournalLine]) -> None:
        """Add lines; when this returns they are on disk.

        Raises:
            RunError: the journal can't be written; its earlier lines are whole.
        """
        try:
            with self.journal_path.open("ab") as journal:
                offset = journal.tell()
                journal.writelines(line.text for line in lines)
                journal.flush()
                os.fsync(journal.fileno())
        except OSError as error:
            raise RunError(
                f"{self.journal_path}: can't be written: {error.strerror}; what it holds is complete, "
                "and the same command continues from there"
            ) from error
        for line in lines:
            self.entries[line.record_id] = line.entry._replace(offset=offset)
            offset += len(line.text)
        self._end = offset

    def results(self, ids: Iterable[str]) -> Iterator[R]:
        """The results of `ids`, in that order, read one at a time; ids without one are skipped.

        Raises:
            RunError: a line is damaged, or does not hold a result of the task.
        """
        if not self.entries:
            return
        with self.journal_path.open("rb") as journal:
            for record_id in ids:
                if record_id not in self.entries:
                    continue
                offset = self.entries[record_id].offset
                journal.seek(offset)
                found = self._unpacked(journal.readline(), offset)
                try:
                    yield self.task.result.model_validate_json(found.result)
                except ValidationError as error:  # of a line that is whole, as its checksum says
                    wrong = f"not a result of a run of `{self.task.name}`: {next(reworded(error, '', {}))}"
                    raise self._wrong(offset, f"{wrong}; {_WHOLE}") from error
