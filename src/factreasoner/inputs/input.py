"""Input files: the whole of one is checked before anything is spent, then its records are read one by one."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from factreasoner.atoms.abstention import is_abstention
from factreasoner.compact import Ids
from factreasoner.compression import opened
from factreasoner.errors import InputError, InputProblem
from factreasoner.evaluators.assessors import ASSESSORS
from factreasoner.inputs.columns import misspelt, unseen
from factreasoner.inputs.fitting import Fits, fitting_record, merged, misspelt_in_items
from factreasoner.inputs.jsonl import file_problem, parse_line
from factreasoner.inputs.kept_check import Found, KeptCheck
from factreasoner.inputs.parsing import parse_record
from factreasoner.inputs.spool import spooled, unreadable
from factreasoner.models import Record, record_fingerprint
from factreasoner.settings import Config

Finished = Callable[[str, str], bool]

STDIN = "standard input"
_HEAD_BYTES = 65536
KEPT_FROM = 1000
"""Records from which on a check is worth keeping: fewer are checked again in no time."""


class CheckedInput:
    """A file, compressed or not, whose every line was checked.

    Memory grows by an id and some 35 bytes a record, and by the problems.
    `problems` are those of the lines left out (`skip_invalid`). What can be read only once (standard input,
    a pipe), and the records of a table or a JSON array, are kept in an unnamed temporary file for as long as
    this object lives.
    """

    def __init__(self, path: Path | str, column_map: Mapping[str, str] | None = None) -> None:
        self.name = STDIN if str(path) == "-" else str(path)
        self.problems: list[InputProblem] = []
        self._column_map = dict(column_map or {})
        self._found = Found()
        self._kept: KeptCheck | None = None
        self._path = Path(path)
        self._spool, self._by_line = spooled(path, self.name)
        if self._spool is not None:
            weakref.finalize(self, self._spool.close)

    def __len__(self) -> int:
        return len(self._found.ids)

    @property
    def ids(self) -> Ids:
        """Ids of the records, in order."""
        return self._found.ids

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the file: keys that may be misspelt, with the ones they may stand for."""
        return self._found.notes

    def records(self, finished: Finished | None = None) -> Iterator[Record]:
        """The records in order, each read from the file when it is asked for.

        Those that are `finished`, by id and digest, are left out where the check was one to be kept.

        Raises:
            InputError: the file was changed after it was checked.
        """
        with self._open() as file:
            for record_id, number, offset, digest in self._found.places():
                if finished is None or digest is None or not finished(record_id, digest):
                    file.seek(offset)
                    yield self._unchanged(file.readline(), record_id, number, offset)

    def to_keep(self) -> Iterator[str] | None:
        """The lines of the file that keeps this check; None where there is nothing new to keep.

        A check that left lines out is not kept: its problems are told again.
        """
        if self._kept is None or self.problems or self._spool is not None or len(self) < KEPT_FROM:
            return None
        return self._kept.lines(self._path, self._found)

    def check(
        self, fits: Fits | None = None, limit: int | None = None, kept: KeptCheck | None = None
    ) -> None:
        """Read every line, until `limit` records are found; note ids, offsets and problems.

        Where the same check was `kept`, that is taken.

        Raises:
            InputError: the file as a whole is not what it should be.
        """
        if kept is not None and self._spool is None and (found := kept.read(self._path)) is not None:
            self._found = found
            return
        self._kept = kept
        seen: dict[str, None] = {}
        of_items: dict[str, None] = {}
        with self._open() as file:
            message = file_problem(self.name, file.read(_HEAD_BYTES), rename=self._spool is None)
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
                        of_items |= dict.fromkeys(misspelt_in_items(data, self._column_map))
                        self._add(self._fitting(data, number, fits), number, offset)
                    except InputError as error:
                        self.problems += error.problems
                offset += len(raw)
        if seen and (limit is None or not len(self)) and (told := unseen(self._column_map, seen)):
            raise InputError([InputProblem(self.name, "column map", message) for message in told])
        self._found.notes = [*misspelt(seen, self._column_map), *of_items]

    def _add(self, record: Record, number: int, offset: int) -> None:
        where = self._where(number)
        if (before := self._found.number(record.id)) is not None:
            first = f"{'line' if self._by_line else 'record'} {before}"
            message = f"{record.id!r} is the id of {first} too; give each record an id of its own"
            raise InputError([InputProblem(where, "id", message)])
        digest = None if self._kept is None else record_fingerprint(record)
        self._found.add(record.id, number, offset, digest)

    def _fitting(self, data: Mapping[str, object], number: int, fits: Fits | None) -> Record:
        where, default_id = self._where(number), f"r{number}"
        return fitting_record(data, fits, where=where, column_map=self._column_map, default_id=default_id)

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
                raise unreadable(self.name, error) from error


def check_input(
    path: Path | str,
    *,
    column_map: Mapping[str, str] | None = None,
    fits: Fits | None = None,
    limit: int | None = None,
    skip_invalid: bool = False,
    kept: KeptCheck | None = None,
) -> CheckedInput:
    """Check a JSONL file ("-" is standard input) line by line, keeping none of its records in memory.

    A CSV or TSV file and a JSON array are turned into JSON lines first, which takes the memory they need.

    `column_map` is their key -> our field. `fits` tells what a record lacks beyond its form, as `check_fits`
    does for a Config. `limit` takes the first so many records and looks no further. `skip_invalid` leaves
    bad lines out. `kept` says where the check of a large file is kept; what decides it is in its settings.

    Raises:
        InputError: every problem of every line, or of the file as a whole; or no record is left.
        ConfigError: `column_map` names no field of ours.
    """
    checked = CheckedInput(path, column_map)
    checked.check(fits, limit, kept)
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
