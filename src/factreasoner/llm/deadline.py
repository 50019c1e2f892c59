"""A hard limit on how long the caller waits for something that can't be stopped."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


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
    try:
        result, error = box.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]
