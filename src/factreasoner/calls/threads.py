"""Map functions over items on daemon threads.

Nested maps share the process's helper threads, as many as the widest open map allows; the opener of a map
works on it too. Items of nested maps go first, so that work in progress finishes first.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, Generic, ParamSpec, TypeVar

from factreasoner.errors import PendingError

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

POLL_SECONDS = 0.2
"""A waiting thread wakes this often, to see signals that arrived just before it began to wait."""
_FRAME_WORDS = 1 << 15
"""A frame of this size makes CPython allocate 512 KiB, half of it for the frames above."""

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("factreasoner_in_a_map", default=False)


def _at_once() -> bool:
    return True


_settled: contextvars.ContextVar[Callable[[], bool]] = contextvars.ContextVar(
    "factreasoner_settled", default=_at_once
)


_left: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar(
    "factreasoner_left", default=None
)


@contextlib.contextmanager
def bound(variable: contextvars.ContextVar[Any], value: T) -> Iterator[T]:
    """Set a variable of this context inside."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


class AbandonedError(BaseException):
    """This work is no longer wanted, so it sends nothing more. Not a failure."""


@contextlib.contextmanager
def abandon_on_exit() -> Iterator[None]:
    """Abandon everything started inside when the block ends, in threads of its context too.

    Items of maps, calls of `run_within` and batches of a local judge no longer start. Calls already running
    are not waited for.
    """
    left = threading.Event()
    with bound(_left, left):
        try:
            yield
        finally:
            left.set()


def check_wanted() -> None:
    """Raise AbandonedError if this work is no longer wanted."""
    if (left := _left.get()) is not None and left.is_set():
        raise AbandonedError


def parallel_map(fn: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """`[fn(item) for item in items]` with at most `workers` items at once.

    Items begin in order, each in a copy of the caller's context. After the first exception no item begins; it
    is raised when running items have ended. An item that waits for a batch does not stop others.

    Raises BaseException: the first one that `fn` raised; PendingError if there is no other.
    """
    results: dict[int, R] = {}

    def work(item: tuple[int, T]) -> None:
        check_wanted()
        results[item[0]] = fn(item[1])

    mapped = _Map(work, workers)
    mapped.todo.extend(enumerate(items))
    count = len(mapped.todo)
    with _HELPERS.open(mapped):
        while mapped.step() or mapped.wait():
            pass
    if mapped.error is not None:
        raise mapped.error
    return [results[number] for number in range(count)]


@contextlib.contextmanager
def open_map(fn: Callable[[T], R], workers: int) -> Iterator[Callable[[T], Future[R]]]:
    """Returns a function that submits an item to the helper threads and returns its future.

    At most `workers` items run at once, in submission order; those not begun when the block ends never run.
    One worker is the caller's thread. Not for use inside an item of another map: use `parallel_map`.
    """

    def work(item: tuple[Future[R], T]) -> None:
        _settle(item[0], lambda: fn(item[1]))()

    mapped = _Map(work, workers)

    def submit(item: T) -> Future[R]:
        future: Future[R] = Future()
        mapped.todo.append((future, item))
        if workers <= 1 or not _HELPERS.call():
            mapped.step()
        return future

    with _HELPERS.open(mapped):
        yield submit


def _settle(future: Future[T], fn: Callable[[], T]) -> Callable[[], None]:
    """Call `fn` and set the future's result or exception."""
    try:
        return functools.partial(future.set_result, fn())
    except BaseException as error:  # noqa: BLE001 - whoever has the future raises it
        return functools.partial(future.set_exception, error)
    finally:
        del fn, future  # else an error's traceback would keep them


def one_by_one_until(settled: Callable[[], bool]) -> AbstractContextManager[object]:
    """Maps opened inside, also nested ones, run one item at a time until `settled()`.

    Any thread calls `settled` before each item; it must return at once, and stay True once True.
    """
    return bound(_settled, _at_once if settled() else settled)


class _Map(Generic[T]):
    """An open map: its waiting items and number of running ones. The first error stops it."""

    def __init__(self, work: Callable[[T], None], workers: int) -> None:
        self.workers, self.nested = max(workers, 1), _inside.get()
        self.todo: deque[T] = deque()
        self.error: BaseException | None = None
        self._work, self._settled, self._under_way = work, _settled.get(), 0
        self._changed = threading.Condition()
        self._context = contextvars.copy_context()
        self._context.run(_inside.set, True)

    @property
    def may_begin(self) -> int:
        """The number of items that may begin now."""
        if not self.todo:
            return 0
        most = self.workers if self._settled() else 1
        return max(min(len(self.todo), most - self._under_way), 0)

    def wait(self) -> bool:
        """Wait for a running item; False if nothing is left, or one was interrupted."""
        with self._changed:
            interrupted = self.error is not None and not isinstance(self.error, Exception)
            if self._under_way and not self.may_begin and not interrupted:
                self._changed.wait(POLL_SECONDS)
            return bool(self.todo or (self._under_way and not interrupted))

    def step(self) -> bool:
        """Run the next item in its own context; False if none may begin."""
        with self._changed:
            if not self.may_begin:
                return False
            self._under_way += 1
            item = self.todo.popleft()
        _HELPERS.call()
        error: BaseException | None = None
        try:
            self._context.copy().run(self._work, item)
        except BaseException as raised:  # noqa: BLE001 - whoever opened the map raises it
            error = raised
        with self._changed:
            self._under_way -= 1
            if error is not None:
                if self.error is None or isinstance(self.error, PendingError):
                    self.error = error
                if not isinstance(self.error, PendingError):
                    self.todo.clear()
            self._changed.notify_all()
        return True


class _Helpers:
    """Threads that work on the open maps, as many as the widest allows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: list[_Map[Any]] = []
        """Nested maps come first, the last one first."""
        self._at_work = 0

    @contextlib.contextmanager
    def open(self, mapped: _Map[Any]) -> Iterator[None]:
        """Provide helpers for a map. Items not begun when it closes never run."""
        with self._lock:
            self._maps.insert(0 if mapped.nested else len(self._maps), mapped)
        try:
            yield
        finally:
            mapped.todo.clear()
            with self._lock:
                self._maps.remove(mapped)

    def call(self) -> bool:
        """Start as many helpers as items that may begin; returns whether any is working.

        There are fewer if the system starts no more threads.
        """
        with self._lock:
            wanted = sum(mapped.may_begin for mapped in self._maps)
            with contextlib.suppress(RuntimeError):
                for _ in range(min(self._free, wanted)):
                    run_in_thread(self._help)
                    self._at_work += 1
        return self._at_work > 0

    @property
    def _free(self) -> int:
        """The number of helpers that may still start."""
        return max((mapped.workers for mapped in self._maps), default=0) - self._at_work

    def _help(self) -> None:
        while maps := self._to_work_on():
            any(mapped.step() for mapped in maps)

    def _to_work_on(self) -> list[_Map[Any]]:
        """Maps with an item that may begin; the thread ends if there is none, or one helper too many."""
        with self._lock:
            maps = [] if self._free < 0 else [mapped for mapped in self._maps if mapped.may_begin]
            self._at_work -= not maps
            return maps


_HELPERS = _Helpers()


def with_stack_room(fn: Callable[P, T]) -> Callable[P, T]:
    """`fn` with stack room for deep calls; for a thread's first function, or a rarely called one.

    CPython keeps frames in chunks of 16 KiB, and a loop across a chunk edge allocates one on each call: a
    second of CPU while litellm is imported.
    """

    def roomy(*args: P.args, **kwargs: P.kwargs) -> T:
        return fn(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_FRAME_WORDS)
    return functools.update_wrapper(roomy, fn)


_Calls = queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]]
_idle: deque[_Calls] = deque()


def run_in_thread(fn: Callable[[], T]) -> Future[T]:
    """The future of `fn()`, run on an idle or new daemon thread.

    A new thread per request would cost litellm 1 to 2 ms for its thread-local state.
    """
    try:
        calls = _idle.pop()
    except IndexError:
        calls = queue.SimpleQueue()
        threading.Thread(target=_work, args=(calls,), name="factreasoner-worker", daemon=True).start()
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # else who waits for it could cancel it, and no result be set
    calls.put((future, fn))
    return future


@with_stack_room
def _work(calls: _Calls) -> None:
    while True:
        deliver = _settle(*calls.get())
        _idle.append(calls)  # before the caller goes on: its next call uses this thread again
        deliver()
        del deliver


if hasattr(os, "register_at_fork"):  # a child process has none of these threads
    os.register_at_fork(after_in_child=_idle.clear)
    os.register_at_fork(after_in_child=_HELPERS.__init__)  # type: ignore[misc]
