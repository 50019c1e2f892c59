"""A hard limit on how long the caller waits for something that can't be stopped."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from typing import TypeVar

from factreasoner.llm.threads import run_in_thread

T = TypeVar("T")

POLL_SECONDS = 0.2
"""A signal that arrives just before a thread begins to wait is seen only once it wakes: so it wakes."""


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait for one after the other, until `seconds` have passed; Ctrl-C works between them."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        yield min(left, POLL_SECONDS)


class _Requests:
    """The functions that `within` runs: how many there are, and whether any more may begin."""

    def __init__(self) -> None:
        self.under_way = 0
        self.held_back = False
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        while self.held_back:
            time.sleep(POLL_SECONDS)
        with self._lock:
            self.under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self.under_way -= 1


_requests = _Requests()


def hold_requests_back() -> None:
    """Let no call of `within` begin any more: for a process that is about to end.

    Whoever wants to make one waits for that end.
    """
    _requests.held_back = True


def requests_under_way() -> int:
    """How many calls of `within` have begun and not ended."""
    return _requests.under_way


def within(seconds: float, fn: Callable[[], T], *, since: Callable[[], float] = lambda: 0.0) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`, or so long after `since`.

    A socket timeout bounds one read, not an answer: a server that sends a byte now and then would hold the
    caller for ever. The interpreter does not wait for an abandoned thread when it exits.

    Raises:
        TimeoutError: `fn` had not returned in time. Whatever it returns or raises later is dropped.
        Exception: what `fn` raised.
    """
    answer: Future[T] = Future()

    def work() -> Callable[[], None]:
        try:
            result = fn()
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            return partial(answer.set_exception, error)
        return partial(answer.set_result, result)

    with _requests.counted():
        run_in_thread(work)
        begun = time.monotonic()
        while (left := max(begun, since()) + seconds - time.monotonic()) > 0:
            if wait([answer], min(left, POLL_SECONDS)).done:
                return answer.result()
    raise TimeoutError(f"no answer within {seconds:g} s")


class QueuedRequest:
    """One request in a `ServerQueue`: how many were under way with it, and since when its time runs."""

    def __init__(self, ahead: int) -> None:
        self.ahead = ahead
        self.since = time.monotonic()


class ServerQueue:
    """Requests to one server that are under way, in their order. Thread-safe.

    A server may work on them one by one: so each that ends well starts the time of those behind it anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[QueuedRequest] = []

    @contextlib.contextmanager
    def joined(self) -> Iterator[QueuedRequest]:
        """A place at the end, for the request made inside."""
        with self._lock:
            request = QueuedRequest(len(self._requests) + 1)
            self._requests.append(request)
        answered = False
        try:
            yield request
            answered = True
        finally:
            with self._lock:
                position = self._requests.index(request)
                for behind in self._requests[position + 1 :] if answered else ():
                    behind.since = time.monotonic()
                del self._requests[position]
