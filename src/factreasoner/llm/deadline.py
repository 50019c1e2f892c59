"""A hard limit on how long the caller waits for something that can't be stopped."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.2
"""A signal that arrives just before a thread begins to wait is seen only once it wakes: so it wakes."""


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait for one after the other, until `seconds` have passed; Ctrl-C works between them."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        yield min(left, POLL_SECONDS)


def within(seconds: float, fn: Callable[[], T]) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`.

    A socket timeout bounds one read, not an answer: a server that sends a byte now and then would hold the
    caller for ever. The interpreter does not wait for an abandoned thread when it exits.

    Raises:
        TimeoutError: `fn` had not returned in time. Whatever it returns or raises later is dropped.
        Exception: what `fn` raised.
    """
    box: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            box.put((fn(), None))
        except BaseException as error:
            box.put((None, error))

    threading.Thread(target=work, name="factreasoner-request", daemon=True).start()
    for turn in turns(seconds):
        try:
            result, error = box.get(timeout=turn)
        except queue.Empty:
            continue
        if error is not None:
            raise error
        return result  # type: ignore[return-value]
    raise TimeoutError(f"no answer within {seconds:g} s")
