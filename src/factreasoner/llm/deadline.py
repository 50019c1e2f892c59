"""Daemon threads that are used again, and calls on them that are abandoned when they take too long."""

from __future__ import annotations

import functools
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

POLL_SECONDS = 0.2
"""A thread sees a signal that arrived just before it began to wait only when it wakes: so it wakes."""
_FRAME_WORDS = 1 << 15
"""A frame of this size makes CPython allocate 512 KiB; half of it is left for the frames above."""


def with_room(fn: Callable[P, T]) -> Callable[P, T]:
    """`fn` with room for the frames of deep calls; for a thread's first function, or one called seldom.

    CPython keeps a thread's frames in chunks of 16 KiB. It allocates one when a call needs it and frees it
    when that call returns, so a loop that calls across such an edge does both each time: 120,000 times, or a
    second of CPU, while litellm is imported from a command.
    """

    def roomy(*args: P.args, **kwargs: P.kwargs) -> T:
        return fn(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_FRAME_WORDS)
    return functools.update_wrapper(roomy, fn)


_Calls = queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]
_idle: deque[_Calls] = deque()


def run_in_thread(fn: Callable[[], T]) -> Future[T]:
    """The future of `fn()`, run on an idle daemon thread or a new one.

    A new thread for each request would cost litellm 1 to 2 ms, for what it keeps per thread.
    """
    try:
        calls = _idle.pop()
    except IndexError:
        calls = queue.SimpleQueue()
        threading.Thread(target=_work, args=(calls,), name="factreasoner-worker", daemon=True).start()
    future: Future[T] = Future()
    calls.put((fn, future))
    return future


@with_room
def _work(calls: _Calls) -> None:
    while True:
        fn, future = calls.get()
        try:
            tell = functools.partial(future.set_result, fn())
        except BaseException as error:  # noqa: BLE001 - whoever has the future raises it
            tell = functools.partial(future.set_exception, error)
        _idle.append(calls)  # before the caller goes on: its next call uses this thread again
        tell()
        del fn, future, tell


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child process has none of these threads


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait one after the other until `seconds` have passed; Ctrl-C works between them."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
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
        Exception: what `fn` raised.
    """
    while _held_back.is_set():
        time.sleep(POLL_SECONDS)
    _under_way.add(mine := object())
    try:
        answer, begun = run_in_thread(fn), time.monotonic()
        while (left := max(begun, since()) + seconds - time.monotonic()) > 0:
            if wait([answer], min(left, POLL_SECONDS)).done:
                return answer.result()
    finally:
        _under_way.discard(mine)
    raise TimeoutError(f"no answer within {seconds:g} s")
