"""A hard limit on the wait for something that can't be stopped, and the threads it runs on."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, TypeVar

from factreasoner.llm.stack import with_room

T = TypeVar("T")

POLL_SECONDS = 0.2
"""A signal that arrives just before a thread begins to wait is seen only once it wakes: so it wakes."""
_Task = Callable[[], Callable[[], None]]
_idle: deque[queue.SimpleQueue[_Task]] = deque()


def run_in_thread(task: _Task) -> None:
    """Run `task` on an idle daemon thread or a new one, and what it returns once that thread is idle again.

    A new thread for each request would take litellm 1 to 2 ms, for what it keeps by thread.
    """
    try:
        tasks = _idle.pop()
    except IndexError:
        tasks = queue.SimpleQueue()
        threading.Thread(target=_work, args=(tasks,), name="factreasoner-worker", daemon=True).start()
    tasks.put(task)


@with_room
def _work(tasks: queue.SimpleQueue[_Task]) -> None:
    while True:
        tell = tasks.get()()
        _idle.append(tasks)
        tell()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads don't live on in a child process


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait for one after the other, until `seconds` have passed; Ctrl-C works between them."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        yield min(left, POLL_SECONDS)


_held_back = threading.Event()
_under_way: set[Future[Any]] = set()


def hold_requests_back() -> None:
    """Let no call of `within` begin any more: whoever wants to make one waits for the process's end."""
    _held_back.set()


def requests_under_way() -> int:
    """How many calls of `within` have begun and not ended."""
    return len(_under_way)


def within(seconds: float, fn: Callable[[], T], *, since: Callable[[], float] = lambda: 0.0) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`, or so long after `since`.

    A socket timeout bounds one read, not an answer: a server that sends a byte now and then would hold the
    caller for ever.

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

    while _held_back.is_set():
        time.sleep(POLL_SECONDS)
    _under_way.add(answer)
    try:
        run_in_thread(work)
        begun = time.monotonic()
        while (left := max(begun, since()) + seconds - time.monotonic()) > 0:
            if wait([answer], min(left, POLL_SECONDS)).done:
                return answer.result()
    finally:
        _under_way.discard(answer)
    raise TimeoutError(f"no answer within {seconds:g} s")


class ServerQueue:
    """When the time of each request to one server that is under way began, in their order. Thread-safe.

    A server may work on them one by one: so each that ends well starts the time of those behind it anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: dict[int, float] = {}
        self._numbers = itertools.count()

    @contextlib.contextmanager
    def joined(self) -> Iterator[tuple[int, Callable[[], float]]]:
        """For the request made inside: how many are under way with it, and since when its time runs."""
        with self._lock:
            number = next(self._numbers)
            self._begun[number] = time.monotonic()
            ahead = len(self._begun)
        try:
            yield ahead, lambda: self._begun[number]
            with self._lock:
                self._begun |= dict.fromkeys((n for n in self._begun if n > number), time.monotonic())
        finally:
            with self._lock:
                del self._begun[number]
