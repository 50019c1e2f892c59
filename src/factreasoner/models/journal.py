"""The journal of a run: one result per line, written as soon as its record ends."""

from __future__ import annotations

import functools
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import jiter

from factreasoner.errors import RunError
from factreasoner.models.results import Status, Usage

JOURNAL = "journal.jsonl"
_CRC = b', "crc": "'
_RESULT = b'", "result": '
_DIGITS = 8


def journal_of(path: Path) -> Path:
    """The journal of a run folder; any other path unchanged."""
    return path / JOURNAL if path.is_dir() else path


class Packed(NamedTuple):
    """The content of a line: {id, fingerprint, status, size, crc, result}.

    `fingerprint` is that of the record's content, None after a failure, so that a rerun repeats the record.
    `size` counts the claims (a run's atoms) with a verdict. `result` is JSON.
    """

    id: str
    fingerprint: str | None
    status: Status
    size: int
    result: bytes


def pack(line: Packed) -> bytes:
    """The line, with its end. `crc` is the CRC-32 of all but its own digits."""
    head = {"id": line.id, "fingerprint": line.fingerprint, "status": line.status, "size": line.size}
    before = json.dumps(head, ensure_ascii=False).encode()[:-1]
    after = _RESULT + line.result + b"}\n"
    crc = zlib.crc32(after, zlib.crc32(before))
    return b"%b%b%08x%b" % (before, _CRC, crc, after)


def unpack(line: bytes) -> Packed:
    """The content of a line. Raises ValueError or KeyError if damaged, or not a journal's."""
    at = line.index(_CRC)
    end = at + len(_CRC) + _DIGITS
    if int(line[end - _DIGITS : end], 16) != zlib.crc32(line[end:], zlib.crc32(line[:at])):
        raise ValueError("its checksum is that of another line")
    head = jiter.from_json(line[:at] + b"}")
    result = line[end + len(_RESULT) : -2]
    return Packed(head["id"], head["fingerprint"], head["status"], head["size"], result)


def is_line(line: bytes) -> bool:
    """Whether a line is a journal's, damaged or not."""
    return _CRC in line


class JournalEntry(NamedTuple):
    """Position and summary of a record's latest result in the journal; see `Packed`."""

    offset: int
    status: Status
    fingerprint: str | None
    size: int

    @property
    def to_repeat(self) -> bool:
        """Whether a resumed run assesses the record again, because of a failure."""
        return self.fingerprint is None


class JournalLine(NamedTuple):
    """One result for the journal; the offset of its `entry` is 0 until written."""

    record_id: str
    text: bytes
    entry: JournalEntry
    usage: Usage


class DamagedLineError(RunError):
    """A damaged line of a journal; `where` is its file and number."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where


class Journal:
    """A run's journal, for reading and writing."""

    def __init__(self, path: Path) -> None:
        self.journal_path = path
        self._end = 0

    @functools.cached_property
    def entries(self) -> dict[str, JournalEntry]:
        """The position of each record's last line, by id, in order of first appearance.

        All lines are checked on first use; a torn last line is skipped.

        Raises DamagedLineError: a line other than a torn last one is damaged.
        """
        self._end = 0
        found: dict[str, JournalEntry] = {}
        self._read_on(found)
        return found

    def repair_journal(self) -> None:
        """Read new lines, and cut off a torn last line. Raises as `entries` does."""
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
            problem = (
                "damaged line: it is cut or changed; remove it and run again, or start over with `fresh=True`"
            )
            raise self.damaged(offset, problem) from error

    def damaged(self, offset: int, problem: str) -> DamagedLineError:
        """The error for the line at an offset."""
        number = 1
        with self.journal_path.open("rb") as journal:
            while journal.tell() < offset:
                journal.readline()
                number += 1
        return DamagedLineError(f"{self.journal_path}:{number}", problem)

    def write(self, lines: Sequence[JournalLine]) -> None:
        """Append lines; they are on disk on return.

        Raises RunError: the journal can't be written; its earlier lines are complete.
        """
        try:
            with self.journal_path.open("ab") as journal:
                offset = journal.tell()
                journal.writelines(line.text for line in lines)
                journal.flush()
                os.fsync(journal.fileno())
        except OSError as error:
            raise RunError(
                f"{self.journal_path}: can't be written: {error.strerror}; finished records are "
                "kept, rerun to resume"
            ) from error
        for line in lines:
            self.entries[line.record_id] = line.entry._replace(offset=offset)
            offset += len(line.text)
        self._end = offset

    def lines(self, ids: Iterable[str]) -> Iterator[Packed]:
        """The last lines of `ids`, in that order, read one at a time; ids without one are skipped.

        Raises DamagedLineError: a line is damaged.
        """
        if not self.entries:
            return
        with self.journal_path.open("rb") as journal:
            for record_id in ids:
                if record_id in self.entries:
                    offset = self.entries[record_id].offset
                    journal.seek(offset)
                    yield self._unpacked(journal.readline(), offset)
