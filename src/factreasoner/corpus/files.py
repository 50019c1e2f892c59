"""Files that hold own documents: which there are below some paths, and of what kind they are."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from factreasoner.errors import DocumentError
from factreasoner.files import plain_name

Kind = Literal["text", "markdown", "html", "pdf", "docx", "pptx", "odt", "odp", "epub", "jsonl", "csv"]

_ENDINGS: dict[Kind, str] = {
    "text": ".txt .text",
    "markdown": ".md .markdown",
    "html": ".html .htm .xhtml",
    "pdf": ".pdf",
    "docx": ".docx",
    "pptx": ".pptx",
    "odt": ".odt",
    "odp": ".odp",
    "epub": ".epub",
    "jsonl": ".jsonl .ndjson",
    "csv": ".csv .tsv",
}
KINDS = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}
OTHER_DOCUMENTS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".dotx", ".rtf", ".wpd", ".pages"), "docx or odt"),
    **dict.fromkeys((".ppt", ".pptm", ".pps", ".ppsx", ".key"), "pptx, odp or pdf"),
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods", ".numbers"), "csv, with a column `text`"),
    **dict.fromkeys((".mobi", ".azw", ".azw3", ".fb2"), "epub"),
    **dict.fromkeys((".djvu", ".ps", ".xps", ".tex"), "pdf"),
    **dict.fromkeys((".mht", ".mhtml"), "html"),
    ".json": "jsonl, an object with `text` a line",
}
"""Kinds of documents that are not read, and what they can be saved as to be."""


class FoundFiles(NamedTuple):
    """Files below some paths, in order; paths where there is nothing; counts of files of other kinds.

    `unreadable` names folders that can't be looked into and entries that are no files, with the reason;
    `unread` documents of kinds that are not read, with the remedy.
    """

    files: tuple[Path, ...]
    missing: tuple[Path, ...]
    others: dict[str, int]
    unreadable: dict[Path, str]
    unread: dict[Path, str]


def find_files(paths: Iterable[Path], *, outside: Path | None = None) -> FoundFiles:
    """Every file of a known kind in `paths` and the folders below them.

    Hidden ones and the folder `outside` are left out; a file that is named itself is taken whatever its name.
    Links to folders are not followed, and those to files no further than the folder they were found below.
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
    """Why a file below `folder` is not one to read; None where it is."""
    if not stat.S_ISREG(_mode(file)):
        return "a link to nothing" if file.is_symlink() else "no regular file"
    if file.is_symlink() and not file.resolve().is_relative_to(folder.resolve()):
        return "a link out of the folder is not followed; name the file itself to have it"
    return None


def _mode(path: Path) -> int:
    """What is there, links followed; 0 when it can't be seen."""
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


def kind_of(path: Path) -> Kind:
    """What kind of file this is by its name. Raises DocumentError when it is none of the known ones."""
    suffix = _suffix(path)
    if suffix in OTHER_DOCUMENTS:
        raise DocumentError(f"{path}: {suffix} is not read; save it as {OTHER_DOCUMENTS[suffix]}")
    if suffix not in KINDS:
        raise DocumentError(f"{path}: unknown kind of file; known: {', '.join(KINDS)}")
    return KINDS[suffix]


def _suffix(path: Path) -> str:
    """The ending of a file's name; of compressed rows, what stands before .gz or .zst."""
    plain = plain_name(path).suffix.lower()
    return plain if KINDS.get(plain) in ("jsonl", "csv") else path.suffix.lower()


def reason(error: OSError) -> str:
    """Why a file or folder can't be read, in words."""
    return f"can't be read: {error.strerror or error}"
