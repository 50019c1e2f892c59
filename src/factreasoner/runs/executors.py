"""Hand records to workers: threads, processes, or a Ray cluster.

Only the driver writes a run's files, and results do not depend on the executor. `finished_lines` takes
records only as workers become free. Each worker has up to `WorkerPool.room` portions, to keep it busy; a
portion holds records for a tenth of a second.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

from factreasoner.calls.threads import POLL_SECONDS, open_map, with_stack_room
from factreasoner.errors import BudgetError, ConfigError, InputError, PendingError, RunError
from factreasoner.models import Failure, Record, Result
from factreasoner.models.journal import JournalLine
from factreasoner.tasks.task import RecordWorker, Task, line_of

R = TypeVar("R", bound=Result)
W = TypeVar("W")
TO_THE_USER = (BudgetError, ConfigError, InputError, RunError)
"""Errors that end a run; all others are failures of their record."""
MOST_FALSE_STARTS = 5
"""Maximum consecutive workers that may die before they begin."""
PORTION_SECONDS = 0.1

logger = logging.getLogger(__name__)


class Portion(NamedTuple):
    """The results of a portion of records.

    `seconds` is its duration; `settled`: it is now known how to call the model; `error`, one of TO_THE_USER,
    ended it early.
    """

    lines: tuple[JournalLine, ...] = ()
    seconds: float = 0.0
    settled: bool = True
    error: Exception | None = None


class PortionWorker(Generic[R]):
    """Processes records in turn with a task's worker, made for the first one. Thread-safe."""

    def __init__(self, task: Task[R], make: Callable[[], RecordWorker[R]]) -> None:
        self._task, self._make = task, make
        self._making = threading.Lock()
        self._made: RecordWorker[R] | None = None
        self._over = False

    @with_stack_room
    def work(self, records: Sequence[Record]) -> Portion:
        """The lines of `records`. After an error no record begins; earlier lines are kept.

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

    def _result(self, worker: RecordWorker[R], record: Record) -> R:
        try:
            return worker.assess(record)
        except (*TO_THE_USER, PendingError):
            raise
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            return self._task.failed(record, worker.config, Failure.of("pipeline", record.id, error))


class WorkerPool(ABC, Generic[W]):
    """A pool of workers; dead ones are replaced.

    `settled`: it is known how to call the model; until then records go one by one, in order. A worker has at
    most `room` portions of at most `largest` records. `deadly`: exceptions of a dead worker's futures.
    `least_deaths`: how many workers a record must kill, alone with them, before it fails. `cannot_begin`: the
    message if `count` consecutive workers died before they began, the last with `error`.
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
        """Queue `records` for a worker."""

    def hired(self) -> W | None:
        """Another worker, which may not have begun; None if there are enough."""
        return None

    def begun(self, worker: W) -> bool:
        """Whether a worker is ready. Raises one of `deadly` if it died."""
        return True

    def renew(self) -> Sequence[W]:
        """The workers that are ready; new ones replace the dead."""
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
        """Record that this worker died: it gets no more records."""
        self._workers = [other for other in self._workers if other is not worker]


Submit = Callable[[Sequence[Record]], Future[Portion]]


class _ThreadWorkers(WorkerPool[Submit]):
    """This process's threads, as one worker."""

    largest = 1

    def submit(self, worker: Submit, records: Sequence[Record]) -> Future[Portion]:
        return worker(records)


@contextlib.contextmanager
def threads(worker: RecordWorker[R], task: Task[R]) -> Iterator[WorkerPool[Any]]:
    """Threads that share one worker, until the block ends."""
    at_once = worker.config.concurrency if worker.config.first_model else 1
    with open_map(PortionWorker(task, lambda: worker).work, at_once) as submit:
        pool = _ThreadWorkers(submit)
        pool.room, pool.settled = at_once, worker.settled
        yield pool


def finished_lines(
    pool: WorkerPool[Any], records: Iterable[Record], failed: Callable[[Record], JournalLine]
) -> Iterator[Sequence[JournalLine]]:
    """The lines of records as they finish.

    Records of a dead worker are repeated, each by a worker that has nothing else. `failed` makes the line of
    a record that killed every worker it was alone with.

    Raises ConfigError, InputError, RunError, BudgetError: of a worker, or of `records`, once all started
    records are done.
    """
    loop = _Loop(pool, records, failed)
    while loop.hand_out():
        if lines := [line for future in loop.ended() for line in loop.lines(future)]:
            yield lines
    if loop.error is not None:
        raise loop.error


class _Handed(NamedTuple):
    """Records of one worker, counted as `load` portions. `alone`: the worker has nothing else."""

    worker: Any
    records: tuple[Record, ...]
    load: int
    alone: bool


class _Loop:
    """Records in progress, records to repeat, and the first error."""

    def __init__(
        self, pool: WorkerPool[Any], records: Iterable[Record], failed: Callable[[Record], JournalLine]
    ) -> None:
        self.error: Exception | None = None
        self._pool = pool
        self._to_come = iter(records)
        self._more = True
        self._failed = failed
        self._size = 1
        self._handed: dict[Future[Portion], _Handed] = {}
        self._load: Counter[int] = Counter()
        self._ended: SimpleQueue[Future[Portion]] = SimpleQueue()
        self._suspects: deque[Record] = deque()
        self._deaths: Counter[str] = Counter()

    def hand_out(self) -> bool:
        """Fill the workers; returns whether anything is in progress or left."""
        try:
            for worker in () if self.error else self._pool.renew():
                while self._has_room(worker):
                    if self._suspects:
                        self._submit(_Handed(worker, (self._suspects.popleft(),), self._pool.room, True))
                    elif some := self._portion():
                        self._submit(_Handed(worker, some, 1, False))
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self.error = self.error or error
        return bool(self._handed) or self._unended

    @property
    def _unended(self) -> bool:
        """Whether there may be records that no worker has."""
        return self.error is None and bool(self._more or self._suspects)

    def _has_room(self, worker: object) -> bool:
        """Whether a worker gets another portion now."""
        if not self._unended or (self._handed and not self._pool.settled):
            return False
        return self._load[id(worker)] < (1 if self._suspects else self._pool.room)

    def _portion(self) -> tuple[Record, ...]:
        """The next records; if reading fails, those before the failure."""
        size = self._size if self._pool.settled else 1
        taken: list[Record] = []
        try:
            for record in itertools.islice(self._to_come, size):
                taken.append(record)
            self._more = len(taken) == size
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self.error = error
        return tuple(taken)

    def _submit(self, handed: _Handed) -> None:
        future = self._pool.submit(handed.worker, handed.records)
        self._handed[future] = handed
        self._load[id(handed.worker)] += handed.load
        future.add_done_callback(self._ended.put)

    def ended(self) -> Iterator[Future[Portion]]:
        """Futures of finished portions; waits briefly if there are none."""
        with contextlib.suppress(Empty):
            yield self._ended.get(timeout=POLL_SECONDS)
            while True:
                yield self._ended.get_nowait()

    def lines(self, future: Future[Portion]) -> Iterator[JournalLine]:
        """The lines of a portion; if its worker died, those of records that failed for it."""
        handed = self._handed.pop(future)
        self._load[id(handed.worker)] -= handed.load
        try:
            portion = future.result()
        except self._pool.deadly:
            self._pool.died(handed.worker)
            yield from self._suspected(handed)
            return
        self._pool.settled = self._pool.settled or portion.settled
        self.error = self.error or portion.error
        if portion.lines:
            fitting = int(PORTION_SECONDS * len(portion.lines) / max(portion.seconds, 1e-6))
            self._size = max(1, min(fitting, 2 * self._size, self._pool.largest))
        yield from portion.lines

    def _suspected(self, handed: _Handed) -> Iterator[JournalLine]:
        """Repeat the records of a dead worker, except one that kills every worker."""
        for record in handed.records:
            self._deaths[record.id] += handed.alone
            if self._deaths[record.id] >= self._pool.least_deaths:
                yield self._failed(record)
            else:
                self._suspects.append(record)
