"""Workers in processes on this machine."""

from __future__ import annotations

import functools
import multiprocessing
import multiprocessing.context
import os
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, NamedTuple, NoReturn

from factreasoner.config import Config
from factreasoner.models import Record
from factreasoner.runs.dispatch import Hand
from factreasoner.runs.portions import Portion, worked_off
from factreasoner.tasks.registry import task_named
from factreasoner.tasks.task import Calls, Task, Worker


class _Process:
    """One process, with a worker made from the task's name and the settings."""

    def __init__(self, task: str, config: Config) -> None:
        self._pool = ProcessPoolExecutor(1, _context(), _begin, (task, config))

    def work(self, records: Sequence[Record]) -> Future[Portion]:
        """See `Hand`."""
        try:
            return self._pool.submit(_work, records)
        except BrokenProcessPool as error:  # it ended while it had nothing to do
            told: Future[Portion] = Future()
            told.set_exception(error)
            return told

    def end(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Processes:
    """As many processes as the settings say, see `Crew`; they end with the block."""

    ahead = 2
    largest = 32
    least_deaths = 1
    deadly: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, task: str, config: Config) -> None:
        self._task = task
        self._config = config
        self._hands: list[_Process] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in self._hands:
            hand.end()

    def hands(self) -> Sequence[Hand]:
        """See `Crew`."""
        while len(self._hands) < processes_at_once(self._config):
            self._hands.append(_Process(self._task, self._config))
        return self._hands

    def dead(self, hand: Hand) -> None:
        """See `Crew`."""
        self._hands = [other for other in self._hands if other is not hand]


def processes_at_once(config: Config) -> int:
    """How many processes work: as the setting says, else one a core that this process may use."""
    if config.workers is not None:
        return config.workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _context() -> multiprocessing.context.BaseContext:
    """Processes that inherit no thread of this one; a fork server, where there is one, imports for all."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["factreasoner.tasks.factuality", "factreasoner.judges.embedded"])
    return context


class _Own(NamedTuple):
    """What a process works with."""

    task: Task[Any]
    config: Config


_own: list[_Own] = []
"""What this process works with, as one item; empty in the driver."""


def _begin(task: str, config: Config) -> None:
    """Take up work in a new process. Ctrl-C is the driver's to handle; without a driver there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    assert driver is not None, "called in a process of the pool alone"
    threading.Thread(target=_end_after, args=(driver,), daemon=True).start()
    _own.append(_Own(task_named(task), config))


def _end_after(driver: BaseProcess) -> NoReturn:
    driver.join()
    os._exit(1)


def _work(records: Sequence[Record]) -> Portion:
    return worked_off(_worker, _own[0].task, records)


@functools.cache
def _worker() -> Worker[Any]:
    (own,) = _own
    return own.task.worker(own.config, Calls())
