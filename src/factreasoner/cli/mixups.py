"""Refuse a text in place of a file, or a file in place of a text, and suggest the right command."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from factreasoner.corpus.files import KINDS
from factreasoner.errors import InputError, UsageError
from factreasoner.text.visible import one_line

_PROSE_FILES = frozenset(ending for ending, kind in KINDS.items() if kind not in ("jsonl", "csv"))
_FILE_NAME = re.compile(
    rf"\S+(?:{'|'.join(map(re.escape, KINDS))}|\.json|\.parquet)(\.gz|\.zst)?", re.IGNORECASE
)
_URL = re.compile(r"(https?|file)://\S+", re.IGNORECASE)
_TEXT = re.compile(r"\s|[.!?。！？।؟]$")
SHOWN = 60
_ONE_TEXT = {
    "run": ("assess", "--file", "--context FILE"),
    "verify": ("verify", "--text", "--source FILE_OR_URL"),
}
"""For commands over records: the command for one text, with its flags for text and evidence."""
_RECORDS = {"recall": '{"output": "...", "facts": ["..."]}', "rag": '{"output": "...", "contexts": ["..."]}'}
"""For commands over records without such a command: what a record is."""


def text_argument(text: str, command: Sequence[str], flag: str) -> str | None:
    """Refuse a TEXT that is a file, a folder or a URL, suggesting `command` with `flag`.

    Returns a note on a text that looks like a file name.

    Raises UsageError: with the right command.
    """
    text = text.strip()
    if os.path.isfile(text):  # noqa: PTH113 - Path.is_file raises for a long text
        raise UsageError(f"{one_line(text)} is a file. Use: {shlex.join([*command, flag, text])}")
    if os.path.isdir(text):  # noqa: PTH112 - likewise
        raise UsageError(f"{one_line(text)} is a folder: name one file with {flag} FILE")
    if _URL.fullmatch(text):
        raise UsageError(f"{one_line(text)} is a URL: save the page, and name the file with {flag} FILE")
    if _FILE_NAME.fullmatch(text):
        return f'Judging the text "{one_line(text)}": no file has that name.'
    return None


def refuse_file(text: str, flag: str) -> None:
    """Raise UsageError if the text of a flag is the name of a file."""
    if os.path.isfile(text.strip()):  # noqa: PTH113 - likewise
        message = f'{flag} {text.strip()} is a file, and {flag} needs the text itself: {flag} "$(cat FILE)"'
        raise UsageError(one_line(message))


def looks_like_text(name: str) -> bool:
    """Whether the name of a missing file looks like a text."""
    missing = name != "-" and not os.path.lexists(name) and not _URL.fullmatch(name)
    return missing and not _FILE_NAME.search(name) and bool(_TEXT.search(name.strip()))


def refuse_text(name: str, flag: str) -> None:
    """Raise UsageError if a flag for a file gets a text."""
    if looks_like_text(name):
        remedy = f"write it to a file, or pipe it in: {flag} -"
        raise UsageError(f"{flag} needs a file, and {_shown(name)} is text: {remedy}")


def refuse_text_as_data(data: Path, command: str) -> None:
    """Raise UsageError if DATA is a text."""
    name = str(data)
    if name.lstrip().startswith("{") and not os.path.lexists(name):
        raise UsageError(f"DATA is a record itself; write it to a file, or pipe it in: {command} -")
    if looks_like_text(name):
        raise UsageError(f"DATA must be a file of records, but {_shown(name)} is text. {_right(command, '')}")


def refuse_prose_file(data: Path, command: str, error: InputError) -> None:
    """Raise UsageError if DATA is a document without records, as the error says."""
    if error.valid is None and data.is_file() and data.suffix.lower() in _PROSE_FILES:
        message = f"{data} holds no records (JSONL, CSV or Parquet). {_right(command, str(data))}"
        raise UsageError(message) from error


def _right(command: str, file: str) -> str:
    """The command for one text, in `file` if given; or what a record is."""
    if record := _RECORDS.get(command):
        return f"Write a line such as {record} into a .jsonl file."
    name, flag, evidence = _ONE_TEXT.get(command, _ONE_TEXT["run"])
    given = f"{flag} {shlex.quote(file)}" if file else "TEXT" if name == "assess" else f"{flag} FILE"
    return f"For one text: factreasoner {name} {given} {evidence}"


def _shown(text: str) -> str:
    short = one_line(text)
    return f'"{short}"' if len(short) <= SHOWN else f'"{short[:SHOWN].rstrip()}…"'
