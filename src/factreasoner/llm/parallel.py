"""Running a function over items in threads; maps inside maps share the helper threads of the process.

Records are mapped, and within each its stages, and within those its batches and votes. Who opens a map works
on it too, so that it always gets on. What is inside another map goes first, so that what is begun is finished
before anything new begins; as many helpers are at work as the widest map allows.
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

    Items begin in their order, each in a copy of the caller's context, so that usage is counted for the
    caller's stage. After the first exception no further item is begun; it is raised once those under way have
    ended, as their model calls are paid for and belong in the cache. One that waits for a batch stops no
    other. Ctrl-C waits for nothing, nor does an interpreter that exits.

    Raises:
        BaseException: the first one that `fn` raised; PendingError where there is no other.
    """
    mapped = _Map(fn, workers)
    mapped.todo.extend(enumerate(items))
    count = len(mapped.todo)
    with _HELPERS.open(mapped):
        while mapped.step() or mapped.wait():
            pass
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
            _HELPERS.call()
        return future

    with _HELPERS.open(mapped):
        yield submit


@contextlib.contextmanager
def one_by_one_until(settled: Callable[[], bool]) -> Iterator[None]:
    """Maps opened inside, nested ones included, begin an item only when none is under way, until `settled()`.

    Until then everything happens in the order of the input. `settled` is asked before each item, by any
    thread; it must return at once, and once True it stays so.
    """
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


class _Map(Generic[T, R]):
    """An open map: items not begun, by number, how many are under way, and what is done."""

    def __init__(self, fn: Callable[[T], R], workers: int) -> None:
        self.fn, self.workers, self.nested = fn, max(workers, 1), _inside.get()
        self.todo: deque[tuple[int, T]] = deque()
        self.done: dict[int, R] = {}
        self.error: BaseException | None = None
        self._settled = _settled.get()
        self._under_way = 0
        self._changed = threading.Condition()
        self._context = contextvars.copy_context()
        self._context.run(_inside.set, True)

    @property
    def stopped(self) -> bool:
        """Whether an item failed, so that no other is to begin; one that waits for a batch has not."""
        return self.error is not None and not isinstance(self.error, PendingError)

    @property
    def may_begin(self) -> int:
        """How many items may begin now."""
        if not self.todo:
            return 0
        most = self.workers if self._settled() else 1
        return min(len(self.todo), most - self._under_way)

    def wait(self) -> bool:
        """Wait for an item under way; False where nothing is left, or one was interrupted, as by Ctrl-C."""
        with self._changed:
            interrupted = self.error is not None and not isinstance(self.error, Exception)
            if self._under_way and self.may_begin <= 0 and not interrupted:
                self._changed.wait(POLL_SECONDS)
            return bool(self.todo or (self._under_way and not interrupted))

    def step(self) -> bool:
        """Run the next item, in a context of its own, and have others run; False where none may begin."""
        with self._changed:
            if self.may_begin <= 0:
                return False
            self._under_way += 1
            number, item = self.todo.popleft()
        _HELPERS.call()
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
        return True


class _Helpers:
    """Threads that work on the maps that are open, as many at once as the widest of them allows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: list[_Map[Any, Any]] = []
        """What is inside another map comes first, the last one first."""
        self._at_work = 0

    @contextlib.contextmanager
    def open(self, mapped: _Map[Any, Any]) -> Iterator[None]:
        """Have helpers for a map. When it closes, what was not begun never is."""
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

    def _help(self) -> Callable[[], None]:
        while maps := self._to_work_on():
            any(mapped.step() for mapped in maps)
        return lambda: None

    def _to_work_on(self) -> list[_Map[Any, Any]]:
        """Maps of which an item may begin; without any, or where it is one too many, the thread leaves."""
        with self._lock:
            too_many = self._at_work > self._most
            maps = [] if too_many else [mapped for mapped in self._maps if mapped.may_begin > 0]
            self._at_work -= not maps
            return maps


_HELPERS = _Helpers()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HELPERS.__init__)  # type: ignore[misc]  # threads don't live on there
