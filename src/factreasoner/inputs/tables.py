"""CSV files and JSON arrays as JSON lines: what is clean is read as it is, and what is not is said."""

from __future__ import annotations

import ast
import csv
import io
import json
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import IO, Any

from factreasoner.compression import plain_name
from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.jsonl import BOM, decode_json

TABLES = {".csv": ",;\t", ".tsv": "\t"}
"""Ending of a table's name -> what its cells may be separated by."""


def is_array(head: bytes) -> bool:
    """Whether a file that begins so is a JSON array."""
    return head.removeprefix(BOM).lstrip().startswith(b"[")


def is_table(name: str, head: bytes) -> bool:
    """Whether a file of this name that begins so is a table."""
    text = head.removeprefix(BOM).lstrip()
    return _ending(name) in TABLES and bool(text) and not text.startswith((b"{", b"["))


def json_lines(name: str, file: IO[bytes], *, table: bool) -> Iterator[bytes]:
    """The records of a table or an array, each as a line of JSON. They are all in memory at once.

    Of a table the first row names the keys; an empty cell was not given; a cell that holds a list, as JSON or
    as Python writes it, is that list.

    Raises:
        InputError: it is not UTF-8, an array that is no JSON, or a table whose rows differ in length.
    """
    raw = file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(name, f"not UTF-8 at byte {error.start}; save it as UTF-8") from error
    records = _rows(name, text) if table else _elements(name, text)
    for record in records:
        yield json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _elements(name: str, text: str) -> Sequence[Any]:
    try:
        elements = decode_json(text)
    except RecursionError as error:
        raise _wrong(name, "nested too deeply") from error
    except ValueError as error:
        raise _wrong(name, f"begins as a JSON array, and is none: {error}") from error
    return elements if isinstance(elements, list) else [elements]


def _rows(name: str, text: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    header, _, _ = text.lstrip("\r\n").partition("\n")
    separators = TABLES[_ending(name)]
    separator = max(separators, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = ((reader.line_num, row) for row in reader if any(cell.strip() for cell in row))
        keys = [key.strip() for key in next(rows)[1]]
        _check_keys(name, keys)
        for line, row in rows:
            if len(row) != len(keys):
                message = f"{len(row)} cells, and the first row names {len(keys)}; quote cells that hold"
                raise _wrong(f"{name}:{line}", f"{message} {separator!r} or line ends")
            yield {key: _cell(cell) for key, cell in zip(keys, row, strict=True) if cell.strip()}
    except csv.Error as error:
        raise _wrong(f"{name}:{reader.line_num}", f"no clean table: {error}") from error


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
    for read in (decode_json, ast.literal_eval):
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
