"""Whether a server answers: calls that find it down wait together, and fail at once where it stays so."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

SECONDS_BETWEEN_PROBES = 15.0
"""How often one call asks a server that has been given up."""

_listener: ContextVar[Callable[[float, str], None] | None] = ContextVar("factreasoner_waiting", default=None)


@contextlib.contextmanager
def told_of_waiting(listener: Callable[[float, str], None]) -> Iterator[None]:
    """Tell `listener`, in any thread, how many seconds calls inside wait for which server; 0: none does."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class CircuitBreaker:
    """Knows since when `server` has answered nobody. Thread-safe.

    After `patience` seconds without one answer it is given up: calls fail at once, and one in 15 s asks
    whether it is back. Without patience nobody waits, and nothing is given up.
    """

    def __init__(self, server: str, patience: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.server, self.patience, self._clock = server, patience, clock
        self.given_up = (
            f"{server} has answered no call for {patience:g} s (--patience), and is asked again every "
            f"{SECONDS_BETWEEN_PROBES:g} s only; run the same command again once it is up"
        )
        self._lock = threading.RLock()
        self._down_since: float | None = None
        self._probed = float("-inf")

    @property
    def left(self) -> float:
        """Seconds for which the server is still waited for."""
        with self._lock:
            down = 0.0 if self._down_since is None else self._clock() - self._down_since
            return self.patience - down

    def admits(self) -> bool:
        """Whether a request may be sent now."""
        with self._lock:
            if self.left > 0 or not self.patience:
                return True
            if self._clock() - self._probed < SECONDS_BETWEEN_PROBES:
                return False
            self._probed = self._clock()
            return True

    def failed(self) -> None:
        """A request met an error that waiting may cure."""
        with self._lock:
            if self._down_since is None:
                self._down_since = self._probed = self._clock()

    def answered(self) -> None:
        """A request was answered: all is well."""
        with self._lock:
            was_down, self._down_since = self._down_since is not None, None
        if was_down:
            self._tell(0.0)

    def wait(self) -> None:
        """Say that a call waits for the server."""
        with self._lock:
            seconds = self.patience - self.left
        if seconds > 0:
            self._tell(seconds)

    def _tell(self, seconds: float) -> None:
        if (listener := _listener.get()) is not None:
            listener(seconds, self.server)
