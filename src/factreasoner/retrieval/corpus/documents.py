"""Files of own documents, and the texts in them: plain text, Markdown, HTML, PDF, JSON lines, CSV."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from factreasoner.config import Config
from factreasoner.errors import DocumentError
from factreasoner.retrieval.extract import decode
from factreasoner.retrieval.page import Page
from factreasoner.retrieval.reader import PageReader

Kind = Literal["text", "markdown", "html", "pdf", "jsonl", "csv"]

KINDS: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
}
MOST_BYTES = 100_000_000
"""Largest file that is read as one text. Files of rows (jsonl, csv) may have any size."""
READ_SECONDS = 300.0
_PAGES = 1_000_000
_BLOCK = 1 << 20
_LONGEST_CELL = 100_000_000
_LINES_NAMED = 5
_COLUMNS = {"text": ("text", "content", "passage"), "title": ("title",), "link": ("link", "url")}


class Document(NamedTuple):
    """One text with a title and, where known, the address it came from. A row of a file is a document too."""

    text: str
    title: str = ""
    link: str = ""


class FoundFiles(NamedTuple):
    """Files below some paths, in order; paths where there is nothing; how many files are of other kinds."""

    files: tuple[Path, ...]
    missing: tuple[Path, ...]
    others: int


def find_files(paths: Iterable[Path], *, outside: Path | None = None) -> FoundFiles:
    """Every file of a known kind in `paths` and the folders below them.

    Hidden ones and the folder `outside` are left out; a file that is named itself is taken whatever its name;
    links to folders are not followed.
    """
    files: dict[Path, None] = {}
    missing = []
    others = 0
    for path in paths:
        if path.is_dir():
            for file in _walk(path, outside):
                known = file.suffix.lower() in KINDS
                others += not known
                if known:
                    files[file] = None
        elif path.is_file():
            files[path] = None
        else:
            missing.append(path)
    return FoundFiles(tuple(files), tuple(missing), others)


def _walk(folder: Path, outside: Path | None) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and Path(root, name) != outside
        )
        for name in sorted(names):
            file = Path(root, name)
            if not name.startswith(".") and file.is_file():
                yield file


class DocumentReader:
    """Reads the documents of files; HTML and PDF in processes that are killed when they take long."""

    def __init__(self) -> None:
        self._pages: PageReader | None = None

    def digest(self, path: Path) -> str:
        """A digest of a file's content and kind. Raises DocumentError when it can't be read."""
        found = hashlib.sha256(_kind(path).encode())
        try:
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    found.update(block)
        except OSError as error:
            raise _unreadable(path, error) from error
        return found.hexdigest()[:32]

    def documents(self, path: Path) -> Iterator[Document]:
        """The documents of a file that have text; those of a file of rows one by one, after all were checked.

        Raises:
            DocumentError: the file can't be read, is damaged, or changed while it was read.
            MissingExtraError: HTML or PDF without the packages that read them.
        """
        kind = _kind(path)
        found: Iterable[Document]
        try:
            before = path.stat()
            if kind in ("jsonl", "csv"):
                rows = _json_rows if kind == "jsonl" else _csv_rows
                _check(path, rows(path))
                found = (row for row in rows(path) if isinstance(row, Document))
            else:
                if before.st_size > MOST_BYTES:
                    raise DocumentError(f"{path}: has more than {MOST_BYTES // 1_000_000} MB; split it")
                found = [self._document(path, kind, path.read_bytes())]
            yield from (document for document in found if document.text.strip())
            after = path.stat()
        except OSError as error:
            raise _unreadable(path, error) from error
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise DocumentError(f"{path}: changed while it was read")

    def _document(self, path: Path, kind: Kind, data: bytes) -> Document:
        name = re.sub(r"[_\s-]+", " ", path.stem).strip()
        if kind in ("html", "pdf"):
            return self._page(path, kind, data, name)
        if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DocumentError(f"{path}: binary, not text")
        text = decode(data).replace("\r\n", "\n")
        return markdown(text, name) if kind == "markdown" else Document(text, name)

    def _page(self, path: Path, kind: Kind, data: bytes, name: str) -> Document:
        if kind == "pdf" and b"%PDF-" not in data[:1024]:
            raise DocumentError(f"{path}: not a PDF")
        if self._pages is None:
            config = Config(fetch_timeout=READ_SECONDS, fetch_pages=_PAGES)
            self._pages = PageReader(config, sift=False)
        media_type = "application/pdf" if kind == "pdf" else "text/html"
        read = self._pages.read(Page(str(path), media_type, "", data))
        if read.dropped or not read.text:
            raise DocumentError(f"{path}: {read.dropped or 'no text in it'}")
        return Document(read.text, read.title or name)


def _kind(path: Path) -> Kind:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise DocumentError(f"{path}: unknown kind of file; known: {', '.join(KINDS)}")
    return kind


def _unreadable(path: Path, error: OSError) -> DocumentError:
    return DocumentError(f"{path}: can't be read: {error.strerror or error}")


def markdown(text: str, name: str = "") -> Document:
    """A Markdown text without its marks, titled by its front matter, its first heading or `name`."""
    title = ""
    if front := re.match(r"---\n(.*?)\n---\n", text, re.DOTALL):
        text = text[front.end() :]
        if named := re.search(r"^title:\s*(.+)$", front[1], re.MULTILINE):
            title = named[1].strip().strip("\"'")
    if not title and (heading := re.search(r"^# +(.+)$", text, re.MULTILINE)):
        title = heading[1].strip()
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)", r"\1", text)
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?m)^#{1,6} +(.+?) *#*$", r"\n\1\n", text)
    return Document(text, title or name)


def _check(path: Path, rows: Iterable[Document | str]) -> None:
    """Raise DocumentError when a row is a problem (a string) and not a document."""
    problems = [row for row in rows if isinstance(row, str)]
    if problems:
        more = len(problems) - _LINES_NAMED
        named = "; ".join(problems[:_LINES_NAMED]) + (f"; and {more} more lines" if more > 0 else "")
        raise DocumentError(f"{path}: {named}")


def _json_rows(path: Path) -> Iterator[Document | str]:
    """A document or a problem for every line that is not blank."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError:
                yield f"line {number}: not UTF-8"
            except (ValueError, RecursionError):
                yield f"line {number}: not JSON"
            else:
                yield _row(row, number)


def _csv_rows(path: Path) -> Iterator[Document | str]:
    """A document or a problem for every row below the header."""
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            head = file.readline()
            file.seek(0)
            rows = csv.DictReader(file, delimiter=_delimiter(head), strict=True)
            for row in rows:
                # None is the key of what a row has too many of, and the value of what it has too few of.
                yield _row({k: v or "" for k, v in row.items() if k is not None}, rows.line_num)
        except UnicodeDecodeError:
            yield "not UTF-8"
        except csv.Error as error:
            yield f"line {rows.line_num}: not CSV: {error}"


def _delimiter(head: str) -> str:
    return max(",\t;", key=head.count)


def _row(row: object, number: int) -> Document | str:
    if not isinstance(row, dict):
        return f"line {number}: not an object"
    columns = {str(key).strip().lower(): value for key, value in row.items()}
    values = {}
    for name, known in _COLUMNS.items():
        value = _first(columns, known)
        if value is None and name == "text":
            return f"line {number}: no column {' or '.join(map(repr, known))}"
        if value is not None and not isinstance(value, str):
            return f"line {number}: {name} is not a text"
        values[name] = value or ""
    return Document(values["text"], " ".join(values["title"].split()), values["link"].strip())


def _first(columns: dict[str, object], known: Sequence[str]) -> object:
    return next((columns[name] for name in known if columns.get(name) is not None), None)
