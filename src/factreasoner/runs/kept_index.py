"""The index of a large journal, kept in a file: reading that takes a tenth of reading the journal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner import __version__
from factreasoner.errors import RunError
from factreasoner.runs.journal import JournalEntry, entry_of, head_of
from factreasoner.runs.journal_index import JournalIndex
from factreasoner.runs.replacing import replace_file
from factreasoner.tasks.task import Task

KEPT_FROM = 1000
"""Records from which on an index is worth keeping: fewer are read in no time."""


class Indexed(NamedTuple):
    """What is known of a journal's first `end` bytes."""

    entries: JournalIndex
    end: int


class KeptIndex:
    """The file: what made it in the first line, then a line for each of the journal's, as they are written.

    It is derived: what it lacks is read from the journal. It is not believed where the journal does not hold
    the last line it knows of at its place, or was changed since without having grown.
    """

    def __init__(self, path: Path, journal: Path) -> None:
        self.path = path
        self._journal = journal
        self._begun = self._given_up = False
        self._whole = 0

    def read(self, task: Task[Any]) -> Indexed:
        """What it tells of the journal; nothing where it can't be believed."""
        try:
            found = self._believed(task)
        except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
            found = None  # the journal tells it all
        self._begun = found is not None
        return found or Indexed(JournalIndex(), 0)

    def keep(self, task: Task[Any], entries: JournalIndex, added: Iterable[tuple[str, JournalEntry]]) -> None:
        """Write the entries that were `added` since it was read or written, of a journal on disk.

        Where that fails it is done without: nothing but time depends on it.
        """
        try:
            if self._begun:
                os.truncate(self.path, self._whole)  # what a killed process left of its last line goes
                with self.path.open("a", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in map(_line, added))
                    self._whole = file.tell()
                self.path.touch()
            elif len(entries) >= KEPT_FROM and not self._given_up:
                replace_file(self.path, _lines(task, entries))
                self._begun, self._whole = True, self.path.stat().st_size
        except (OSError, RunError):
            self._begun, self._given_up = False, True

    def _believed(self, task: Task[Any]) -> Indexed | None:
        entries, last, at = JournalIndex(), "", -1
        with self.path.open("rb") as lines:
            if lines.readline().decode().rstrip("\n") != _made_by(task):
                return None
            self._whole = lines.tell()
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                *entry, record_id = json.loads(line)
                entries[record_id] = JournalEntry(*entry)
                if entry[0] > at:
                    last, at = record_id, entry[0]
                self._whole += len(line)
        with self._journal.open("rb") as journal:
            journal.seek(at)
            line = journal.readline()
            end = journal.tell()
            grown = bool(journal.read(1))
        unchanged = grown or self._journal.stat().st_mtime_ns <= self.path.stat().st_mtime_ns
        there = line.endswith(b"\n") and entry_of(task, head_of(line), at) == (last, entries[last])
        return Indexed(entries, end) if unchanged and there else None


def _lines(task: Task[Any], entries: JournalIndex) -> Iterator[str]:
    yield _made_by(task)
    yield from map(_line, entries.items())


def _made_by(task: Task[Any]) -> str:
    return json.dumps(["journal index", __version__, task.name])


def _line(item: tuple[str, JournalEntry]) -> str:
    record_id, entry = item
    return json.dumps([*entry, record_id])
