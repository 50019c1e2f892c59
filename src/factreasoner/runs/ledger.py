"""What a run has paid, on disk as soon as each request is answered."""

from __future__ import annotations

import re
from pathlib import Path

from factreasoner.errors import RunError

_AMOUNT = re.compile(r"\d+(\.\d*)?", re.ASCII)
"""An amount, or as much of one as a killed process has written."""


class Ledger:
    """A file with one number a line: the US dollars of one request. Threads and processes may share it.

    The journal can't tell it: a record that was interrupted has no line there, though its calls are paid for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def total(self) -> float:
        """US dollars paid, over all processes that ever wrote here.

        Raises:
            RunError: the file can't be read, or a line is no amount: then nobody knows what was paid.
        """
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").split("\n")
        except FileNotFoundError:
            return 0.0
        except OSError as error:
            raise RunError(f"{self.path}: can't be read: {error.strerror}") from error
        return sum(self._amount(line, number) for number, line in enumerate(lines, start=1) if line)

    def _amount(self, line: str, number: int) -> float:
        if not _AMOUNT.fullmatch(line):
            raise RunError(
                f"{self.path}:{number}: {line[:40]!r} is no amount in US dollars; write there what was paid, "
                "delete the line, or start over with --fresh"
            )
        return float(line)

    def add(self, dollars: float) -> None:
        """Note what one request came to; when this returns it outlives the process.

        Raises:
            RunError: the file can't be written.
        """
        # The line's end comes first: what a killed process left of its last line stays a line of its own,
        # and with a fixed number of decimals it is no larger than the whole.
        line = f"\n{dollars:.9f}".encode()
        try:
            with self.path.open("ab", buffering=0) as ledger:  # one system call, which adds at the end
                ledger.write(line)
        except OSError as error:
            raise RunError(f"{self.path}: can't be written: {error.strerror}") from error
