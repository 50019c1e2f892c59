"""Every exception the package raises on purpose.

::

    MerlinError
    ├── MerlinNotFoundError   no binary where it was looked for; the message says how to get one
    ├── MerlinInputError      the network, the evidence or an option is wrong; nothing was run (a ValueError)
    └── MerlinRunError        a run went wrong; carries the command and the tail of stderr
        ├── MerlinFailedError   it could not start, left with an exit code, or died of a signal
        ├── MerlinTimeoutError  it ran past the time limit and was killed, children included
        └── MerlinOutputError   it said it succeeded, but its answer is missing or is not an answer
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence


class MerlinError(Exception):
    """Root of every exception raised on purpose by this package."""


class MerlinNotFoundError(MerlinError):
    """No merlin binary was found."""


class MerlinInputError(MerlinError, ValueError):
    """The network, the evidence or an option is wrong. Checked first: merlin itself crashes on such input."""


class MerlinRunError(MerlinError):
    """A run of merlin went wrong. `command` is what was run, `stderr` the end of what it wrote there."""

    def __init__(self, reason: str, command: Sequence[str] = (), stderr: str = "") -> None:
        super().__init__(reason, tuple(command), stderr)
        self.reason = reason
        self.command = tuple(command)
        self.stderr = stderr

    def __str__(self) -> str:
        lines = [self.reason]
        if self.command:
            lines.append(f"command: {shlex.join(self.command)}")
        lines.append(f"stderr: {self.stderr.strip() or '(empty)'}")
        return "\n".join(lines)


class MerlinFailedError(MerlinRunError):
    """merlin could not be started, left with an exit code other than 0, or died of a signal.

    `exit_code` and `signal_name` are None where they don't apply.
    """

    exit_code: int | None = None
    signal_name: str | None = None


class MerlinTimeoutError(MerlinRunError):
    """merlin ran past the time limit and was killed, with every process it had started."""


class MerlinOutputError(MerlinRunError):
    """merlin exited with code 0, but its answer is missing, unreadable or not a set of distributions."""
