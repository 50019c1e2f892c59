"""Input files: the whole of one is checked before anything is spent, then its records are read one by one."""

from __future__ import annotations

import contextlib
import shutil
import stat
import sys
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import opened, unpacked
from factreasoner.inputs.jsonl import HEAD_BYTES, LONGEST_LINE, Line, objects_in, parse_line, unreadable
from factreasoner.inputs.parsing import Fits, Reader
from factreasoner.inputs.tables import records_of
from factreasoner.inputs.wording import merged
from factreasoner.models import Record

STDIN = "standard input"


class CheckedInput:
    """A file, compressed or not, whose every line was checked.

    Memory grows by an id and some 100 bytes a record, and by the problems. `problems` are those of the lines
    left out (`skip_invalid`); `notes` are on keys that may be misspelt. What can be read only once (standard
    input, a pipe), and the records of a table or a JSON array, are kept in an unnamed temporary file for as
    long as this object lives.

    Raises:
        InputError: the file can't be read, or is a table or an array that is not clean.
        ConfigError: `column_map` names no field of ours.
    """

    def __init__(self, path: Path | str, column_map: Mapping[str, str] | None = None) -> None:
        self.name = STDIN if str(path) == "-" else str(path)
        self.problems: list[InputProblem] = []
        self.notes: list[str] = []
        self._column_map = dict(column_map or {})
        self._numbers: dict[str, int] = {}
        self._offsets = array("Q")
        self._path = Path(path)
        closing = contextlib.ExitStack()
        weakref.finalize(self, closing.close)
        try:
            self._copy, self._by_line = _copied(self._path, self.name, closing)
        except OSError as error:
            raise unreadable(self.name, error) from error

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the records, in order."""
        return tuple(self._numbers)

    def records(self) -> Iterator[Record]:
        """The records in order, each read from the file when it is asked for.

        Raises:
            InputError: the file was changed after it was checked.
        """
        reader = Reader(self._column_map)
        with self._open() as file:
            for (record_id, number), offset in zip(self._numbers.items(), self._offsets, strict=True):
                file.seek(offset)
                raw, where = file.readline(LONGEST_LINE + 1), self._where(number)
                record = None
                with contextlib.suppress(InputError):
                    data = parse_line(raw, where=where, offset=offset)
                    record = reader.record(data, where=where, default_id=f"r{number}")
                if record is None or record.id != record_id:
                    message = "changed after it was checked; run the command again"
                    raise InputError([InputProblem(where, "", message)])
                yield record

    def check(self, fits: Fits | None = None, limit: int | None = None) -> None:
        """Read every line, until `limit` records are found; note ids, offsets and problems.

        Raises:
            InputError: the file as a whole is not what it should be.
        """
        reader = Reader(self._column_map, fits)
        with self._open() as file:
            for line in objects_in(file, self.name, self.problems, self._where):
                try:
                    record = reader.record(line.data, where=line.where, default_id=f"r{line.number}")
                    self._add(record.id, line)
                except InputError as error:
                    self.problems += error.problems
                if limit is not None and len(self) >= limit:
                    break
        if (limit is None or not len(self)) and (told := reader.unseen()):
            raise InputError([InputProblem(self.name, "column map", message) for message in told])
        self.notes = reader.notes()

    def _add(self, record_id: str, line: Line) -> None:
        if (before := self._numbers.get(record_id)) is not None:
            first = f"{'line' if self._by_line else 'record'} {before}"
            message = f"{record_id!r} is the id of {first} too; give each record an id of its own"
            raise InputError([InputProblem(line.where, "id", message)])
        self._numbers[record_id] = line.number
        self._offsets.append(line.offset)

    def _where(self, number: int) -> str:
        return f"{self.name}:{number}" if self._by_line else f"{self.name}, record {number}"

    @contextlib.contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        try:
            if self._copy is not None:
                self._copy.seek(0)
                yield self._copy
            else:
                with opened(self._path) as file:
                    yield file
        except OSError as error:
            raise unreadable(self.name, error) from error


def check_input(
    path: Path | str,
    *,
    column_map: Mapping[str, str] | None = None,
    fits: Fits | None = None,
    limit: int | None = None,
    skip_invalid: bool = False,
) -> CheckedInput:
    """Check a JSONL file ("-" is standard input) line by line, keeping none of its records in memory.

    CSV, TSV and Parquet files and JSON arrays are turned into JSON lines first; an array takes the memory it
    needs. `column_map` is their key -> our field. `fits` tells what a record lacks beyond its form. `limit`
    takes the first so many records and looks no further. `skip_invalid` leaves bad lines out.

    Raises:
        InputError: every problem of every line, or of the file as a whole; or no record is left.
        ConfigError: `column_map` names no field of ours.
        MissingExtraError: it is a Parquet file, and pyarrow is not installed.
    """
    checked = CheckedInput(path, column_map)
    checked.check(fits, limit)
    if checked.problems and not skip_invalid:
        raise InputError(merged(checked.problems))
    if not len(checked):
        message = "no valid record is left" if checked.problems else "empty; write one JSON record a line"
        raise InputError([*merged(checked.problems), InputProblem(checked.name, "", message)])
    return checked


def _copied(path: Path, name: str, closing: contextlib.ExitStack) -> tuple[IO[bytes] | None, bool]:
    """A seekable file in the place of an input that can be read only once, or is no JSON lines; else None.

    With it comes whether it has the lines of the input. `closing` closes it.
    """
    copy = None
    if name == STDIN or not stat.S_ISREG(path.stat().st_mode):
        spool = closing.enter_context(_temporary())
        with contextlib.nullcontext(sys.stdin.buffer) if name == STDIN else path.open("rb") as stream:
            shutil.copyfileobj(stream, spool)
        spool.seek(0)
        copy = unpacked(spool)
    with contextlib.nullcontext(copy) if copy else opened(path) as plain:
        head = plain.read(HEAD_BYTES)
        plain.seek(0)
        if (lines := records_of(name, head, plain)) is None:
            return copy, True
        records = closing.enter_context(_temporary())
        records.writelines(lines)
        return records, False


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile()
