"""Pools of workers: what a worker makes of records, and workers in processes of this machine."""

from __future__ import annotations

import contextlib
import gc
import logging
import multiprocessing
import multiprocessing.context
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from factreasoner.errors import BudgetError, ConfigError, InputError, PendingError, RunError
from factreasoner.llm.parallel import with_room
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.settings import Config
from factreasoner.tasks.task import Task, Worker, task_named

R = TypeVar("R", bound=TaskResult)
W = TypeVar("W")
TO_THE_USER = (BudgetError, ConfigError, InputError, RunError)
"""Errors that end a run; everything else that goes wrong in a record is a failure in its result."""
MOST_FALSE_STARTS = 5
"""How many workers in a row may end before they have begun."""
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"

logger = logging.getLogger(__name__)


class Portion(NamedTuple):
    """What came of records that were handed out together.

    `seconds` is how long they took; `settled` says whether it is known now how to ask the model; `error`, one
    of TO_THE_USER, ended the work on them early.
    """

    lines: tuple[JournalLine, ...] = ()
    seconds: float = 0.0
    settled: bool = True
    error: Exception | None = None


class PortionWorker(Generic[R]):
    """Works on records one after another with a task's worker, made for the first one. Thread-safe."""

    def __init__(self, task: Task[R], make: Callable[[], Worker[R]]) -> None:
        self._task, self._make = task, make
        self._making = threading.Lock()
        self._made: Worker[R] | None = None
        self._over = False

    @with_room
    def work(self, records: Sequence[Record]) -> Portion:
        """The lines of `records`. After an error nothing is begun; what was done before it is kept.

        A record that waits for a batch has no line yet.
        """
        lines: list[JournalLine] = []
        try:
            with self._making:
                worker = self._made = self._made or self._make()
            started = time.perf_counter()
            for record in () if self._over else records:
                with contextlib.suppress(PendingError):
                    lines.append(line_of(self._task, self._result(worker, record)))
        except TO_THE_USER as error:
            self._over = True
            return Portion(tuple(lines), error=error)
        return Portion(tuple(lines), time.perf_counter() - started, worker.settled)

    def _result(self, worker: Worker[R], record: Record) -> R:
        try:
            return worker.assess(record)
        except (*TO_THE_USER, PendingError):
            raise
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            return self._task.failed(record, worker.config, Failure.of("pipeline", record.id, error))


class Pool(ABC, Generic[W]):
    """Workers that records are handed to; those that die are replaced.

    `settled`: it is known how to ask the model; until then records go one by one, in order. A worker has at
    most `room` portions of at most `largest` records. `deadly`: what a future raises whose worker has died.
    `least_deaths`: how many workers a record must have ended, alone with them, to be given up.
    `cannot_begin`: the message if `count` workers in a row ended before they had begun, the last by `error`.
    """

    settled = True
    room = 2
    largest = 32
    least_deaths = 1
    deadly: tuple[type[BaseException], ...] = ()
    cannot_begin = ""

    def __init__(self, *workers: W) -> None:
        self._workers = list(workers)
        self._false_starts = 0

    @abstractmethod
    def submit(self, worker: W, records: Sequence[Record]) -> Future[Portion]:
        """Have a worker begin with `records` once its earlier ones are done."""

    def hired(self) -> W | None:
        """One more worker, which may not have begun yet; None if there are enough."""
        return None

    def begun(self, worker: W) -> bool:
        """Whether a worker can be given records. Raises one of `deadly` if it has ended."""
        return True

    def renew(self) -> Sequence[W]:
        """The workers that can be given records now; new ones replace the dead."""
        while (new := self.hired()) is not None:
            self._workers.append(new)
        ready = []
        for worker in tuple(self._workers):
            try:
                if self.begun(worker):
                    self._false_starts = 0
                    ready.append(worker)
            except self.deadly as error:
                self.died(worker)
                self._false_starts += 1
                if self._false_starts > MOST_FALSE_STARTS:
                    raise RunError(self.cannot_begin.format(count=self._false_starts, error=error)) from None
        return ready

    def died(self, worker: W) -> None:
        """Note that this worker has ended: it gets no more records."""
        self._workers = [other for other in self._workers if other is not worker]


class _Process:
    """One process with a worker made from the task's name and the settings; `begun` gives its process id."""

    def __init__(self, task: str, config: Config) -> None:
        self.pool = ProcessPoolExecutor(1, _context(), _begin, (task, config))
        self.begun = self.pool.submit(os.getpid)

    def kill(self) -> None:
        """End it at once, in the middle of a record, and free what the system holds for it."""
        if self.begun.done() and self.begun.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.begun.result(), signal.SIGTERM)
            self.pool.shutdown(wait=True, cancel_futures=True)


class Processes(Pool[_Process]):
    """As many processes as the settings say, see `Pool`; they end with the block."""

    deadly = (BrokenProcessPool,)
    cannot_begin = (
        "no process can begin: {count} in a row ended at their start ({error}); either memory is short, or "
        "something they import ends them: try fewer --workers, or --executor threads"
    )

    def __init__(self, task: str, config: Config) -> None:
        super().__init__()
        self._task, self._config = task, config

    def __enter__(self) -> Processes:
        if _context().get_start_method() == "forkserver":
            # A tracker started here frees semaphores without a warning if the driver is killed.
            sys.warnoptions.append(_QUIET)
            multiprocessing.resource_tracker.ensure_running()  # it lets SIGINT through as it starts
            sys.warnoptions.remove(_QUIET)
            # What starts now never gets Ctrl-C, which a terminal sends to all: the driver handles it.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                multiprocessing.forkserver.ensure_running()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._workers:
            process.pool.shutdown(wait=False, cancel_futures=True)
            if error is not None:
                process.kill()
        if error is not None:
            gc.collect()  # else the process may end before their semaphores are given back, and Python warns

    def hired(self) -> _Process | None:
        """See `Pool`."""
        enough = len(self._workers) >= processes_at_once(self._config)
        return None if enough else _Process(self._task, self._config)

    def begun(self, worker: _Process) -> bool:
        """See `Pool`."""
        return worker.begun.done() and worker.begun.result() > 0

    def submit(self, worker: _Process, records: Sequence[Record]) -> Future[Portion]:
        """See `Pool`."""
        try:
            return worker.pool.submit(_work, records)
        except BrokenProcessPool as error:  # it ended while it had nothing to do
            ended: Future[Portion] = Future()
            ended.set_exception(error)
            return ended


def processes_at_once(config: Config) -> int:
    """How many processes work: as the settings say, else one for each core that this process may use."""
    if config.workers is not None:
        return config.workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _context() -> multiprocessing.context.BaseContext:
    """How processes start: they inherit no thread; a fork server, if there is one, imports for all."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["factreasoner.tasks.factuality", "factreasoner.judges.overlap"])
    return context


_here: list[PortionWorker[Any]] = []
"""The worker of this process; empty in the driver."""


def _begin(task: str, config: Config) -> None:
    """Begin in a new process. The driver handles Ctrl-C; the process ends with the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    assert driver is not None, "called in a process of the pool alone"
    threading.Thread(target=_end_after, args=(driver,), daemon=True).start()
    named = task_named(task)
    _here.append(PortionWorker(named, lambda: named.worker(config, Calls())))


def _end_after(driver: BaseProcess) -> NoReturn:
    driver.join()
    os._exit(1)


def _work(records: Sequence[Record]) -> Portion:
    return _here[0].work(records)
