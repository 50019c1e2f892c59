"""The one way to a terminal: no control character of anybody's making gets there, on any command.

Atoms, passages, file names and servers' messages may hold what moves the cursor, retitles the window, or
turns the direction of writing. `say`, `say_json`, `say_data` and `Terminal`, in `console.py`, let none of it
through.
"""

from __future__ import annotations

import json
import logging
import sys

import typer

from factreasoner.text.visible import replaced, visible


def say(text: str, *, err: bool = False) -> None:
    """Print `text` and end the line, on standard error where `err`; above a live bar, if there is one."""
    # Told the stream by name, it does not write past what redirects it.
    typer.echo(visible(text), file=sys.stderr if err else None)


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
