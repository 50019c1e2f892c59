"""Work with a deadline, abandoned when it takes too long or is no longer wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import TypeVar

from factreasoner.calls.threads import POLL_SECONDS, check_wanted, run_in_thread

T = TypeVar("T")


def wait_slices(seconds: float) -> Iterator[float]:
    """Timeouts to wait in turn until `seconds` have passed; Ctrl-C works between them.

    Raises AbandonedError if this work is no longer wanted.
    """
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        check_wanted()
        yield min(left, POLL_SECONDS)


_held_back = threading.Event()
_under_way: set[object] = set()


def hold_requests_back() -> None:
    """Let no call of `run_within` begin any more: new callers wait until the process ends."""
    _held_back.set()


def requests_running() -> int:
    """The number of unfinished calls of `run_within`."""
    return len(_under_way)


def run_within(seconds: float, fn: Callable[[], T], *, since: Callable[[], float] = lambda: 0.0) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`, counted from `since()` if later.

    A socket timeout limits one read, not an answer: a slow stream would block the caller for ever.

    Raises:
        TimeoutError: `fn` was too slow. Its later result is dropped.
        AbandonedError: this work is no longer wanted.
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
