"""Running a function over items in threads."""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from factreasoner.llm.deadline import POLL_SECONDS

T = TypeVar("T")
R = TypeVar("R")


def parallel_map(fn: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    """`[fn(item) for item in items]` with at most `workers` items under way at once.

    Each item runs in a copy of the caller's context, so that usage is counted for the caller's stage. After
    the first exception no further item is started; it is raised once those under way have ended, as their
    model calls are paid for and belong in the cache. Ctrl-C waits for nothing. Threads are daemons: an
    interpreter that exits does not wait for them either.

    Raises:
        BaseException: the first one that `fn` raised.
    """
    tasks = deque(enumerate(items))
    if workers <= 1 or len(tasks) <= 1:
        return [fn(item) for _, item in tasks]
    contexts = [contextvars.copy_context() for _ in tasks]
    results: dict[int, R] = {}
    errors: list[BaseException] = []
    changed = threading.Condition()
    under_way = 0

    def take() -> tuple[int, T] | None:
        nonlocal under_way
        with changed:
            if errors or not tasks:
                return None
            under_way += 1
            return tasks.popleft()

    def work() -> None:
        nonlocal under_way
        while (task := take()) is not None:
            index, item = task
            error: BaseException | None = None
            try:
                results[index] = contexts[index].run(fn, item)
            except BaseException as raised:
                error = raised
            with changed:
                under_way -= 1
                if error is not None:
                    errors.append(error)
                changed.notify_all()

    threads = min(workers, len(tasks))
    for number in range(threads):
        threading.Thread(target=work, name=f"factreasoner-worker-{number}", daemon=True).start()
    with changed:
        try:
            while under_way or (tasks and not errors):
                if errors and not isinstance(errors[0], Exception):
                    break
                changed.wait(POLL_SECONDS)
        except BaseException:
            tasks.clear()
            raise
    if errors:
        raise errors[0]
    return [results[index] for index in range(len(contexts))]
