"""Running a function over items in threads; maps inside maps share the helper threads of the process.

Records are mapped, and within each its stages, and within those its batches and votes.

- The thread that opens a map works on it too, so that a map always gets on, with helpers or without.
- A helper takes an item of the innermost map: what is begun is finished before anything new begins.
- As many threads are at work as the widest map allows (`concurrency` in a run). One that waits for the last
  items of its own map is not at work, and a helper takes its place.
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
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.llm.threads import run_in_thread

T = TypeVar("T")
R = TypeVar("R")

_depth: contextvars.ContextVar[int] = contextvars.ContextVar("factreasoner_map_depth", default=0)
_settled: contextvars.ContextVar[Callable[[], bool]] = contextvars.ContextVar(
    "factreasoner_settled", default=lambda: True
)


def parallel_map(fn: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """`[fn(item) for item in items]` with at most `workers` items under way at once.

    Items begin in their order. Each runs in a copy of the caller's context, so that usage is counted for the
    caller's stage. After the first exception no further item is begun; it is raised once those under way
    have ended, as their model calls are paid for and belong in the cache. One that waits for a batch stops
    no other. Ctrl-C waits for nothing. Threads are daemons: an interpreter that exits does not wait for them
    either.

    Raises:
        BaseException: the first one that `fn` raised; PendingError where there is no other.
    """
    todo = deque(enumerate(items))
    if workers <= 1 or len(todo) <= 1:
        return _one_by_one(fn, [item for _, item in todo])
    count = len(todo)
    with _POOL.opened(_Map(fn, workers, todo)) as mapped:
        _POOL.work_off(mapped)
    if mapped.error is not None:
        raise mapped.error
    return [mapped.done[index] for index in range(count)]


def _one_by_one(fn: Callable[[T], R], items: Iterable[T]) -> list[R]:
    results: list[R] = []
    pending: PendingError | None = None
    for item in items:
        try:
            results.append(fn(item))
        except PendingError as error:
            pending = error
    if pending is not None:
        raise pending
    return results


@contextlib.contextmanager
def opened_map(fn: Callable[[T], R], workers: int) -> Iterator[Callable[[T], Future[R]]]:
    """Gives a function that hands an item to the helper threads and returns the future of `fn(item)`.

    At most `workers` items are under way at once, in the order they were handed over; those not begun when
    the block ends never are. One worker is the caller's thread. Not for use inside an item of another map:
    who waits for a future works on nothing else. For the rest see `parallel_map`.
    """

    def answer(asked: tuple[Future[R], T]) -> None:
        future, item = asked
        try:
            future.set_result(fn(item))
        except BaseException as error:  # noqa: BLE001 - whoever wants the result raises it
            future.set_exception(error)

    with _POOL.opened(_Map(answer, workers)) as mapped:

        def submit(item: T) -> Future[R]:
            future: Future[R] = Future()
            if workers <= 1:
                answer((future, item))
            else:
                _POOL.add(mapped, (0, (future, item)))
            return future

        yield submit


@contextlib.contextmanager
def one_by_one_until(settled: Callable[[], bool]) -> Iterator[None]:
    """Maps opened inside, nested ones included, begin an item only when none is under way, until `settled()`.

    Until then everything happens in the order of the input, whatever the number of workers. `settled` is
    asked before each item, by any thread; it must return at once, and once True it stays so.
    """
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


class _Map(Generic[T, R]):
    """An open map: items not begun, how many are under way, and the results by their items' numbers.

    All but `fn` is under the pool's lock.
    """

    def __init__(self, fn: Callable[[T], R], workers: int, todo: Iterable[tuple[int, T]] = ()) -> None:
        self.fn = fn
        self.workers = workers
        self.depth = _depth.get()
        self.todo = deque(todo)
        self.under_way = 0
        self.done: dict[int, R] = {}
        self.error: BaseException | None = None
        self.changed = threading.Condition(_POOL.lock)
        self._settled = _settled.get()
        self._context = contextvars.copy_context()
        self._context.run(_depth.set, self.depth + 1)

    @property
    def ready(self) -> bool:
        """Whether an item may begin now."""
        if not self.todo or not self.under_way:
            return bool(self.todo)
        return self.under_way < self.workers and self._settled()

    @property
    def ended(self) -> bool:
        """Whether every item has ended, or one of them by something like Ctrl-C, which waits for nobody."""
        interrupted = self.error is not None and not isinstance(self.error, Exception)
        return interrupted or not (self.todo or self.under_way)

    def run(self, item: T) -> R:
        """`fn(item)` in a context of its own."""
        return self._context.copy().run(self.fn, item)

    def fail(self, error: BaseException) -> None:
        """Begin nothing more, unless the item waits for a batch; the first error is the one that is told."""
        if self.error is None or isinstance(self.error, PendingError):
            self.error = error
        if not isinstance(error, PendingError):
            self.todo.clear()


class _Pool:
    """The maps that are open in this process, and the threads at work on them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._maps: list[_Map[Any, Any]] = []
        self._at_work = 0

    @contextlib.contextmanager
    def opened(self, mapped: _Map[T, R]) -> Iterator[_Map[T, R]]:
        """Have helpers work on a map. When it closes, what was not begun never is."""
        with self.lock:
            self._maps.append(mapped)
        try:
            yield mapped
        finally:
            with self.lock:
                mapped.todo.clear()
                self._maps = [other for other in self._maps if other is not mapped]

    def add(self, mapped: _Map[T, R], numbered: tuple[int, T]) -> None:
        """One more item for the helpers."""
        with self.lock:
            mapped.todo.append(numbered)
            self._call_helper()

    def work_off(self, mapped: _Map[T, R]) -> None:
        """Work on the caller's own map, with helpers, until every item has ended."""
        outermost = int(mapped.depth == 0)  # inside another map's item, this thread is at work already
        with self.lock:
            self._at_work += outermost
        try:
            while True:
                with self.lock:
                    while not mapped.ready and not mapped.ended:
                        self._rest(mapped)
                    if mapped.ended:
                        return
                    index, item = self._begun(mapped)
                self._run(mapped, index, item)
        finally:
            with self.lock:
                self._at_work -= outermost

    def _help(self) -> Callable[[], None]:
        """Work on whatever may begin; returns where there is nothing, or where too many are at work."""
        while True:
            with self.lock:
                mapped = self._innermost() if self._at_work <= self._most_at_work else None
                if mapped is None:
                    self._at_work -= 1
                    return lambda: None
                index, item = self._begun(mapped)
            self._run(mapped, index, item)

    def _begun(self, mapped: _Map[T, R]) -> tuple[int, T]:
        mapped.under_way += 1
        numbered = mapped.todo.popleft()
        self._call_helper()
        return numbered

    def _run(self, mapped: _Map[T, R], index: int, item: T) -> None:
        error: BaseException | None = None
        try:
            result = mapped.run(item)
        except BaseException as raised:  # noqa: BLE001 - whoever opened the map raises it
            error = raised
        with self.lock:
            mapped.under_way -= 1
            if error is None:
                mapped.done[index] = result
            else:
                mapped.fail(error)
            mapped.changed.notify()
            self._call_helper()

    def _innermost(self) -> _Map[Any, Any] | None:
        """The map to help with: the innermost, of equals the one opened first."""
        ready = (mapped for mapped in self._maps if mapped.ready)
        return max(ready, key=lambda mapped: mapped.depth, default=None)

    @property
    def _most_at_work(self) -> int:
        return max((mapped.workers for mapped in self._maps), default=0)

    def _call_helper(self) -> None:
        """Start a helper for an item that may begin; it calls the next one."""
        if self._at_work < self._most_at_work and self._innermost() is not None:
            self._at_work += 1
            run_in_thread(self._help)

    def _rest(self, mapped: _Map[Any, Any]) -> None:
        """Wait for an item of the own map to end; this thread is not at work meanwhile."""
        self._at_work -= 1
        self._call_helper()  # somebody else may begin what this thread may not
        try:
            mapped.changed.wait(POLL_SECONDS)
        finally:
            self._at_work += 1


_POOL = _Pool()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOL.__init__)  # type: ignore[misc]  # threads don't live on there
