"""Worker processes on this machine."""

from __future__ import annotations

import contextlib
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
from pathlib import Path
from typing import Any, NoReturn

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.runs.executors import Portion, PortionWorker, WorkerPool
from factreasoner.tasks.task import task_named

_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"


class _WorkerProcess:
    """One process with a worker for the task and settings; `begun` gives its process id."""

    def __init__(self, task: str, config: Config) -> None:
        self.pool = ProcessPoolExecutor(1, _context(), _begin, (task, config))
        self.begun = self.pool.submit(os.getpid)

    def kill(self) -> None:
        """Kill it at once, and free its resources."""
        if self.begun.done() and self.begun.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.begun.result(), signal.SIGTERM)
            self.pool.shutdown(wait=True, cancel_futures=True)


class Processes(WorkerPool[_WorkerProcess]):
    """As many processes as configured, see `WorkerPool`, until the block ends."""

    deadly = (BrokenProcessPool,)
    cannot_begin = (
        "no process can start: {count} in a row ended at their start ({error}); memory is short, a "
        "script has no main guard, or an import ends them: try fewer `workers`, or `executor='threads'`"
    )

    def __init__(self, task: str, config: Config) -> None:
        super().__init__()
        self._task, self._config = task, config

    def __enter__(self) -> Processes:
        _refuse_unguarded_script()
        if _context().get_start_method() == "forkserver":
            # A tracker started here frees semaphores without a warning if the driver is killed.
            sys.warnoptions.append(_QUIET)
            with without_interrupts():
                sys.warnoptions.remove(_QUIET)
                multiprocessing.forkserver.ensure_running()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for process in self._workers:
            process.pool.shutdown(wait=False, cancel_futures=True)
            if error is not None:
                process.kill()
        if error is not None:
            gc.collect()  # else the process may end before their semaphores are given back, and Python warns

    def hired(self) -> _WorkerProcess | None:
        """See `WorkerPool`."""
        enough = len(self._workers) >= processes_at_once(self._config)
        return None if enough else _WorkerProcess(self._task, self._config)

    def begun(self, worker: _WorkerProcess) -> bool:
        """See `WorkerPool`."""
        return worker.begun.done() and worker.begun.result() > 0

    def submit(self, worker: _WorkerProcess, records: Sequence[Record]) -> Future[Portion]:
        """See `WorkerPool`."""
        try:
            return worker.pool.submit(_work, records)
        except BrokenProcessPool as error:  # it ended while it had nothing to do
            ended: Future[Portion] = Future()
            ended.set_exception(error)
            return ended


def _refuse_unguarded_script() -> None:
    """Raise ConfigError if this process runs a script without `if __name__ == "__main__":`."""
    main = sys.modules["__main__"]
    file, named = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if not file or (named and named.name.endswith("__main__")):
        return  # no process imports it
    with contextlib.suppress(OSError):
        if b"__main__" not in Path(file).read_bytes():
            remedy = 'put what it runs under `if __name__ == "__main__":`'
            raise ConfigError(
                f"executor: each process imports {file}, which starts processes again; {remedy}"
            )


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes inside without Ctrl-C, which this process handles."""
    multiprocessing.resource_tracker.ensure_running()  # it lets SIGINT through as it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def processes_at_once(config: Config) -> int:
    """The number of processes: as configured, else one per usable core."""
    if config.workers is not None:
        return config.workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _context() -> multiprocessing.context.BaseContext:
    """The start method: no thread is inherited; a fork server, if any, imports for all."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["factreasoner.tasks.factuality", "factreasoner.judges.encoder.judge"])
    return context


_here: list[PortionWorker[Any]] = []
"""This process's worker; empty in the driver."""


def _begin(task: str, config: Config) -> None:
    """Initialise a new process. The driver handles Ctrl-C; the process ends with the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    assert driver is not None, "called in a process of the pool alone"
    threading.Thread(target=_end_after, args=(driver,), daemon=True).start()
    _here.append(worker_alone(task, config))


def worker_alone(task: str, config: Config) -> PortionWorker[Any]:
    """The worker of a process that shares its machine, with a single-threaded network."""
    named = task_named(task)
    use_one_thread()
    return PortionWorker(named, lambda: named.worker(config, Calls()))


def _end_after(driver: BaseProcess) -> NoReturn:
    driver.join()
    os._exit(1)


def _work(records: Sequence[Record]) -> Portion:
    return _here[0].work(records)
