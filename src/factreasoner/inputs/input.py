"""Input files: checked completely before any cost, then read record by record.

Tables (CSV, TSV, Parquet) and JSON arrays are converted to JSON lines first.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import json
import re
import shutil
import stat
import sys
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import IO, Any, cast

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import (
    BOM,
    ESCAPED,
    LONGEST_LINE,
    CsvTable,
    describe_table_error,
    open_file,
    uncompressed_name,
    unpack_file,
)
from factreasoner.inputs.jsonl import (
    HEAD_BYTES,
    TABLES,
    decode_json,
    describe_json_error,
    describe_other_format,
    not_utf8,
    objects_in,
    parse_line,
    unreadable,
)
from factreasoner.inputs.parsing import Fits, Reader
from factreasoner.inputs.problems import merged
from factreasoner.models import Record
from factreasoner.models.formatting import number_of
from factreasoner.plugins.table import extras_named

STDIN = "standard input"
PARQUET = b"PAR1"
FORM = (
    'write one record a line: {"output": "...", ...}, or, if it is a table, give it a name that ends in '
    ".csv or .tsv"
)
NOT_FINITE = "holds NaN, infinity or a number that is too large; write null, or the number as a string"
LARGEST_ARRAY = 2**30
"""Maximum bytes of an unpacked JSON array, which is held in memory."""


class CheckedInput:
    """A checked file, compressed or not ("-" is standard input).

    `column_map` maps user keys to our fields. `fits` returns what a record lacks. `limit` reads only the
    first records. `skip_invalid` skips bad lines, which are in `problems`. `notes` are on keys that may be
    misspelt, and on blank rows of a table.

    Memory grows by about 100 bytes per record. Standard input, a pipe, and records of a table or JSON array
    are kept in an unnamed temporary file while this object lives.

    Raises:
        InputError: every problem of every line or of the whole file; or no record is left.
        ConfigError: `column_map` names an unknown field.
        MissingExtraError: it is a Parquet file, and pyarrow is not installed.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        column_map: Mapping[str, str] | None = None,
        fits: Fits | None = None,
        limit: int | None = None,
        skip_invalid: bool = False,
    ) -> None:
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
            self._copy, self._by = self._copied(closing)
        except OSError as error:
            raise unreadable(self.name, error) from error
        notes = self.notes + self._checked(Reader(self._column_map, fits), limit)
        self.notes = list(map(f"{self.name}: ".__add__, notes))
        problems = merged(self.problems)
        if problems and not skip_invalid:
            raise InputError(problems, valid=len(self._numbers))
        if not self._numbers:
            message = (
                "no valid record is left"
                if problems
                else "empty; write one JSON record a line, or one a row below a table's header"
            )
            raise InputError([*problems, InputProblem(self.name, "", message)])
        self.ids = tuple(self._numbers)
        """Ids of the records, in order."""

    def records(self) -> Iterator[Record]:
        """The records in order, each read when requested.

        Raises InputError: the file was changed after it was checked.
        """
        reader = Reader(self._column_map)
        with self._open() as file:
            for (record_id, number), offset in zip(self._numbers.items(), self._offsets, strict=True):
                file.seek(offset)
                where, record = f"{self.name}{self._by}{number}", None
                with contextlib.suppress(InputError):
                    data = parse_line(file.readline(LONGEST_LINE + 1), where=where)
                    record = reader.record(data, where=where, default_id=f"r{number}")
                if record is None or record.id != record_id:
                    raise _wrong(where, "changed after it was checked; run the command again")
                yield record

    def _checked(self, reader: Reader, limit: int | None) -> list[str]:
        """Read every line, until `limit` records are found; returns notes on keys."""
        with self._open() as file:
            for line in objects_in(file, self.name, self.problems, FORM, self._by):
                try:
                    record = reader.record(line.data, where=line.where, default_id=f"r{line.number}")
                except InputError as error:
                    self.problems += error.problems
                    continue
                if (before := self._numbers.setdefault(record.id, line.number)) == line.number:
                    self._offsets.append(line.offset)
                else:
                    first = f"{self._by.strip(' ,:') or 'line'} {before}"
                    message = f"{record.id!r} is the id of {first} too; give each record its own id"
                    self.problems.append(InputProblem(line.where, "id", message))
                if limit is not None and len(self._numbers) >= limit:
                    break
        if (limit is None or not self._numbers) and (unseen := reader.unseen()):
            raise InputError([InputProblem(self.name, "column map", message) for message in unseen])
        return reader.notes()

    def _copied(self, closing: contextlib.ExitStack) -> tuple[IO[bytes] | None, str]:
        """A seekable copy of an input that is read only once or is not JSON lines; else None.

        It comes with the words between the input's name and a line number in messages. `closing` closes it. A
        row without a record is an empty line.
        """
        copy = None
        if self.name == STDIN or not stat.S_ISREG(self._path.stat().st_mode):
            spool = closing.enter_context(_temporary())
            stdin = contextlib.nullcontext(sys.stdin.buffer)
            with stdin if self.name == STDIN else self._path.open("rb") as stream:
                shutil.copyfileobj(stream, spool)
            spool.seek(0)
            copy = unpack_file(spool)
        with contextlib.nullcontext(copy) if copy else open_file(self._path) as plain:
            head = plain.read(HEAD_BYTES)
            plain.seek(0)
            if (found := _records_of(self.name, head, plain, self.notes)) is None:
                return copy, ":"
            records = closing.enter_context(_temporary())
            for number, record in enumerate(found, start=1):
                if isinstance(record, InputProblem):
                    self.problems.append(record)
                elif (line := _json(record)) is not None:
                    records.write(line.encode("utf-8", "surrogateescape"))
                else:
                    keys = record if isinstance(record, dict) else ()
                    field = next((key for key in keys if _json(record[key]) is None), "")
                    where = f"{self.name}, record {number}"
                    self.problems.append(InputProblem(where, field, NOT_FINITE))
                records.write(b"\n")
            return records, ", record "

    @contextlib.contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        try:
            if self._copy is not None:
                self._copy.seek(0)
                yield self._copy
            else:
                with open_file(self._path) as file:
                    yield file
        except OSError as error:
            raise unreadable(self.name, error) from error


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile()


def _records_of(name: str, head: bytes, file: IO[bytes], notes: list[str]) -> Iterable[Any] | None:
    """The records of a table or a JSON array; None if the file, starting with `head`, is neither.

    The first row of a table names the keys. Unnamed columns of row numbers before the first key are ignored.
    An empty cell counts as not given; a list in JSON or Python syntax is a list. Blank rows are skipped, with
    a note.
    """
    text = head.removeprefix(BOM).lstrip()
    if head.startswith(PARQUET):
        return _parquet(name, file)
    if text.startswith(b"["):
        return _elements(name, file)
    separators = TABLES.get(uncompressed_name(PurePath(name)).suffix.lower())
    if not separators or not text or text.startswith(b"{"):
        return None
    if message := describe_other_format(head):
        raise _wrong(name, message)
    return _rows(name, file, separators, notes)


def _parquet(name: str, file: IO[bytes]) -> Iterator[dict[str, Any]]:
    with extras_named():
        import pyarrow as arrow
        from pyarrow import parquet
    try:
        for batch in parquet.ParquetFile(file).iter_batches():
            for row in batch.to_pylist():
                yield {key: value for key, value in row.items() if value is not None and value == value}
    except (arrow.ArrowException, OSError) as error:
        raise _wrong(name, f"begins as a Parquet file, but can't be read as one: {error}") from error


def _json(value: object) -> str | None:
    """A value as JSON; None if it holds a number that is not finite."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_text)
    except ValueError:
        return None


def _text(value: object) -> str:
    """A Parquet value without a JSON equivalent as text: a date, or undeclared text bytes."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _elements(name: str, file: IO[bytes]) -> Iterable[Any]:
    raw = file.read(LARGEST_ARRAY + 1).removeprefix(BOM)
    if len(raw) > LARGEST_ARRAY:
        remedy = "write one record a line: jq -c '.[]' FILE > records.jsonl"
        raise _wrong(name, f"a JSON array of over 1 GiB; {remedy}")
    try:
        return cast("list[Any]", decode_json(raw))
    except ValueError as error:
        reason = describe_json_error(error, raw, each="each element")
        raise _wrong(name, f"begins as a JSON array, but is not one: {reason}") from error


_ROW_NUMBER = re.compile(r"\s*(-?\d+(\.0)?)?\s*", re.ASCII)
"""The content of an unnamed index column, as pandas writes it."""
_NO_ROW_NUMBER = (
    "the first column has no name and holds no row number here; name the column, or write the table without "
    "it: df.to_csv(FILE, index=False)"
)


def _rows(
    name: str, file: IO[bytes], separators: str, notes: list[str]
) -> Iterator[dict[str, Any] | InputProblem]:
    table = CsvTable(file, separators)
    rows = iter(table)
    try:
        keys = [key.strip() for key in next((row for row in rows if any(map(str.strip, row))), [""])]
        where = f"{name}:{table.line}"
        if message := _undecoded(keys):
            raise _wrong(where, message)
        first = next((place for place, key in enumerate(keys) if key), 0)  # before it are row numbers
        if "" in keys[first:]:
            number = keys.index("", first) + 1
            raise _wrong(where, f"column {number} has no name; the first row names the keys")
        if repeated := [key for key in keys[first:] if keys.count(key) > 1]:
            raise _wrong(where, f"two columns are called {repeated[0]!r}; keep one")
        blank = 0
        for row in rows:
            if any(map(str.strip, row[first:])):
                yield _record(row, keys, f"{name}:{table.line}", table.separator)
            else:
                blank += bool(row)  # an empty line is no row
        if blank:
            notes.append(f"{number_of(blank, 'blank row')} skipped")
    except csv.Error as error:
        raise _wrong(f"{name}:{table.begins}", describe_table_error(error)) from error


def _record(row: list[str], keys: list[str], where: str, separator: str) -> dict[str, Any] | InputProblem:
    """A row as a record, or its problem."""
    if message := _undecoded(row):
        return InputProblem(where, "", message)
    if len(row) != len(keys):
        cells = number_of(len(row), "cell")
        rest = f"the first row names {len(keys)}; quote cells that hold {separator!r} or line ends"
        return InputProblem(where, "", f"{cells}, but {rest}")
    if not all(_ROW_NUMBER.fullmatch(cell) for key, cell in zip(keys, row, strict=True) if not key):
        return InputProblem(where, "", _NO_ROW_NUMBER)
    if any(_WITHOUT_COMMAS.fullmatch(cell.strip()) for cell in row):
        return InputProblem(where, "", "a list without commas, as numpy prints it; write lists as JSON")
    return {key: _cell(cell) for key, cell in zip(keys, row, strict=True) if key and cell.strip()}


def _undecoded(row: list[str]) -> str | None:
    """The problem of a row with bytes that are not UTF-8."""
    escaped = ESCAPED.search("".join(row))
    return escaped and not_utf8(ord(escaped[0]) - 0xDC00)


_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_WITHOUT_COMMAS = re.compile(rf"\[\s*{_QUOTED}(?:\s*{_QUOTED})+\s*\]", re.DOTALL)
"""A list that Python would read as one string."""
_NO_LIST = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)
"""Exceptions from parsing a cell that only looks like a list."""


def _cell(cell: str) -> object:
    """The text of a cell, or its list."""
    text = cell.strip()
    for read in (decode_json, lambda cell: ast.literal_eval(cell.decode())) if text.startswith("[") else ():
        with contextlib.suppress(*_NO_LIST):
            found = decode_json(json.dumps(read(text.encode()), default=str).encode())
            if isinstance(found, list) and all(isinstance(item, str | dict | int) for item in found):
                return found
    return cell


def _wrong(where: str, message: str) -> InputError:
    return InputError([InputProblem(where, "", message)])
