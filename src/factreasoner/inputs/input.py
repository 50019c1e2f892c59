"""Input files: the whole of one is checked before anything is spent, then its records are read one by one."""

from __future__ import annotations

import contextlib
import errno
import shutil
import stat
import sys
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from factreasoner.compression import opened, unpacked
from factreasoner.config import Config
from factreasoner.errors import InputError, InputProblem
from factreasoner.evaluators.assessors import ASSESSORS
from factreasoner.inputs.columns import hinted, misspelt
from factreasoner.inputs.jsonl import file_problem, parse_line
from factreasoner.inputs.parsing import parse_record
from factreasoner.inputs.tables import is_array, is_table, json_lines
from factreasoner.models import Record
from factreasoner.registry import nearest
from factreasoner.stages.abstention import is_abstention

Fits = Callable[[Record], Sequence[InputProblem]]

STDIN = "standard input"
_HEAD_BYTES = 65536
SAME_PROBLEM = 3
"""Places with the same problem from which on it is told once."""


class CheckedInput:
    """A file, compressed or not, whose every line was checked.

    Memory grows by an id and two integers a record, and the problems. `problems` are those of the lines left
    out (`skip_invalid`), `notes` say which keys may be misspelt. What can be read only once (standard input,
    a pipe), and the records of a table or a JSON array, are kept in an unnamed temporary file for as long as
    this object lives.
    """

    def __init__(self, path: Path | str, column_map: Mapping[str, str] | None = None) -> None:
        self.name = STDIN if str(path) == "-" else str(path)
        self.problems: list[InputProblem] = []
        self._column_map = dict(column_map or {})
        self._numbers: dict[str, int] = {}
        self._offsets = array("Q")
        self.notes: list[str] = []
        self._path = Path(path)
        self._spool, self._by_line = _spooled(path, self.name)
        if self._spool is not None:
            weakref.finalize(self, self._spool.close)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the records, in order."""
        return tuple(self._numbers)

    def records(self) -> Iterator[Record]:
        """The records in order, each read from the file when it is asked for.

        Raises:
            InputError: the file was changed after it was checked.
        """
        with self._open() as file:
            for (record_id, number), offset in zip(self._numbers.items(), self._offsets, strict=True):
                file.seek(offset)
                yield self._unchanged(file.readline(), record_id, number, offset)

    def check(self, fits: Fits | None = None, limit: int | None = None) -> None:
        """Read every line, until `limit` records are found; note ids, offsets and problems.

        Raises:
            InputError: the file as a whole is not what it should be.
        """
        seen: dict[str, None] = {}
        with self._open() as file:
            message = file_problem(self.name, file.read(_HEAD_BYTES))
            if message is not None:
                raise InputError([InputProblem(self.name, "", message)])
            file.seek(0)
            offset = 0
            for number, raw in enumerate(file, start=1):
                if limit is not None and len(self) >= limit:
                    break
                if raw.strip():
                    try:
                        data = parse_line(raw, where=self._where(number), offset=offset)
                        seen |= dict.fromkeys(data)
                        self._add(self._record(data, number), number, offset, fits)
                    except InputError as error:
                        self.problems += error.problems
                offset += len(raw)
        unseen = self._column_map.keys() - seen.keys()
        if unseen and seen and (limit is None or not self._numbers):
            told = (f"no record has the key {key!r}; {nearest(key, list(seen))}" for key in sorted(unseen))
            raise InputError([InputProblem(self.name, "column map", message) for message in told])
        self.notes = list(misspelt(seen, self._column_map))

    def _add(self, record: Record, number: int, offset: int, fits: Fits | None) -> None:
        where = self._where(number)
        if record.id in self._numbers:
            first = f"{'line' if self._by_line else 'record'} {self._numbers[record.id]}"
            message = f"{record.id!r} is the id of {first} too; give each record an id of its own"
            raise InputError([InputProblem(where, "id", message)])
        if problems := fits(record) if fits is not None else ():
            raise InputError([hinted(problem, record.metadata)._replace(where=where) for problem in problems])
        self._numbers[record.id] = number
        self._offsets.append(offset)

    def _record(self, data: Mapping[str, object], number: int) -> Record:
        where = self._where(number)
        return parse_record(data, where=where, column_map=self._column_map, default_id=f"r{number}")

    def _unchanged(self, raw: bytes, record_id: str, number: int, offset: int) -> Record:
        with contextlib.suppress(InputError):
            record = self._record(parse_line(raw, where=self._where(number), offset=offset), number)
            if record.id == record_id:
                return record
        message = "changed after it was checked; run the command again"
        raise InputError([InputProblem(self._where(number), "", message)])

    def _where(self, number: int) -> str:
        return f"{self.name}:{number}" if self._by_line else f"{self.name}, record {number}"

    @contextlib.contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self._spool is not None:
            self._spool.seek(0)
            yield self._spool
        else:
            try:
                with opened(self._path) as file:
                    yield file
            except OSError as error:
                raise _unreadable(self.name, error) from error


def check_input(
    path: Path | str,
    *,
    column_map: Mapping[str, str] | None = None,
    fits: Fits | None = None,
    limit: int | None = None,
    skip_invalid: bool = False,
) -> CheckedInput:
    """Check a JSONL file ("-" is standard input) line by line, keeping none of its records in memory.

    A CSV or TSV file and a JSON array are turned into JSON lines first, which takes the memory they need.

    `column_map` is their key -> our field. `fits` tells what a record lacks beyond its form, as `check_fits`
    does for a Config. `limit` takes the first so many records and looks no further. `skip_invalid` leaves
    bad lines out.

    Raises:
        InputError: every problem of every line, or of the file as a whole; or no record is left.
        ConfigError: `column_map` names no field of ours.
    """
    checked = CheckedInput(path, column_map)
    checked.check(fits, limit)
    if checked.problems and not skip_invalid:
        raise InputError(merged(checked.problems))
    if not len(checked):
        message = "no valid record is left" if checked.problems else "empty; write one JSON record a line"
        raise InputError([*merged(checked.problems), InputProblem(checked.name, "", message)])
    return checked


def check_fits(record: Record, config: Config) -> list[InputProblem]:
    """What `record` lacks for the assessor that `config` describes.

    A record with nothing to judge (no atoms, or an abstention to make them from) lacks nothing.
    """
    problem = _missing_contexts(record, config) or _missing_links(record, config)
    if problem is None:
        return []
    unjudged = is_abstention(record.response) if record.atoms is None else not record.atoms
    return [] if unjudged else [problem]


def _missing_contexts(record: Record, config: Config) -> InputProblem | None:
    if record.contexts is not None or config.retriever != "given":
        return None
    remedy = "add 'contexts' ([] if there are none), or choose a --retriever that finds them"
    return InputProblem(f"record {record.id}", "contexts", f"none given; {remedy}")


def _missing_links(record: Record, config: Config) -> InputProblem | None:
    linked = any(context.atom_ids for context in record.contexts or ())
    if config.version != 1 or config.assessor in ASSESSORS or not record.contexts or linked:
        return None
    message = (
        "no atom names a context, and version 1 judges an atom against its own contexts only; list them in "
        "atoms[].contexts, or use --version 2 or 3"
    )
    return InputProblem(f"record {record.id}", "atoms", message)


def merged(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems in order, of which those that are the same in three places or more are told once."""
    places: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        places.setdefault((problem.field, problem.message), []).append(problem.where)
    told: list[InputProblem] = []
    for (field, message), where in places.items():
        if len(where) < SAME_PROBLEM:
            told += [InputProblem(place, field, message) for place in where]
        else:
            told.append(InputProblem(f"{where[0]} and {len(where) - 1} more", field, message))
    return told


def _spooled(path: Path | str, name: str) -> tuple[IO[bytes] | None, bool]:
    """A seekable copy of what can be read only once, or is no JSON lines; None for an ordinary file.

    With it: whether its lines are those of the file.
    """
    try:
        if str(path) == "-":
            return _converted(name, _copy(sys.stdin.buffer))
        if not stat.S_ISREG(Path(path).stat().st_mode):
            with Path(path).open("rb") as stream:
                return _converted(name, _copy(stream))
        with opened(Path(path)) as plain:
            lines = _as_lines(name, plain)
            return lines, lines is None
    except OSError as error:
        raise _unreadable(name, error) from error


def _converted(name: str, copy: IO[bytes]) -> tuple[IO[bytes], bool]:
    """The copy, or its records as JSON lines, with whether it is the copy."""
    try:
        lines = _as_lines(name, copy)
    except BaseException:
        copy.close()
        raise
    if lines is not None:
        copy.close()
    return lines or copy, lines is None


def _as_lines(name: str, file: IO[bytes]) -> IO[bytes] | None:
    """The records of a table or an array as JSON lines; None for a file of JSON lines."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    table = is_table(name, head)
    if not table and not is_array(head):
        return None
    spool = _spool()
    try:
        spool.writelines(json_lines(name, file, table=table))
    except BaseException:
        spool.close()
        raise
    return spool


def _copy(stream: IO[bytes]) -> IO[bytes]:
    """What the stream has, unpacked where it is compressed."""
    spool = _spool()
    try:
        shutil.copyfileobj(stream, spool)
        spool.seek(0)
        plain = unpacked(spool)
    except BaseException:
        spool.close()
        raise
    if plain is spool:
        return spool
    with spool, plain:
        return _copy(plain)


def _spool() -> IO[bytes]:
    return tempfile.TemporaryFile()  # lives as long as its CheckedInput


def _unreadable(name: str, error: OSError) -> InputError:
    remedy = "" if error.errno == errno.EIO else "; give the path of a JSONL file"
    return InputError([InputProblem(name, "", f"can't be read: {error.strerror}{remedy}")])
