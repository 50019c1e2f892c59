"""The one way to a terminal: no control character of anybody's making gets there, on any command.

Atoms, passages, file names and servers' messages may hold what moves the cursor, retitles the window, or
turns the direction of writing. `say`, `say_json`, `say_data` and `Terminal`, in `console.py`, let none of it
through.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import logging
import os
import re
import sys
import textwrap

import typer

from factreasoner.errors import ConfigError
from factreasoner.text.visible import replaced, visible

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def print_text(text: str, *, err: bool = False) -> None:
    """Print `text` and end the line, on standard error where `err`; above a live bar, if there is one.

    Where standard error is a terminal, its lines end between words. An indented one, as a command to copy,
    is left as it is.
    """
    shown = visible(text)
    if err and (width := _width_of_stderr()):
        lines = (line if line.startswith(" ") else between_words(line, width) for line in shown.split("\n"))
        shown = "\n".join(lines)
    # Told the stream by name, it does not write past what redirects it.
    typer.echo(shown, file=sys.stderr if err else None)


def between_words(line: str, width: int, hanging: str = "") -> str:
    """A line as lines that end between words, the further ones after `hanging`; long words stay whole."""
    return textwrap.fill(
        line, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _width_of_stderr() -> int:
    """Columns of the terminal that standard error is; 0 where it is none."""
    with contextlib.suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns
    return 0


def print_json(content: object) -> None:
    """Print `content` as JSON that says exactly what it holds, with hidden characters as escapes.

    Raises ValueError: a number in it is not finite.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    typer.echo(_encodable(replaced(text, _escaped)))


def print_data(line: str, *, is_json: bool = False) -> None:
    """Print a line of a file: exactly where another program reads it, visible in a terminal.

    Raises ConfigError: the encoding of standard output lacks a character, and only JSON has escapes.
    """
    if is_json:
        line = _encodable(line)
    if sys.stdout.isatty():
        line = visible(line)
    elif not is_json:
        try:
            line.encode(sys.stdout.encoding or "utf-8")
        except UnicodeEncodeError as error:
            lacking = f"standard output is {error.encoding}, which lacks {line[error.start]!a}"
            remedy = "name a file with --out, or set PYTHONIOENCODING=utf-8"
            raise ConfigError(f"{lacking}: {remedy}") from error
    typer.echo(line)


def _encodable(text: str) -> str:
    """JSON for standard output: where that is not UTF-8, with escapes for all but ASCII."""
    encoding = sys.stdout.encoding or "utf-8"
    return text if codecs.lookup(encoding).name.startswith("utf-8") else _NOT_ASCII.sub(_escape, text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def _escape(found: re.Match[str]) -> str:
    return _escaped(found[0])


class WarningHandler(logging.Handler):
    """Says what a library or this package logs as a warning, as Python does where no handler is."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say the record's message on standard error, without a traceback."""
        print_text(record.getMessage(), err=True)
