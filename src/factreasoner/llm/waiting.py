"""Saying that calls wait for their server: whoever shows a run's progress listens."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_listener: ContextVar[Callable[[float, str], None] | None] = ContextVar("factreasoner_waiting", default=None)


@contextlib.contextmanager
def told_of_waiting(listener: Callable[[float, str], None]) -> Iterator[None]:
    """Tell `listener` how many seconds calls made inside have waited for which server, 0 once none does.

    It is told several times a second by any of the threads that run in a copy of this context.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Outage:
    """Since when calls have been waiting for `server`, one or the other of them, without a break."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._calls: set[object] = set()
        self._since = 0.0

    def waits(self, call: object) -> None:
        """Note that `call` is waiting for the server, for the first time or still."""
        with self._lock:
            if not self._calls:
                self._since = time.monotonic()
            self._calls.add(call)
        _tell(time.monotonic() - self._since, self._server)

    def over(self, call: object) -> None:
        """`call` is answered, or has given up; it may never have waited."""
        with self._lock:
            last = self._calls == {call}
            self._calls.discard(call)
        if last:
            _tell(0.0, self._server)


def _tell(seconds: float, server: str) -> None:
    listener = _listener.get()
    if listener is not None:
        listener(seconds, server)
