"""Files that are replaced as a whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from factreasoner.errors import RunError
from factreasoner.files import packing

_TEMPORARY = ".{name}.{process}.tmp"


def replace_file(path: Path, lines: Iterable[str]) -> None:
    """Write `lines` beside `path` and move them into its place: a reader sees the old file or the new one.

    They are compressed if the ending of `path` says so.

    Raises:
        RunError: the file can't be written.
    """
    temporary = path.with_name(_TEMPORARY.format(name=path.name, process=os.getpid()))
    try:
        with temporary.open("wb") as file:
            with packing(path, file) as packed:
                packed.writelines(f"{line}\n".encode() for line in lines)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):  # the first error names the problem
            temporary.unlink(missing_ok=True)


def clear_interrupted(*paths: Path) -> None:
    """Remove what killed processes left of new versions of `paths`; nobody may be writing them."""
    for path in paths:
        for left in path.parent.glob(_TEMPORARY.format(name=path.name, process="*")):
            left.unlink(missing_ok=True)
