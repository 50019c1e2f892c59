"""Helper threads: one pool for the process, shared by maps inside maps.

- The thread that opens a map works on it too, so that a map always gets on, with helpers or without.
- A helper prefers the innermost map: what is begun is finished before anything new begins.
- A thread of the pool that waits for the last items of its own map works on others meanwhile, but never on
  one further out than its own: else its map would have to wait for a whole record of somebody else's. It
  rests where there are none, and another helper takes its place.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from factreasoner.errors import PendingError
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.stack import with_room

T = TypeVar("T")
R = TypeVar("R")

_depth: contextvars.ContextVar[int] = contextvars.ContextVar("factreasoner_map_depth", default=0)


class OpenMap(Generic[T, R]):
    """One open map: items not begun, how many are under way, and results nobody has fetched.

    All but `run` is under the pool's lock.
    """

    def __init__(self, fn: Callable[[T], R], workers: int, settled: Callable[[], bool]) -> None:
        self.fn = fn
        self.workers = workers
        self.depth = _depth.get()
        self.todo: deque[tuple[int, T]] = deque()
        self.under_way = 0
        self.done: deque[tuple[int, R]] = deque()
        self.error: BaseException | None = None
        self.opener: threading.Condition | None = None
        self._settled = settled
        self._context = contextvars.copy_context()
        self._context.run(_depth.set, self.depth + 1)

    @property
    def ready(self) -> bool:
        """Whether an item may begin now."""
        return bool(self.todo) and self.under_way < (self.workers if self._settled() else 1)

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


class _Rest(NamedTuple):
    """A thread that waits for work: on maps of at least this depth, where it may help at all."""

    depth: int | None
    woken: threading.Condition


class _Helper(threading.Thread):
    """A thread of the pool."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(target=with_room(work), name="factreasoner-helper", daemon=True)


class HelperPool:
    """The helper threads of this process, and the maps that are open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: list[OpenMap[Any, Any]] = []
        self._resting: list[_Rest] = []
        self._helpers = 0

    @contextlib.contextmanager
    def opened(
        self, fn: Callable[[T], R], workers: int, settled: Callable[[], bool]
    ) -> Iterator[OpenMap[T, R]]:
        """A map of no items yet. When it closes, what was not begun never is.

        At most `workers` of its items are under way at once, and one alone until `settled()`.
        """
        mapped = OpenMap(fn, workers, settled)
        with self._lock:
            self._maps.append(mapped)
        try:
            yield mapped
        finally:
            with self._lock:
                mapped.todo.clear()
                self._maps = [other for other in self._maps if other is not mapped]
                if not self._maps:  # the helpers go home
                    for rest in self._resting:
                        rest.woken.notify()

    def outstanding(self, mapped: OpenMap[T, R]) -> int:
        """Items that were added and whose results were not fetched."""
        with self._lock:
            return len(mapped.todo) + mapped.under_way + len(mapped.done)

    def add(self, mapped: OpenMap[T, R], numbered: tuple[int, T]) -> None:
        """One more item for the helpers."""
        with self._lock:
            mapped.todo.append(numbered)
            self._call_helper()

    def results(self, mapped: OpenMap[T, R]) -> list[R]:
        """What is done and not fetched; nothing only where every item has ended.

        The outermost map's caller only waits; inside another map's item nobody may, as he could be a helper.
        """
        if mapped.depth:
            self._work(lambda: bool(mapped.done) or mapped.ended, mapped)
        with self._lock:
            while not mapped.done and not mapped.ended:
                self._rest(mapped, None)
            fetched = [result for _, result in mapped.done]
            mapped.done.clear()
            return fetched

    def work_off(self, mapped: OpenMap[T, R]) -> None:
        """Work on the caller's own map, with helpers, until every item has ended."""
        self._work(lambda: mapped.ended, mapped)

    def _help(self) -> None:
        self._work(self._may_leave, None)

    def _may_leave(self) -> bool:
        """Whether a helper, which is counted out then, has nothing to wait for: no map is open."""
        if not self._maps:
            self._helpers -= 1
        return not self._maps

    def _work(self, over: Callable[[], bool], own: OpenMap[Any, Any] | None) -> None:
        depth = own.depth if own is not None else 0
        helps = isinstance(threading.current_thread(), _Helper)
        while True:
            with self._lock:
                if over():
                    return
                mapped = own if own is not None and own.ready else None
                if mapped is None and helps and (own is not None or self._busy() <= self._widest()):
                    mapped = self._innermost(depth)
                if mapped is None:
                    self._rest(own, depth if helps else None)
                    continue
                index, item = mapped.todo.popleft()
                mapped.under_way += 1
                self._call_helper()
            self._run(mapped, index, item)

    def _run(self, mapped: OpenMap[T, R], index: int, item: T) -> None:
        error: BaseException | None = None
        try:
            result = mapped.run(item)
        except BaseException as raised:  # noqa: BLE001 - whoever opened the map raises it
            error = raised
        with self._lock:
            mapped.under_way -= 1
            if error is None:
                mapped.done.append((index, result))
            else:
                mapped.fail(error)
            if mapped.opener is not None:
                mapped.opener.notify()
            self._call_helper()

    def _innermost(self, depth: int) -> OpenMap[Any, Any] | None:
        """The map to help with: the innermost, of equals the one opened first."""
        ready = [mapped for mapped in self._maps if mapped.depth >= depth and mapped.ready]
        return max(ready, key=lambda mapped: mapped.depth, default=None)

    def _call_helper(self) -> None:
        """Wake one thread for an item that may begin, or start one."""
        mapped = self._innermost(0)
        if mapped is None:
            return
        for position, rest in enumerate(self._resting):
            if rest.depth is not None and rest.depth <= mapped.depth:
                del self._resting[position]
                rest.woken.notify()
                return
        if self._busy() < self._widest() and self._helpers < 2 * self._widest():
            self._helpers += 1
            _Helper(self._help).start()

    def _widest(self) -> int:
        """How many helpers may be at work: as many as any open map allows."""
        return max((mapped.workers for mapped in self._maps), default=0)

    def _busy(self) -> int:
        return self._helpers - sum(rest.depth is not None for rest in self._resting)

    def _rest(self, own: OpenMap[Any, Any] | None, depth: int | None) -> None:
        """Wait for an item of the own map to end, or, where a depth is given, for one to help with."""
        rest = _Rest(depth, threading.Condition(self._lock))
        self._resting.append(rest)
        if own is not None:
            own.opener = rest.woken
            self._call_helper()  # somebody else may begin what this thread may not
        rest.woken.wait(POLL_SECONDS)
        if own is not None:
            own.opener = None
        self._resting = [other for other in self._resting if other is not rest]


POOL = HelperPool()
"""The helpers of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.__init__)  # type: ignore[misc]  # threads don't live on there
