"""Read documents: plain text, Markdown, HTML, PDF, office documents, JSON lines, CSV."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from factreasoner.corpus.files import ARCHIVE, HEAD, Kind, content_of, has_known_ending, kind_of, reason
from factreasoner.documents.page import WIDE, Extracted, Page, TextTable, decode
from factreasoner.documents.reader import PageReader
from factreasoner.errors import DocumentError, MissingExtraError, NoTextError
from factreasoner.files import (
    BOM,
    ESCAPED,
    LONGEST_LINE,
    TOO_LONG,
    CsvTable,
    describe_table_error,
    lines_of,
    open_file,
    uncompressed_name,
)
from factreasoner.text.language import normalize_nfc

BINARY = "binary, not text"
MOST_BYTES = 100_000_000
"""Maximum size of a file read as one text. Files of rows (jsonl, csv) may have any size."""
READ_SECONDS = 300.0
_PAGES = 1_000_000
_SAMPLE = 4096


def digest_of(path: Path) -> str:
    """A digest of a file's content and kind. Raises DocumentError if it can't be read."""
    kind = kind_of(path).encode()
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.sha256(kind)).hexdigest()[:32]
    except OSError as error:
        raise DocumentError(f"{path}: {reason(error)}") from error


def documents_of(path: Path, *, others: Kind | None = None) -> Iterator[Document | BadRow]:
    """The documents of a file that have text; for a file of rows one by one, with its bad rows.

    `others` is the kind of files whose name tells none; without it, they raise. All but text and rows is read
    in separate processes with a time limit.

    Raises:
        DocumentError: it can't be read, is not what its name says, or changed while being read.
        NoTextError: it is a page or document without text.
        MissingExtraError: the packages for reading pages are not installed.
    """
    kind = others if others and not has_known_ending(path) else kind_of(path)
    found: Iterable[Document | BadRow]
    try:
        before = path.stat()
        rows = {"jsonl": json_rows, "csv": csv_rows}.get(kind)
        with open_file(path) as file:
            data = file.read(HEAD)
            _refuse_other(path, kind, data)
            data += b"" if rows else file.read(MOST_BYTES)
        if rows:
            found = rows(path)
        elif len(data) > MOST_BYTES:
            raise DocumentError(f"{path}: has more than {MOST_BYTES // 1_000_000} MB; split it")
        else:
            found = [_document(path, kind, data)] if data.strip() else []
        for item in found:
            if isinstance(item, BadRow):
                yield item
            elif item.text.strip():
                yield item._replace(text=normalize_nfc(item.text), title=normalize_nfc(item.title))
        after = path.stat()
    except OSError as error:
        raise DocumentError(f"{path}: {reason(error)}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise DocumentError(f"{path}: changed while it was read")


def _document(path: Path, kind: Kind, data: bytes) -> Document:
    name = re.sub(r"[_\s-]+", " ", uncompressed_name(path).stem).strip()
    if kind not in ("text", "markdown"):
        return _page(path, kind, data, name)
    read = text_of(data, str(path))
    text = read.text.replace("\r\n", "\n")
    found = Document(text, name) if kind == "text" else _page(path, kind, text.encode(), name)
    return found._replace(guessed=read.guessed)


def _page(path: Path, kind: Kind, data: bytes, name: str) -> Document:
    if kind == "pdf" and content_of(data) is None:
        raise DocumentError(f"{path}: not a PDF")
    reader = PageReader(seconds=READ_SECONDS, pages=_PAGES, sift=False)
    try:
        read = reader.read(Page(str(path), "text/html" if kind == "html" else kind, "", data))
    except MissingExtraError as error:
        raise DocumentError(f"{path}: {error}") from error
    if read.dropped:
        raise _unread(str(path), read.dropped)
    if not read.text and kind != "markdown":
        why = "a scan?" if kind == "pdf" else "".join(read.partly[:1])
        raise NoTextError(f"{path}: no text in it" + (f" ({why})" if why else ""))
    return Document(read.text, read.title or name, "", read.guessed, read.partly, read.tables)


def _refuse_other(path: Path, kind: Kind, head: bytes) -> None:
    """Raise DocumentError if a file's content is of another kind than its name says."""
    found = content_of(head)
    if found is None or found.kind == kind or (found == ARCHIVE and kind in ("docx", "pptx")):
        return
    remedy = f"; name it .{found.kind}" if found.kind else ""
    named = f"named {suffix}, but it is" if (suffix := uncompressed_name(path).suffix) else "it is"
    raise DocumentError(f"{path}: {named} {found.what}{remedy}")


def text_of(data: bytes, name: str) -> Extracted:
    """The text of a file, whose encoding may have been guessed.

    Raises DocumentError: it is binary, or in an unknown encoding.
    """
    found = decode(data)
    if _is_binary(data, found.text):
        raise DocumentError(f"{name}: {BINARY}")
    if found.dropped:
        raise _unread(name, found.dropped)
    return found


def _unread(name: str, why: str) -> DocumentError:
    remedies = {"not UTF-8": "; save it as UTF-8", "encrypted": "; save it without a password"}
    remedies |= {"damaged": "; save it again"}
    remedy = next((message for start, message in remedies.items() if why.startswith(start)), "")
    return DocumentError(f"{name}: {why}{remedy}")


def _is_binary(data: bytes, text: str) -> bool:
    """Whether the start has zeros, or a twentieth of its `text` is control characters."""
    sample, zeros = text[:_SAMPLE], b"\0" in data[:_SAMPLE] and not data.startswith(WIDE)
    strange = sum(unicodedata.category(c) in ("Cc", "Cn", "Co") and not c.isspace() for c in sample)
    return zeros or strange + sample.count("\ufffd") > 0.05 * len(sample)


NO_TEXT = "no text"
_COLUMNS = {"text": ("text", "content", "passage"), "title": ("title",), "link": ("link", "url")}
_NO_COLUMN = "no column 'text', 'content' or 'passage'; rename the one with the text"


class Document(NamedTuple):
    """One text with title and, if known, URL. A row of a file is a document too.

    `guessed` is the encoding if it had to be guessed; `partly` names unread parts.
    """

    text: str
    title: str = ""
    link: str = ""
    guessed: str = ""
    partly: tuple[str, ...] = ()
    tables: tuple[TextTable, ...] = ()


class BadRow(NamedTuple):
    """A row that is not a document, and why."""

    line: int
    reason: str

    @property
    def blank(self) -> bool:
        """Whether it has no text."""
        return self.reason == NO_TEXT

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


def json_rows(path: Path) -> Iterator[Document | BadRow]:
    """A document or a problem for every line that is not blank. Raises OSError."""
    with open_file(path) as file:
        for number, _, line in lines_of(file):
            yield _json_row(line, number)


def _json_row(line: bytes, number: int) -> Document | BadRow:
    if len(line) > LONGEST_LINE:
        return BadRow(number, TOO_LONG)
    try:
        return _row(json.loads(line.removeprefix(BOM).decode()), number)
    except UnicodeDecodeError:
        return BadRow(number, "not UTF-8")
    except (ValueError, RecursionError):
        return BadRow(number, "not JSON")


def csv_rows(path: Path) -> Iterator[Document | BadRow]:
    """A document or a problem for every row below the header. Raises OSError.

    Reading stops where the file is no valid CSV.
    """
    with open_file(path) as file:
        table = CsvTable(file, ",\t;")
        rows = filter(None, table)
        try:
            columns = [column.strip().lower() for column in next(rows, [])]
            if wrong := _wrong_columns(columns):
                yield BadRow(table.line, wrong)
                return
            for row in rows:
                if ESCAPED.search("".join(row)):
                    yield BadRow(table.line, "not UTF-8")
                else:
                    cells = itertools.zip_longest(columns, row[: len(columns)], fillvalue="")
                    yield _row(dict(cells), table.line)
        except csv.Error as error:
            yield BadRow(table.begins, f"{describe_table_error(error)}; nothing after it is read")


def _wrong_columns(columns: Sequence[str]) -> str:
    if ESCAPED.search("".join(columns)):
        return "not UTF-8"
    known = itertools.chain(*_COLUMNS.values())
    twice = next((column for column in known if columns.count(column) > 1), "")
    missing = "" if not columns or set(columns) & {*_COLUMNS["text"]} else _NO_COLUMN
    return f"two columns are called {twice!r}; keep one" if twice else missing


def _row(row: object, number: int) -> Document | BadRow:
    if not isinstance(row, dict):
        return BadRow(number, "not an object")
    columns = {str(key).strip().lower(): value for key, value in row.items()}
    values = {}
    for name, known in _COLUMNS.items():
        value = next((columns[key] for key in known if columns.get(key) is not None), None)
        if value is None and name == "text":
            return BadRow(number, _NO_COLUMN)
        if value is not None and not isinstance(value, str):
            return BadRow(number, f"{name} is not a string")
        values[name] = value or ""
    if not values["text"].strip():
        return BadRow(number, NO_TEXT)
    return Document(values["text"], " ".join(values["title"].split()), values["link"].strip())
