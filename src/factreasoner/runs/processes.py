"""Workers in processes on this machine."""

from __future__ import annotations

import contextlib
import functools
import gc
import multiprocessing
import multiprocessing.context
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, NamedTuple, NoReturn

from factreasoner.errors import RunError
from factreasoner.models import Record
from factreasoner.runs.dispatch import Hand
from factreasoner.runs.portions import Portion, worked_off
from factreasoner.settings import Config
from factreasoner.tasks.registry import task_named
from factreasoner.tasks.task import Calls, Task, Worker

MOST_FALSE_STARTS = 5
"""Processes in a row that may end before they can work."""


class _Process:
    """One process, with a worker made from the task's name and the settings; `begun` gives its number."""

    def __init__(self, task: str, config: Config) -> None:
        self._pool = ProcessPoolExecutor(1, _context(), _begin, (task, config))
        self.begun = self._pool.submit(os.getpid)

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

    def kill(self) -> None:
        """End at once, in the middle of a record; what the system holds for it is given back."""
        if self.begun.done() and self.begun.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.begun.result(), signal.SIGTERM)
            self._pool.shutdown(wait=True, cancel_futures=True)


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
        self._false_starts = 0

    def __enter__(self) -> Processes:
        if _context().get_start_method() == "forkserver":
            with _quiet_tracker():
                multiprocessing.resource_tracker.ensure_running()  # it lets SIGINT through as it starts
            with _sigint_blocked():
                multiprocessing.forkserver.ensure_running()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in self._hands:
            hand.end()
            if error is not None:
                hand.kill()
        if error is not None:
            gc.collect()  # else the process may end before their semaphores are given back, and Python warns

    def hands(self) -> Sequence[Hand]:
        """See `Crew`.

        Raises:
            RunError: one process after the other ends before it can work.
        """
        while len(self._hands) < processes_at_once(self._config):
            self._hands.append(_Process(self._task, self._config))
        return [hand for hand in tuple(self._hands) if self._has_begun(hand)]

    def _has_begun(self, hand: _Process) -> bool:
        if not hand.begun.done():
            return False
        error = hand.begun.exception()
        if error is None:
            self._false_starts = 0
            return True
        self.dead(hand)
        self._false_starts += 1
        if self._false_starts > MOST_FALSE_STARTS:
            raise RunError(
                f"no process can begin: {self._false_starts} in a row ended at their start ({error}); "
                "memory is short, or what they import ends them: try fewer --workers, or --executor threads"
            )
        return False

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
    context.set_forkserver_preload(["factreasoner.tasks.factuality", "factreasoner.judges.overlap"])
    return context


@contextlib.contextmanager
def _quiet_tracker() -> Iterator[None]:
    """The tracker started here gives semaphores back without a warning where the driver ended at once."""
    ignored = "ignore::UserWarning:multiprocessing.resource_tracker"
    sys.warnoptions.append(ignored)
    try:
        yield
    finally:
        sys.warnoptions.remove(ignored)


@contextlib.contextmanager
def _sigint_blocked() -> Iterator[None]:
    """What is started here never hears of Ctrl-C, which terminals send to all: it is for the driver alone."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
