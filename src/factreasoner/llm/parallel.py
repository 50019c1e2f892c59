"""Running a function over items in threads; nested maps share the helper threads of the process.

Records are mapped, within each its stages, and within those its batches and votes. Whoever opens a map works
on it, too, so it always makes progress. Items of nested maps go first, so that what has begun is finished
before anything new begins. As many helpers work as the widest open map allows.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from factreasoner.errors import PendingError
from factreasoner.llm.deadline import POLL_SECONDS, run_in_thread

T = TypeVar("T")
R = TypeVar("R")

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("factreasoner_in_a_map", default=False)
_settled: contextvars.ContextVar[Callable[[], bool]] = contextvars.ContextVar(
    "factreasoner_settled", default=lambda: True
)


def parallel_map(fn: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """`[fn(item) for item in items]` with at most `workers` items under way at once.

    Items begin in order, each in a copy of the caller's context, so that usage counts for the caller's stage.
    After the first exception no further item begins; it is raised once those under way have ended, as their
    model calls are paid for and belong in the cache. An item that waits for a batch does not stop the others.
    Neither Ctrl-C nor an exiting interpreter waits for anything.

    Raises:
        BaseException: the first one that `fn` raised; PendingError if there is no other.
    """
    mapped = _Map(fn, workers, stops=True)
    futures = [mapped.add(item) for item in items]
    with _HELPERS.open(mapped):
        while mapped.step() or mapped.wait():
            pass
    if mapped.error is not None:
        raise mapped.error
    return [future.result() for future in futures]


@contextlib.contextmanager
def opened_map(fn: Callable[[T], R], workers: int) -> Iterator[Callable[[T], Future[R]]]:
    """Gives a function that hands an item to the helper threads and returns the future of `fn(item)`.

    At most `workers` items are under way at once, in the order they were handed over; those that have not
    begun when the block ends never do. One worker is the caller's thread. Not for use inside an item of
    another map, since a thread that waits for a future does no work: use `parallel_map` there.
    """
    mapped = _Map(fn, workers, stops=False)

    def submit(item: T) -> Future[R]:
        future = mapped.add(item)
        if workers <= 1:
            mapped.step()
        else:
            _HELPERS.call()
        return future

    with _HELPERS.open(mapped):
        yield submit


@contextlib.contextmanager
def one_by_one_until(settled: Callable[[], bool]) -> Iterator[None]:
    """Maps opened inside, nested ones included, run one item at a time and in order until `settled()`.

    Any thread calls `settled` before each item; it must return at once, and once True it must stay True.
    """
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


class _Map(Generic[T, R]):
    """An open map: items that have not begun, each with its future, and how many are under way.

    With `stops`, the first failed item keeps others from beginning.
    """

    def __init__(self, fn: Callable[[T], R], workers: int, *, stops: bool) -> None:
        self.fn, self.workers, self.nested = fn, max(workers, 1), _inside.get()
        self.todo: deque[tuple[Future[R], T]] = deque()
        self.error: BaseException | None = None
        self._stops = stops
        self._settled = _settled.get()
        self._under_way = 0
        self._changed = threading.Condition()
        self._context = contextvars.copy_context()
        self._context.run(_inside.set, True)

    def add(self, item: T) -> Future[R]:
        """The future of an item that may begin from now on."""
        future: Future[R] = Future()
        self.todo.append((future, item))
        return future

    @property
    def may_begin(self) -> int:
        """How many items may begin now."""
        if not self.todo:
            return 0
        most = self.workers if self._settled() else 1
        return min(len(self.todo), most - self._under_way)

    def wait(self) -> bool:
        """Wait for an item under way; False if nothing is left, or one was interrupted, as by Ctrl-C."""
        with self._changed:
            interrupted = self.error is not None and not isinstance(self.error, Exception)
            if self._under_way and self.may_begin <= 0 and not interrupted:
                self._changed.wait(POLL_SECONDS)
            return bool(self.todo or (self._under_way and not interrupted))

    def step(self) -> bool:
        """Run the next item in its own context, while helpers run others; False if none may begin."""
        with self._changed:
            if self.may_begin <= 0:
                return False
            self._under_way += 1
            future, item = self.todo.popleft()
        _HELPERS.call()
        error: BaseException | None = None
        try:
            result = self._context.copy().run(self.fn, item)
        except BaseException as raised:  # noqa: BLE001 - whoever opened the map raises it
            error = raised
            future.set_exception(raised)
        else:
            future.set_result(result)
        with self._changed:
            self._under_way -= 1
            if self._stops and error is not None:
                if self.error is None or isinstance(self.error, PendingError):
                    self.error = error
                if not isinstance(self.error, PendingError):
                    self.todo.clear()
            self._changed.notify_all()
        return True


class _Helpers:
    """Threads that work on the open maps, as many at once as the widest of them allows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: list[_Map[Any, Any]] = []
        """Nested maps come first, the last one first."""
        self._at_work = 0

    @contextlib.contextmanager
    def open(self, mapped: _Map[Any, Any]) -> Iterator[None]:
        """Have helpers for a map. Items that have not begun when it closes never do."""
        with self._lock:
            self._maps.insert(0 if mapped.nested else len(self._maps), mapped)
        try:
            yield
        finally:
            mapped.todo.clear()
            with self._lock:
                self._maps.remove(mapped)

    def call(self) -> None:
        """Call as many helpers as there are items that may begin."""
        with self._lock:
            wanted = sum(max(mapped.may_begin, 0) for mapped in self._maps)
            for _ in range(min(wanted, self._most - self._at_work)):
                self._at_work += 1
                run_in_thread(self._help)

    @property
    def _most(self) -> int:
        return max((mapped.workers for mapped in self._maps), default=0)

    def _help(self) -> None:
        while maps := self._to_work_on():
            any(mapped.step() for mapped in maps)

    def _to_work_on(self) -> list[_Map[Any, Any]]:
        """Maps with an item that may begin; if there is none, or one helper too many, the thread leaves."""
        with self._lock:
            too_many = self._at_work > self._most
            maps = [] if too_many else [mapped for mapped in self._maps if mapped.may_begin > 0]
            self._at_work -= not maps
            return maps


_HELPERS = _Helpers()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HELPERS.__init__)  # type: ignore[misc]  # it has none of these threads
