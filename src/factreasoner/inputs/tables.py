"""Tables (CSV, TSV, Parquet) and JSON arrays as JSON lines, where they are clean."""

from __future__ import annotations

import ast
import csv
import io
import itertools
import json
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import IO, Any

from factreasoner.errors import InputError, InputProblem, MissingExtraError
from factreasoner.files import plain_name
from factreasoner.inputs.jsonl import BOM, decode_json, why_not_json
from factreasoner.plugins.table import EXTRA_OF_MODULE

TABLES = {".csv": ",;\t", ".tsv": "\t"}
"""Ending of a table's name -> what its cells may be separated by."""


PARQUET = b"PAR1"
LARGEST_ARRAY = 2**30
"""Bytes of a JSON array, unpacked: it is in memory as a whole, with all that it holds."""


def records_of(name: str, head: bytes, file: IO[bytes]) -> Iterator[bytes] | None:
    """The records of a table or a JSON array as lines of JSON; None where the file, which begins so, is none.

    Of a table the first row names the keys; an empty cell was not given; a cell that holds a list, as JSON or
    as Python writes it, is that list.

    Raises (as lines are taken):
        InputError: it is not UTF-8, an array that is no JSON, or a table whose rows differ in length.
        MissingExtraError: it is Parquet, and pyarrow is not installed.
    """
    text = head.removeprefix(BOM).lstrip()
    records: Iterable[Any]
    if head.startswith(PARQUET):
        records = _parquet(name, file)
    elif text.startswith(b"["):
        records = _elements(name, file)
    elif _ending(name) in TABLES and text and not text.startswith(b"{"):
        records = _rows(name, file)
    else:
        return None
    return (
        json.dumps(r, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass") + b"\n"
        for r in records
    )


def _parquet(name: str, file: IO[bytes]) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("reading Parquet", EXTRA_OF_MODULE["pyarrow"][1]) from error
    try:
        for batch in parquet.ParquetFile(file).iter_batches():
            for row in batch.to_pylist():
                yield {key: value for key, value in row.items() if value is not None and value == value}
    except (arrow.ArrowException, OSError) as error:
        raise _wrong(name, f"begins as a Parquet file, and can't be read as one: {error}") from error


def _elements(name: str, file: IO[bytes]) -> Sequence[Any]:
    raw = file.read(LARGEST_ARRAY + 1).removeprefix(BOM)
    if len(raw) > LARGEST_ARRAY:
        raise _wrong(
            name, "a JSON array of over 1 GiB; write one record a line: jq -c '.[]' FILE > records.jsonl"
        )
    try:
        elements = decode_json(raw)
    except ValueError as error:
        reason = why_not_json(error, raw, each="each element")
        raise _wrong(name, f"begins as a JSON array, and is none: {reason}") from error
    return elements if isinstance(elements, list) else [elements]


def _rows(name: str, file: IO[bytes]) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    lines = _decoded(name, file)
    header = next((line for line in lines if line.strip()), "")
    separator = max(TABLES[_ending(name)], key=header.count)
    reader = csv.reader(itertools.chain([header], lines), delimiter=separator, strict=True)
    try:
        rows = (row for row in reader if any(cell.strip() for cell in row))
        keys = [key.strip() for key in next(rows)]
        _check_keys(name, keys)
        for row in rows:
            if len(row) != len(keys):
                message = f"{len(row)} cells, and the first row names {len(keys)}; quote cells that hold"
                raise _wrong(f"{name}:{reader.line_num}", f"{message} {separator!r} or line ends")
            yield {key: _cell(cell) for key, cell in zip(keys, row, strict=True) if cell.strip()}
    except csv.Error as error:
        raise _wrong(f"{name}:{reader.line_num}", f"no clean table: {error}") from error


def _decoded(name: str, file: IO[bytes]) -> Iterator[str]:
    for number, raw in enumerate(file, start=1):
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            message = f"not UTF-8: byte 0x{raw[error.start]:02x}; save it as UTF-8"
            raise _wrong(f"{name}:{number}", message) from error


def _ending(name: str) -> str:
    return plain_name(PurePath(name)).suffix.lower()


def _check_keys(name: str, keys: Sequence[str]) -> None:
    if "" in keys:
        raise _wrong(f"{name}:1", f"column {keys.index('') + 1} has no name; the first row names the keys")
    if repeated := [key for key in keys if keys.count(key) > 1]:
        raise _wrong(f"{name}:1", f"two columns are called {repeated[0]!r}; keep one")


def _cell(cell: str) -> object:
    """A cell's text, or the list it holds."""
    if not cell.strip().startswith("["):
        return cell
    if (texts := _array_of_texts(cell)) is not None:
        return texts
    for read in (lambda text: decode_json(text.encode()), ast.literal_eval):
        try:
            found = read(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, list) and all(isinstance(item, str | dict | int) for item in found):
            return found
    return cell


def _array_of_texts(cell: str) -> list[str] | None:
    """The texts of an array as numpy writes it, without commas, which Python would read as one text."""
    try:
        tokens = [t for t in tokenize.generate_tokens(io.StringIO(cell.strip()).readline) if t.string.strip()]
    except (tokenize.TokenError, SyntaxError):
        return None
    texts = tokens[1:-1]
    if tokens[-1].string != "]" or len(texts) < 2 or any(t.type != tokenize.STRING for t in texts):
        return None
    return [str(ast.literal_eval(token.string)) for token in texts]


def _wrong(where: str, message: str) -> InputError:
    return InputError([InputProblem(where, "", message)])
