"""Find document files below given paths, and tell their kinds by name and first bytes."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from factreasoner.errors import DocumentError
from factreasoner.files import resolve_links, uncompressed_name

Kind = Literal["text", "markdown", "html", "pdf", "docx", "pptx", "jsonl", "csv"]

_TABLES = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
KINDS: dict[str, Kind] = {f".{end}": kind for kind, ends in _TABLES["kinds"].items() for end in ends.split()}
OTHER_DOCUMENTS = {f".{end}": remedy for remedy, ends in _TABLES["others"].items() for end in ends.split()}
"""Unsupported kinds of documents, and the format to save them as."""


class FoundFiles(NamedTuple):
    """Files below some paths, in order; paths without files; counts of other kinds.

    `unreadable` names unreadable folders and entries that are not files, with the reason; `unread` names
    documents of unsupported kinds, with the fix.
    """

    files: tuple[Path, ...]
    missing: tuple[Path, ...]
    others: dict[str, int]
    unreadable: dict[Path, str]
    unread: dict[Path, str]


def find_files(paths: Iterable[Path], *, outside: Path | None = None) -> FoundFiles:
    """Every file of a known kind in `paths` and the folders below them.

    Hidden files and the folder `outside` are skipped; a file given by name is always included. Links to
    folders are not followed, and links to files only within the folder they are in.
    """
    files: dict[Path, None] = {}
    missing = []
    others = Counter[str]()
    unreadable: dict[Path, str] = {}
    unread: dict[Path, str] = {}
    for path in paths:
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            for file in _walk(path, outside, unreadable):
                suffix = _suffix(file)
                if suffix in OTHER_DOCUMENTS:
                    unread[file] = f"{suffix} is not read; save it as {OTHER_DOCUMENTS[suffix]}"
                elif suffix not in KINDS:
                    others[suffix] += 1
                elif (problem := _unfit(file, path)) is not None:
                    unreadable[file] = problem
                else:
                    files[file] = None
        elif stat.S_ISREG(mode):
            files[path] = None
        else:
            missing.append(path)
    return FoundFiles(tuple(files), tuple(missing), dict(others), unreadable, unread)


def _unfit(file: Path, folder: Path) -> str | None:
    """Why a file below `folder` is skipped; None if it is read."""
    if not stat.S_ISREG(_mode(file)):
        return "a link that leads nowhere" if file.is_symlink() else "no regular file"
    if file.is_symlink() and not resolve_links(file).is_relative_to(resolve_links(folder)):
        return "a link out of the folder is not followed; name the file itself to have it"
    return None


def _mode(path: Path) -> int:
    """The file mode, links followed; 0 if it can't be read."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _walk(folder: Path, outside: Path | None, unreadable: dict[Path, str]) -> Iterator[Path]:
    def note(error: OSError) -> None:
        unreadable[Path(error.filename)] = reason(error)

    for root, folders, names in os.walk(folder, onerror=note):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and Path(root, name) != outside
        )
        yield from (Path(root, name) for name in sorted(names) if not name.startswith("."))


def has_known_ending(path: Path) -> bool:
    """Whether a file's name tells its kind, supported or not."""
    return _suffix(path) in {*KINDS, *OTHER_DOCUMENTS}


def kind_of(path: Path) -> Kind:
    """The kind of a file by its name. Raises DocumentError if unknown."""
    suffix = _suffix(path)
    if suffix in OTHER_DOCUMENTS:
        raise DocumentError(f"{path}: {suffix} is not read; save it as {OTHER_DOCUMENTS[suffix]}")
    if suffix not in KINDS:
        raise DocumentError(f"{path}: unknown kind of file; known: {', '.join(KINDS)}")
    return KINDS[suffix]


def _suffix(path: Path) -> str:
    """The ending of a file's name, without .gz or .zst."""
    return uncompressed_name(path).suffix.lower()


def reason(error: OSError) -> str:
    """Why a file or folder can't be read."""
    return f"can't be read: {error.strerror or error}"


HEAD = 65_536
_HTML = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.{0,2000}?-->\s*)?<(!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


class Content(NamedTuple):
    """A description of the bytes and their kind; None if that kind is unsupported."""

    what: str
    kind: Kind | None = None


ARCHIVE = Content("a ZIP archive; unpack it")


def content_of(data: bytes) -> Content | None:
    """The content type of the first bytes `data`; None for plain text and unknown types."""
    if b"%PDF-" in data[:1024]:
        return Content("a PDF", "pdf")
    if data.startswith(b"PK\x03\x04"):
        return _zip_content(data[:HEAD])
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        remedy = "save it as docx, pptx or csv, without a password"
        return Content(f"an Office document of the old format, or an encrypted one; {remedy}")
    if data.startswith(b"{\\rtf"):
        return Content("a Rich Text document; save it as docx")
    return Content("an HTML page", "html") if _HTML.match(data[:4096]) else None


def _zip_content(head: bytes) -> Content:
    if head[30:38] == b"mimetype":
        for media_type, what in _TABLES["media_types"].items():
            if media_type.encode() in head[38:200]:
                return Content(what)
    names = re.findall(rb"PK\x03\x04.{26}([\x20-\x7e]{3,60})", head, re.DOTALL)
    for folder, found in _TABLES["folders"].items():
        if any(name.startswith(folder.encode()) for name in names):
            return Content(*found)
    return ARCHIVE
