"""What a run has paid, on disk as soon as each request is answered."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from factreasoner.errors import RunError


class Ledger:
    """A file with one number a line: the US dollars of one request. Thread-safe.

    The journal can't tell it: a record that was interrupted has no line there, though its calls are paid for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    @property
    def total(self) -> float:
        """US dollars paid, over all processes that ever wrote here."""
        total = 0.0
        with (
            contextlib.suppress(FileNotFoundError),
            self.path.open(encoding="ascii", errors="replace") as lines,
        ):
            for line in lines:
                with contextlib.suppress(ValueError):
                    total += float(line)
        return total

    def add(self, dollars: float) -> None:
        """Note what one request came to; when this returns it outlives the process.

        Raises:
            RunError: the file can't be written.
        """
        # The line's end comes first: what a killed process left of its last line stays a line of its own,
        # and with a fixed number of decimals it is no larger than the whole.
        line = f"\n{dollars:.9f}".encode()
        try:
            with self._lock, self.path.open("ab", buffering=0) as ledger:
                ledger.write(line)
        except OSError as error:
            raise RunError(f"{self.path}: can't be written: {error.strerror}") from error
