"""Running a function over items in threads; maps inside maps share the helper threads of the process.

Records are mapped, and within each its stages, and within those its batches and votes. Who opens a map works
on it too, so that it always gets on, with helpers or without. Helpers come in the order they are called for,
so that what is begun is finished before anything new begins; as many are at work as the widest map allows.
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

    Items begin in their order. Each runs in a copy of the caller's context, so that usage is counted for the
    caller's stage. After the first exception no further item is begun; it is raised once those under way
    have ended, as their model calls are paid for and belong in the cache. One that waits for a batch stops
    no other. Ctrl-C waits for nothing. Threads are daemons: an interpreter that exits does not wait for them
    either.

    Raises:
        BaseException: the first one that `fn` raised; PendingError where there is no other.
    """
    mapped = _Map(fn, workers)
    mapped.todo.extend(enumerate(items))
    count = len(mapped.todo)
    with _HELPERS.open(mapped):
        mapped.go_one_by_one()
        first = mapped.begun()
        _HELPERS.call(mapped.work, min(workers - 1, len(mapped.todo)))
        if first is not None:
            mapped.run(*first)
        mapped.work()
        mapped.wait()
    if mapped.error is not None:
        raise mapped.error
    return [mapped.done[number] for number in range(count)]


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
            result = fn(item)
        except BaseException as error:  # noqa: BLE001 - whoever wants the result raises it
            future.set_exception(error)
        else:
            future.set_result(result)

    mapped = _Map(answer, workers)

    def submit(item: T) -> Future[R]:
        future: Future[R] = Future()
        mapped.todo.append((0, (future, item)))
        if workers <= 1:
            mapped.step()
        else:
            _HELPERS.call(mapped.help)
        return future

    with _HELPERS.open(mapped):
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
    """An open map: items not begun, by number, how many are under way, and what is done."""

    def __init__(self, fn: Callable[[T], R], workers: int) -> None:
        self.fn, self.workers, self.settled = fn, workers, _settled.get()
        self.todo: deque[tuple[int, T]] = deque()
        self.done: dict[int, R] = {}
        self.error: BaseException | None = None
        self._under_way = 0
        self._changed = threading.Condition()
        self._context = contextvars.copy_context()
        self._context.run(_inside.set, True)

    @property
    def stopped(self) -> bool:
        """Whether an item failed, so that no other is to begin; one that waits for a batch has not."""
        return self.error is not None and not isinstance(self.error, PendingError)

    def wait(self) -> None:
        """Wait until no item is under way; not where one was interrupted, as by Ctrl-C."""
        with self._changed:
            while self._under_way and (not self.stopped or isinstance(self.error, Exception)):
                self._changed.wait(POLL_SECONDS)

    def go_one_by_one(self) -> None:
        """Run items one after the other until that is no longer wanted; others have waited for it too."""
        waited = False
        while not self.settled() and self.step():
            waited = True
        if waited:
            _HELPERS.call_again()

    def help(self) -> None:
        """Run an item, and leave the rest to the next helper: what is inside another map goes first."""
        self.go_one_by_one()
        if self.step() and self.todo:
            _HELPERS.call(self.help)

    def work(self) -> None:
        """Run items until none may begin."""
        while self.step():
            pass

    def step(self) -> bool:
        """Run the next item; False where none may begin."""
        begun = self.begun()
        if begun is not None:
            self.run(*begun)
        return begun is not None

    def begun(self) -> tuple[int, T] | None:
        """The next item, which has begun; None where none may."""
        with self._changed:
            most = max(self.workers, 1) if self.settled() else 1
            if not self.todo or self._under_way >= most:
                return None
            self._under_way += 1
            return self.todo.popleft()

    def run(self, number: int, item: T) -> None:
        """Run an item that has begun, in a context of its own."""
        error: BaseException | None = None
        try:
            result = self._context.copy().run(self.fn, item)
        except BaseException as raised:  # noqa: BLE001 - whoever opened the map raises it
            error = raised
        with self._changed:
            self._under_way -= 1
            if error is None:
                self.done[number] = result
            elif not self.stopped:
                self.error = error
            if self.stopped:
                self.todo.clear()
            self._changed.notify_all()


class _Helpers:
    """Threads that work on the maps that are open, as many at once as the widest of them allows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: list[_Map[Any, Any]] = []
        self._tasks: deque[Callable[[], None]] = deque()
        self._at_work = 0

    @contextlib.contextmanager
    def open(self, mapped: _Map[Any, Any]) -> Iterator[None]:
        """Have helpers for a map. When it closes, what was not begun never is."""
        with self._lock:
            self._maps.append(mapped)
        try:
            yield
        finally:
            mapped.todo.clear()
            with self._lock:
                self._maps.remove(mapped)
                if not self._maps:
                    self._tasks.clear()

    def call(self, work: Callable[[], None], helpers: int = 1) -> None:
        """Call so many helpers for a map; what is inside another map goes first."""
        with self._lock:
            (self._tasks.extendleft if _inside.get() else self._tasks.extend)([work] * helpers)
            while helpers > 0 and self._at_work < self._most:
                helpers -= 1
                self._at_work += 1
                run_in_thread(self._help)

    def call_again(self) -> None:
        """Call helpers for all maps that are open, as more may begin now than before."""
        with self._lock:
            maps = list(self._maps)
        for mapped in maps:
            self.call(mapped.help, min(len(mapped.todo), mapped.workers))

    @property
    def _most(self) -> int:
        return max((mapped.workers for mapped in self._maps), default=0)

    def _help(self) -> Callable[[], None]:
        while True:
            with self._lock:
                if not self._tasks or self._at_work > self._most:
                    self._at_work -= 1
                    return lambda: None
                work = self._tasks.popleft()
            work()


_HELPERS = _Helpers()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HELPERS.__init__)  # type: ignore[misc]  # threads don't live on there
