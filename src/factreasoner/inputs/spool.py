"""Input that can be read only once, or is no JSON lines, as JSON lines in an unnamed temporary file."""

from __future__ import annotations

import errno
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO

from factreasoner.compression import opened, unpacked
from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.tables import is_array, is_table, json_lines

_HEAD_BYTES = 65536


def spooled(path: Path | str, name: str) -> tuple[IO[bytes] | None, bool]:
    """A seekable copy of what can be read only once, or is no JSON lines; None for an ordinary file.

    With it: whether its lines are those of the file. Its owner closes it.

    Raises:
        InputError: it can't be read, or is a table or an array that is not clean.
    """
    try:
        if str(path) == "-":
            return _converted(name, _copy(sys.stdin.buffer))
        if not stat.S_ISREG(Path(path).stat().st_mode):
            with Path(path).open("rb") as stream:
                return _converted(name, _copy(stream))
        with opened(Path(path)) as plain:
            lines = _as_lines(name, plain)
            return lines, lines is None
    except OSError as error:
        raise unreadable(name, error) from error


def _converted(name: str, copy: IO[bytes]) -> tuple[IO[bytes], bool]:
    """The copy, or its records as JSON lines, with whether it is the copy."""
    try:
        lines = _as_lines(name, copy)
    except BaseException:
        copy.close()
        raise
    if lines is not None:
        copy.close()
    return lines or copy, lines is None


def _as_lines(name: str, file: IO[bytes]) -> IO[bytes] | None:
    """The records of a table or an array as JSON lines; None for a file of JSON lines."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    table = is_table(name, head)
    if not table and not is_array(head):
        return None
    spool = _spool()
    try:
        spool.writelines(json_lines(name, file, table=table))
    except BaseException:
        spool.close()
        raise
    return spool


def _copy(stream: IO[bytes]) -> IO[bytes]:
    """What the stream has, unpacked where it is compressed."""
    spool = _spool()
    try:
        shutil.copyfileobj(stream, spool)
        spool.seek(0)
        plain = unpacked(spool)
    except BaseException:
        spool.close()
        raise
    if plain is spool:
        return spool
    with spool, plain:
        return _copy(plain)


def _spool() -> IO[bytes]:
    return tempfile.TemporaryFile()


def unreadable(name: str, error: OSError) -> InputError:
    """What to raise for a file that can't be read."""
    remedy = "" if error.errno == errno.EIO else "; give the path of a JSONL file"
    return InputError([InputProblem(name, "", f"can't be read: {error.strerror}{remedy}")])
