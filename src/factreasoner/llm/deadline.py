"""A hard limit on how long the caller waits for something that can't be stopped."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar

from factreasoner.stack import with_room

T = TypeVar("T")

POLL_SECONDS = 0.2
"""A signal that arrives just before a thread begins to wait is seen only once it wakes: so it wakes."""


def turns(seconds: float) -> Iterator[float]:
    """Timeouts to wait for one after the other, until `seconds` have passed; Ctrl-C works between them."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        yield min(left, POLL_SECONDS)


class _Worker:
    """A daemon thread that runs one function after another and is idle in between.

    A new thread for each request would take litellm 1 to 2 ms, for what it keeps by thread.
    """

    _idle: ClassVar[deque[_Worker]] = deque()

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], Callable[[], None]]] = queue.SimpleQueue()
        threading.Thread(target=with_room(self._work), name="factreasoner-request", daemon=True).start()

    @classmethod
    def run(cls, task: Callable[[], Callable[[], None]]) -> None:
        """Run `task` on an idle worker or a new one, and what it returns once that worker is idle again."""
        try:
            worker = cls._idle.pop()
        except IndexError:
            worker = cls()
        worker._tasks.put(task)

    @classmethod
    def forget(cls) -> None:
        """Count on no idle worker any more."""
        cls._idle.clear()

    def _work(self) -> None:
        while True:
            tell = self._tasks.get()()
            self._idle.append(self)
            tell()


class _Requests:
    """The functions that `within` runs: how many there are, and whether any more may begin."""

    def __init__(self) -> None:
        self.under_way = 0
        self.held_back = False
        self._lock = threading.Lock()

    def begun(self) -> None:
        while self.held_back:
            time.sleep(POLL_SECONDS)
        with self._lock:
            self.under_way += 1

    def ended(self) -> None:
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Worker.forget)  # threads don't live on in a child process


_meanwhile: deque[Callable[[], object]] = deque()


@contextlib.contextmanager
def meanwhile(task: Callable[[], object]) -> Iterator[None]:
    """Have a thread do `task`, if anybody inside waits a moment for an answer: it takes no time of its own.

    It is for what is needed later, and done there where nobody has waited, or where it fails now.
    """
    _meanwhile.append(task)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            _meanwhile.remove(task)


def _use_the_time() -> None:
    with contextlib.suppress(IndexError):
        task = _meanwhile.popleft()
        threading.Thread(target=_tried, args=(task,), name="factreasoner-meanwhile", daemon=True).start()


@with_room
def _tried(task: Callable[[], object]) -> None:
    with contextlib.suppress(Exception):
        task()


class Place:
    """One request in a `Line`: how many were under way with it, and since when its time runs."""

    def __init__(self, ahead: int) -> None:
        self.ahead = ahead
        self.since = time.monotonic()


class Line:
    """Requests to one server that are under way, in their order. Thread-safe.

    A server may work on them one by one: so each that ends well starts the time of those behind it anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: list[Place] = []

    @contextlib.contextmanager
    def joined(self) -> Iterator[Place]:
        """A place at the end, for the request made inside."""
        with self._lock:
            place = Place(len(self._places) + 1)
            self._places.append(place)
        answered = False
        try:
            yield place
            answered = True
        finally:
            with self._lock:
                position = self._places.index(place)
                for behind in self._places[position + 1 :] if answered else ():
                    behind.since = time.monotonic()
                del self._places[position]


def within(seconds: float, fn: Callable[[], T], *, since: Callable[[], float] = lambda: 0.0) -> T:
    """`fn()`, run on a daemon thread that is abandoned after `seconds`, or so long after `since`.

    A socket timeout bounds one read, not an answer: a server that sends a byte now and then would hold the
    caller for ever. The interpreter does not wait for an abandoned thread when it exits.

    Raises:
        TimeoutError: `fn` had not returned in time. Whatever it returns or raises later is dropped.
        Exception: what `fn` raised.
    """
    _requests.begun()
    try:
        return _within(seconds, fn, since)
    finally:
        _requests.ended()


def _within(seconds: float, fn: Callable[[], T], since: Callable[[], float]) -> T:
    box: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> Callable[[], None]:
        try:
            result = fn()
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            outcome: tuple[T | None, BaseException | None] = (None, error)
        else:
            outcome = (result, None)
        return lambda: box.put(outcome)

    _Worker.run(work)
    begun = time.monotonic()
    while (left := max(begun, since()) + seconds - time.monotonic()) > 0:
        try:
            result, error = box.get(timeout=min(left, POLL_SECONDS))
        except queue.Empty:
            _use_the_time()
            continue
        if error is not None:
            raise error
        return result  # type: ignore[return-value]
    raise TimeoutError(f"no answer within {seconds:g} s")
