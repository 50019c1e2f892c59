"""Where records are worked on: in threads of this process, or in processes of their own.

Whatever the executor, only the driver writes a run's files, and results are the same to the last bit.
"""

from __future__ import annotations

import functools
import itertools
import logging
import multiprocessing
import multiprocessing.context
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from factreasoner.config import Config
from factreasoner.errors import BudgetError, ConfigError, InputError, RunError
from factreasoner.llm.parallel import map_as_completed, one_by_one_until
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.tasks.registry import task_named
from factreasoner.tasks.task import Calls, Task, Worker

R = TypeVar("R", bound=TaskResult)

logger = logging.getLogger(__name__)

AHEAD = 2
"""Records handed out for each process, so that none waits for the driver."""


def results_of(worker: Worker[R], task: Task[R], records: Iterable[Record]) -> Iterator[R]:
    """The result of each record as it is done, by the executor that the worker's settings name.

    Records are taken only as fast as they are worked off.

    Raises:
        ConfigError, InputError, RunError, BudgetError: what the user must know. Everything else that goes
            wrong in a record is a failure in its result.
    """
    config = worker.config
    if config.executor == "processes":
        yield from _Processes(task, config).results(records)
        return
    at_once = config.concurrency if config.model else 1
    with one_by_one_until(lambda: worker.settled):
        yield from map_as_completed(_guarded(worker, task), records, at_once)


def _guarded(worker: Worker[R], task: Task[R]) -> Callable[[Record], R]:
    def work(record: Record) -> R:
        try:
            return worker.assess(record)
        except (BudgetError, ConfigError, InputError, RunError):
            raise
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            return task.failed(record, worker.config, Failure.of("pipeline", record.id, error))

    return work


class _Processes(Generic[R]):
    """Records in processes that each have their own worker, made from the task's name and the settings.

    When a process dies (killed, out of memory), all of its pool end. Each record that was under way is done
    again, alone in a process: one that ends this too is a failure, the others lose nothing.
    """

    def __init__(self, task: Task[R], config: Config) -> None:
        self._task = task
        self._config = config

    def results(self, records: Iterable[Record]) -> Iterator[R]:
        """The result of each record as it is done."""
        to_come = iter(records)
        lost = yield from self._until_one_dies(to_come, processes_at_once(self._config))
        while lost:
            for record in lost:
                if (yield from self._until_one_dies(iter([record]), 1)):
                    yield self._task.failed(record, self._config, _ended(record))
            lost = yield from self._until_one_dies(to_come, processes_at_once(self._config))

    def _until_one_dies(
        self, records: Iterator[Record], processes: int
    ) -> Generator[R, None, tuple[Record, ...]]:
        """Yield results until there are no more records or a process dies; returns what was lost then."""
        under_way: dict[Future[R], Record] = {}
        taken: Record | None = None
        pool = ProcessPoolExecutor(processes, _context(), _begin, (self._task.name, self._config))
        try:
            while True:
                for taken in itertools.islice(records, AHEAD * processes - len(under_way)):
                    under_way[pool.submit(_work, taken)] = taken
                taken = None
                if not under_way:
                    return ()
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    del under_way[future]
                    yield result
        except BrokenProcessPool:
            lost = [taken] if taken is not None else []
            for future, record in under_way.items():
                if future.done() and future.exception() is None:
                    yield future.result()
                else:
                    lost.append(record)
            return tuple(lost)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def processes_at_once(config: Config) -> int:
    """How many processes work: as the setting says, else one a core that this process may use."""
    if config.workers is not None:
        return config.workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ended(record: Record) -> Failure:
    error = RunError("the process that worked on it ended, alone too: killed, or out of memory")
    return Failure.of("pipeline", record.id, error)


def _context() -> multiprocessing.context.BaseContext:
    """Processes that inherit no thread of this one; a fork server, where there is one, imports for all."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["factreasoner.tasks.factuality", "factreasoner.judges.embedded"])
    return context


class _Own(NamedTuple):
    """What a process of the pool works with."""

    task: Task[Any]
    config: Config


_own: list[_Own] = []
"""In a process of the pool its one; nothing in the driver."""


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


def _work(record: Record) -> Any:  # noqa: ANN401 - the result of the pool's task
    return _worker()(record)


@functools.cache
def _worker() -> Callable[[Record], Any]:
    (own,) = _own
    return _guarded(own.task.worker(own.config, Calls()), own.task)
