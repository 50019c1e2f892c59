"""Work with a deadline, which is abandoned when it takes too long or when nobody waits for it any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import TypeVar

from factreasoner.calls.threads import POLL_SECONDS, check_wanted, run_in_thread

T = TypeVar("T")


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait one after the other until `seconds` have passed; Ctrl-C works between them.

    Raises AbandonedError once nobody waits for the work that this is part of.
    """
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        check_wanted()
        yield min(left, POLL_SECONDS)


_held_back = threading.Event()
_under_way: set[object] = set()


def hold_requests_back() -> None:
    """Let no call of `within` begin any more: whoever makes one waits until the process ends."""
    _held_back.set()


def requests_under_way() -> int:
    """How many calls of `within` have begun and not ended."""
    return len(_under_way)


def within(seconds: float, fn: Callable[[], T], *, since: Callable[[], float] = lambda: 0.0) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`, counted from `since()` if later.

    A socket timeout bounds one read, not an answer: a server that sends a byte now and then would hold the
    caller for ever.

    Raises:
        TimeoutError: `fn` had not returned in time. Whatever it returns or raises later is dropped.
        AbandonedError: nobody waits for the work that this is part of.
        Exception: what `fn` raised.
    """
    while _held_back.is_set():
        time.sleep(POLL_SECONDS)
    check_wanted()
    _under_way.add(mine := object())
    try:
        try:
            answer, begun = run_in_thread(fn), time.monotonic()
        except RuntimeError:  # the system starts no more threads
            return fn()
        while (left := max(begun, since()) + seconds - time.monotonic()) > 0:
            if wait([answer], min(left, POLL_SECONDS)).done:
                return answer.result()
            check_wanted()
    finally:
        _under_way.discard(mine)
    raise TimeoutError(f"no answer within {seconds:g} s")
