"""Start a program, wait for it no longer than allowed, and leave nothing of it running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from merlin_bridge.errors import MerlinFailedError, MerlinTimeoutError

STDERR_TAIL = 2_000
"""Characters of stderr kept."""


class Finished(NamedTuple):
    """A run that left with exit code 0."""

    seconds: float
    stderr: str


def execute(command: tuple[str, ...], *, folder: Path, timeout: float) -> Finished:
    """Run `command` in `folder`, without input, its stdout thrown away.

    It leads a process group of its own, all of which is killed when the time limit passes or when waiting is
    interrupted.

    Raises:
        MerlinFailedError: it could not start, left with another exit code, or died of a signal.
        MerlinTimeoutError: the time limit passed.
    """
    start = time.perf_counter()
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise MerlinFailedError(f"merlin can't be started: {error}", command) from error
    try:
        _, written = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        stderr = _tail(_kill(process))
        raise MerlinTimeoutError(f"merlin was stopped after {timeout:g} seconds", command, stderr) from error
    except BaseException:
        _kill(process)
        raise
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise _failure(process.returncode, command, _tail(written))
    return Finished(seconds, _tail(written))


def _kill(process: subprocess.Popen[bytes]) -> bytes:
    """Kill the process group, wait for its leader, and return what it had written to stderr."""
    # The leader has not been waited for, so its group's number can't belong to anyone else yet.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.communicate()[1]


def _tail(written: bytes) -> str:
    return written.decode("utf-8", errors="replace")[-STDERR_TAIL:]


def _failure(code: int, command: tuple[str, ...], stderr: str) -> MerlinFailedError:
    if code > 0:
        error = MerlinFailedError(f"merlin failed with exit code {code}", command, stderr)
        error.exit_code = code
        return error
    name = _signal_name(-code)
    hint = " (often the machine's way to say that memory ran out)" if name == "SIGKILL" else ""
    error = MerlinFailedError(f"merlin died of {name}{hint}", command, stderr)
    error.signal_name = name
    return error


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
