"""The one way to a terminal: no control character of anybody's making gets there, on any command.

Atoms, passages, file names and servers' messages may hold what moves the cursor, retitles the window, or
turns the direction of writing. `say`, `say_json`, `say_data` and `Terminal`, in `console.py`, let none of it
through.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import textwrap

import typer

from factreasoner.text.visible import replaced, visible


def say(text: str, *, err: bool = False) -> None:
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


def say_json(content: object) -> None:
    """Print `content` as JSON that says exactly what it holds, with hidden characters as escapes.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    typer.echo(replaced(text, lambda character: json.dumps(character)[1:-1]))


def say_data(line: str) -> None:
    """Print a line of a file: exactly where another program reads it, visible in a terminal."""
    typer.echo(visible(line) if sys.stdout.isatty() else line)


class WarningHandler(logging.Handler):
    """Says what a library or this package logs as a warning, as Python does where no handler is."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say the record's message on standard error."""
        say(self.format(record), err=True)
