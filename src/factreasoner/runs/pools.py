"""Workers, and what they make of the records that are handed out to them."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

from factreasoner.errors import BudgetError, ConfigError, InputError, PendingError, RunError
from factreasoner.llm.stack import with_room
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.tasks.task import Task, Worker

R = TypeVar("R", bound=TaskResult)
W = TypeVar("W")
TO_THE_USER = (BudgetError, ConfigError, InputError, RunError)
"""What ends a run; everything else that goes wrong in a record is a failure in its result."""
MOST_FALSE_STARTS = 5
"""Workers in a row that may end before they have begun."""

logger = logging.getLogger(__name__)


class Portion(NamedTuple):
    """What came of records that were handed out together.

    `seconds` is how long they took; `settled` whether it is known now how the model is to be asked; `error`,
    one of TO_THE_USER, is what ended the work on them early.
    """

    lines: tuple[JournalLine, ...] = ()
    seconds: float = 0.0
    settled: bool = True
    error: Exception | None = None


class PortionWorker(Generic[R]):
    """Works on records one after the other by a task's worker, which is made at the first. Thread-safe."""

    def __init__(self, task: Task[R], make: Callable[[], Worker[R]]) -> None:
        self._task = task
        self._make = make
        self._making = threading.Lock()
        self._made: Worker[R] | None = None
        self._over = False

    @with_room
    def work(self, records: Sequence[Record]) -> Portion:
        """What comes of `records`; what is done before an error is kept, and nothing is begun after one.

        A record that waits for a batch has no line yet.
        """
        lines: list[JournalLine] = []
        try:
            with self._making:
                worker = self._made = self._made or self._make()
            started = time.perf_counter()
            for record in () if self._over else records:
                lines.extend(self._line(worker, record))
        except TO_THE_USER as error:
            self._over = True
            return Portion(tuple(lines), error=error)
        return Portion(tuple(lines), time.perf_counter() - started, worker.settled)

    def _line(self, worker: Worker[R], record: Record) -> Iterator[JournalLine]:
        try:
            result = worker.assess(record)
        except TO_THE_USER:
            raise
        except PendingError:
            return
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            result = self._task.failed(record, worker.config, Failure.of("pipeline", record.id, error))
        yield line_of(self._task, result)


class Pool(ABC, Generic[W]):
    """Workers that records are handed out to, made anew where they die.

    `settled`: it is known how the model is asked; until then, records go one by one, in order. Each worker
    has `room` portions at most, of `largest` records at most, so that it need not wait for the driver.
    `deadly`: what a future raises whose worker has died. `least_deaths`: workers that a record must have
    ended while they had nothing else, for it to be the cause. `cannot_begin` is told where `count` workers
    in a row have ended before they had begun, the last by `error`.
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
        """Have a worker begin with `records` once those before are done."""

    def hired(self) -> W | None:
        """One more worker, which begins meanwhile; None where there are enough."""
        return None

    def begun(self, worker: W) -> bool:
        """Whether a worker can be given records. Raises one of `deadly` where it ended before."""
        return True

    def renew(self) -> Sequence[W]:
        """The workers that can be given records now. Others take the place of dead ones, sooner or later."""
        while (worker := self.hired()) is not None:
            self._workers.append(worker)
        return [worker for worker in tuple(self._workers) if self._ready(worker)]

    def _ready(self, worker: W) -> bool:
        try:
            if self.begun(worker):
                self._false_starts = 0
                return True
        except self.deadly as error:
            self.died(worker)
            self._false_starts += 1
            if self._false_starts > MOST_FALSE_STARTS:
                raise RunError(self.cannot_begin.format(count=self._false_starts, error=error)) from None
        return False

    def died(self, worker: W) -> None:
        """Take note that this worker has ended: it gets no more records."""
        self._workers = [other for other in self._workers if other is not worker]
