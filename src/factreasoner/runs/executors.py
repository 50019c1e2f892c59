"""Ways to map a function over records."""

from __future__ import annotations

import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from factreasoner.llm.deadline import POLL_SECONDS

T = TypeVar("T")
R = TypeVar("R")


class _Done(Generic[R]):
    """What became of one item."""

    def __init__(self, value: R | None, error: BaseException | None) -> None:
        self.value = value
        self.error = error


class ThreadExecutor:
    """Maps in `workers` threads; items are taken only as fast as they are worked off.

    Results come in order of completion. The first exception of the function is raised to the caller once
    the items already begun have ended or the caller stops waiting; no further item is begun. The threads
    are daemons, so that an interrupted program need not wait for calls in flight.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def map(self, fn: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield fn(item) for every item."""
        if self._workers == 1:
            yield from map(fn, items)
            return
        todo: queue.Queue[T | None] = queue.Queue()
        done: queue.Queue[_Done[R]] = queue.Queue()
        source = iter(items)
        threads = 0
        running = 0
        error: BaseException | None = None
        try:
            while True:
                while error is None and running < self._workers:
                    try:
                        item = next(source)
                    except StopIteration:
                        break
                    if threads < self._workers:
                        _start(fn, todo, done)
                        threads += 1
                    todo.put(item)
                    running += 1
                if not running:
                    break
                result = _next(done)
                running -= 1
                if result.error is not None:
                    error = error or result.error
                else:
                    yield result.value  # type: ignore[misc]
        finally:
            for _ in range(threads):
                todo.put(None)
        if error is not None:
            raise error


def _next(done: queue.Queue[_Done[R]]) -> _Done[R]:
    """The next result; waits in short turns, since a wait without end can swallow an interrupt."""
    while True:
        with contextlib.suppress(queue.Empty):
            return done.get(timeout=POLL_SECONDS)


def _start(fn: Callable[[T], R], todo: queue.Queue[T | None], done: queue.Queue[_Done[R]]) -> None:
    def work() -> None:
        while (item := todo.get()) is not None:
            try:
                done.put(_Done(fn(item), None))
            except BaseException as error:
                done.put(_Done(None, error))

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True, name="factreasoner-record").start()
