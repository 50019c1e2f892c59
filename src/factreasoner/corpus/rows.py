"""Files of rows, each a document: JSON lines and CSV with columns for text, title and link."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from factreasoner.files import opened

LONGEST_ROW = 100_000_000
"""Bytes of the longest line that is read, and characters of the longest cell."""
_COLUMNS = {"text": ("text", "content", "passage"), "title": ("title",), "link": ("link", "url")}


class Document(NamedTuple):
    """One text with a title and, where known, the address it came from. A row of a file is a document too."""

    text: str
    title: str = ""
    link: str = ""


class BadRow(NamedTuple):
    """A row that is no document, and why."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


def json_rows(path: Path) -> Iterator[Document | BadRow]:
    """A document or a problem for every line that is not blank. Raises OSError."""
    with opened(path) as file:
        for number, line in _lines(file):
            if line is None:
                yield BadRow(number, f"longer than {LONGEST_ROW // 1_000_000} MB")
            elif line.strip():
                yield _json_row(line, number)


def _json_row(line: bytes, number: int) -> Document | BadRow:
    try:
        return _row(json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8")), number)
    except UnicodeDecodeError:
        return BadRow(number, "not UTF-8")
    except (ValueError, RecursionError):
        return BadRow(number, "not JSON")


def csv_rows(path: Path) -> Iterator[Document | BadRow]:
    """A document or a problem for every row below the header. Raises OSError.

    The first place where the file is not CSV, or not UTF-8, ends it: what a row is after it, nobody knows.
    """
    csv.field_size_limit(LONGEST_ROW)
    with opened(path) as file:
        head = file.readline(LONGEST_ROW)
        file.seek(0)
        rows = csv.DictReader(_csv_lines(file), delimiter=_delimiter(head), strict=True)
        try:
            for row in rows:
                # None is the key of what a row has too many of, and the value of what it has too few of.
                yield _row({k: v or "" for k, v in row.items() if k is not None}, rows.line_num)
        except UnicodeDecodeError:
            yield BadRow(rows.line_num + 1, "not UTF-8; from here on nothing is read")
        except csv.Error as error:
            yield BadRow(rows.line_num, f"not CSV ({error}); from here on nothing is read")


def _csv_lines(file: IO[bytes]) -> Iterator[str]:
    for number, line in _lines(file):
        if line is None:
            raise csv.Error(f"a line longer than {LONGEST_ROW // 1_000_000} MB")
        yield line.decode("utf-8-sig" if number == 1 else "utf-8")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None in place of one too long to be held in memory."""
    number = 0
    while line := file.readline(LONGEST_ROW):
        number += 1
        whole = line.endswith(b"\n") or len(line) < LONGEST_ROW
        while not line.endswith(b"\n") and len(line) == LONGEST_ROW:
            line = file.readline(LONGEST_ROW)
        yield number, line if whole else None


def _delimiter(head: bytes) -> str:
    return max(",\t;", key=lambda mark: head.count(mark.encode()))


def _row(row: object, number: int) -> Document | BadRow:
    if not isinstance(row, dict):
        return BadRow(number, "not an object")
    columns = {str(key).strip().lower(): value for key, value in row.items()}
    values = {}
    for name, known in _COLUMNS.items():
        value = _first(columns, known)
        if value is None and name == "text":
            return BadRow(number, f"no column {' or '.join(map(repr, known))}")
        if value is not None and not isinstance(value, str):
            return BadRow(number, f"{name} is not a text")
        values[name] = value or ""
    return Document(values["text"], " ".join(values["title"].split()), values["link"].strip())


def _first(columns: dict[str, object], known: Sequence[str]) -> object:
    return next((columns[name] for name in known if columns.get(name) is not None), None)
