"""Running a function over items in threads: one pool for the process, shared by maps inside maps.

Records are mapped, and within each its stages, and within those its batches and votes. However deep they
nest, all these maps share helper threads: as many at work as the widest map allows (`concurrency` in a run),
and never more than twice as many with those that wait for others.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from factreasoner.errors import PendingError
from factreasoner.llm.helper_pool import POOL

T = TypeVar("T")
R = TypeVar("R")

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
    with POOL.opened(fn, workers, _settled.get()) as mapped:
        mapped.todo = todo
        POOL.work_off(mapped)
    if mapped.error is not None:
        raise mapped.error
    results = dict(mapped.done)
    return [results[index] for index in range(count)]


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


def map_as_completed(fn: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Yield `fn(item)` for every item as it is done, with at most `workers` items under way at once.

    Items are taken from `items` only as fast as they are worked off, by the caller's thread, which does
    nothing else but wait where no other map is open around this one. The first exception of `fn`
    is raised once the items already begun have ended and their results are yielded; no further item is
    begun. One of `items` is raised once everything taken before is done. For the rest see `parallel_map`.

    Raises:
        BaseException: the first one that `fn` or `items` raised.
    """
    if workers <= 1:
        yield from map(fn, items)
        return
    numbered = enumerate(items)
    error: Exception | None = None
    with POOL.opened(fn, workers, _settled.get()) as mapped:
        while True:
            try:
                while not (error or mapped.error) and POOL.outstanding(mapped) < workers:
                    POOL.add(mapped, next(numbered))
            except StopIteration:
                pass
            except Exception as raised:  # noqa: BLE001 - raised below, when what is under way is done
                error = raised
            results = POOL.results(mapped)
            if not results:
                break
            yield from results
    if failure := mapped.error or error:
        raise failure


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
