"""Safe terminal output: no control character of any input reaches the terminal.

Atoms, passages, file names and server messages may contain characters that move the cursor, change the window
title or the writing direction. All output goes through these functions and `Terminal`, in `console.py`.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import json
import logging
import os
import re
import shlex
import sys
import textwrap

import typer

from factreasoner.errors import QUOTED, ConfigError
from factreasoner.text.visible import replaced, visible

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NAMED = re.compile(rf"{QUOTED}|`([a-z_]+)(?:=([^`]*))?`")
_AT_START = re.compile(r"^([a-z_]+)()(?=: )", re.MULTILINE)
_OTHER_FLAGS = "assessors|baseline|by|column_map|fresh|gold|intersect|max|metric|min|modes|out|url"
"""Parameters with a flag that are not settings."""


def print_text(text: str, *, err: bool = False) -> None:
    """Print `text` and a newline, on standard error if `err`; above a live bar, if there is one.

    On a terminal, lines on standard error wrap between words. An indented one, such as a command to copy, is
    left unchanged.
    """
    shown = visible(in_flags(text) if err else text)
    if err and (width := _width_of_stderr()):
        lines = (line if line.startswith(" ") else between_words(line, width) for line in shown.split("\n"))
        shown = "\n".join(lines)
    # Told the stream by name, it does not write past what redirects it.
    typer.echo(shown, file=sys.stderr if err else None)


def in_flags(message: str, *, of_settings: bool = False) -> str:
    """A message with flags for parameters it names in backquotes; `of_settings`, also where lines begin."""

    def flag(named: re.Match[str]) -> str:
        from factreasoner.pipeline.config import Config

        name, value = named[1], (named[2] or "").strip("'\"")
        if name is None or not (name in Config.model_fields or re.fullmatch(_OTHER_FLAGS, name)):
            return named[0]
        shown = f"--{'no-' * (value == 'False')}{name.replace('_', '-')}"
        with contextlib.suppress(ValueError, SyntaxError, AttributeError):
            pairs = ast.literal_eval(value).items()
            value = f" {shown} ".join(shlex.quote(f"{key}={one}") for key, one in pairs)
        return shown if value in ("", "True", "False") else f"{shown} {value}"

    message = _NAMED.sub(flag, message)
    return _AT_START.sub(flag, message) if of_settings else message


def between_words(line: str, width: int, hanging: str = "") -> str:
    """A line wrapped between words, with further lines indented by `hanging`; long words stay whole."""
    return textwrap.fill(
        line, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _width_of_stderr() -> int:
    """The width of standard error's terminal; 0 without one."""
    with contextlib.suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns
    return 0


def print_json(content: object) -> None:
    """Print `content` as exact JSON, with hidden characters escaped.

    Raises ValueError: a number in it is not finite.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    typer.echo(_encodable(replaced(text, _escaped)))


def print_data(line: str, *, is_json: bool = False) -> None:
    """Print a line of a file: exact in a pipe, visible in a terminal.

    Raises ConfigError: the output encoding lacks a character, and the line is not JSON.
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
    """JSON for standard output: ASCII with escapes unless that is UTF-8."""
    encoding = sys.stdout.encoding or "utf-8"
    if codecs.lookup(encoding).name.startswith("utf-8"):
        return text
    return _NOT_ASCII.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


class WarningHandler(logging.Handler):
    """Prints logged warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record's message on standard error, without a traceback."""
        print_text(record.getMessage(), err=True)
