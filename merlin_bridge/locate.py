"""Find an installed merlin: an explicit path, then the environment variable MERLIN_PATH, then PATH."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from merlin_bridge.errors import MerlinNotFoundError

ENVIRONMENT_VARIABLE = "MERLIN_PATH"
COMMAND = "merlin"

HOW_TO_GET_ONE = (
    "merlin is a separate C++ program and does not come with this package: get it from its own project, "
    "radum2275/merlin on GitHub, then give its path, set "
    f"{ENVIRONMENT_VARIABLE}, or put it on PATH as {COMMAND!r}."
)


def locate(binary: str | os.PathLike[str] | None = None) -> Path:
    """The absolute path of an executable merlin.

    `binary` decides alone when given, and so does MERLIN_PATH when set: a wrong path is an error and never
    replaced by another binary.

    Raises:
        MerlinNotFoundError: nothing executable there; the message says what was tried and how to get one.
    """
    if binary is not None:
        return _executable(os.fspath(binary), "the given path")
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return _executable(named, ENVIRONMENT_VARIABLE)
    found = shutil.which(COMMAND)
    if found is None:
        raise MerlinNotFoundError(
            f"no merlin found: no path was given, {ENVIRONMENT_VARIABLE} is not set, and PATH has no "
            f"{COMMAND!r}. {HOW_TO_GET_ONE}"
        )
    return Path(found).absolute()


def _executable(name: str, source: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        problem = "does not exist"
    elif path.is_dir():
        problem = "is a folder, not the binary in it"
    elif not os.access(path, os.X_OK):
        problem = "is not executable"
    else:
        return path.absolute()
    raise MerlinNotFoundError(f"no merlin at {source}: {str(path)!r} {problem}. {HOW_TO_GET_ONE}")
