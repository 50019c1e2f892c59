"""Daemon threads that are used again: for requests, and for items of parallel maps."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable

from factreasoner.llm.stack import with_room

_Task = Callable[[], Callable[[], None]]
_idle: deque[queue.SimpleQueue[_Task]] = deque()


def run_in_thread(task: _Task) -> None:
    """Run `task` on an idle thread or a new one, and what it returns once that thread is idle again.

    A new thread for each request would take litellm 1 to 2 ms, for what it keeps by thread. An interpreter
    that exits waits for none of them.
    """
    try:
        tasks = _idle.pop()
    except IndexError:
        tasks = queue.SimpleQueue()
        threading.Thread(target=_work, args=(tasks,), name="factreasoner-worker", daemon=True).start()
    tasks.put(task)


@with_room
def _work(tasks: queue.SimpleQueue[_Task]) -> None:
    while True:
        tell = tasks.get()()
        _idle.append(tasks)
        tell()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads don't live on in a child process
