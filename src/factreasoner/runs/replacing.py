"""Files of a run that are replaced as a whole, so that a reader sees the old one or the new."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from factreasoner.compression import packing
from factreasoner.errors import RunError


def replace_file(path: Path, lines: Iterable[str]) -> None:
    """Write `lines` beside `path` and move them into its place, so that a reader sees the old or the new.

    They are compressed where the ending of `path` says so.

    Raises:
        RunError: the file can't be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
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
        temporary.unlink(missing_ok=True)
