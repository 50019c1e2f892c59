"""Hands records to workers: threads of this process, other processes, or a Ray cluster.

Whatever the executor, only the driver writes a run's files, and results are the same to the last bit. The
loop `done` takes records only as workers free up. Each worker has up to `Pool.room` portions, so that it need
not wait for the driver; a portion is as many records as take a tenth of a second.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from factreasoner.errors import RunError
from factreasoner.llm.parallel import POLL_SECONDS, opened_map
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.pipeline.assembly import Calls
from factreasoner.plugins.table import extras_named
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.runs.pools import Pool, Portion, PortionWorker, Processes
from factreasoner.tasks.task import Task, Worker

R = TypeVar("R", bound=TaskResult)
PORTION_SECONDS = 0.1


def lines_of(
    worker: Worker[R], task: Task[R], records: Iterable[Record], calls: Calls
) -> Generator[Sequence[JournalLine]]:
    """The journal's line of each record as it is done, by the executor that the worker's settings name.

    `calls` is for workers elsewhere; the given one has its own. Raises what `done` does.
    """

    def failed(record: Record) -> JournalLine:
        error = RunError("each process that worked on it ended: killed, or out of memory")
        failure = Failure.of("pipeline", record.id, error)
        return line_of(task, task.failed(record, worker.config, failure))

    with _pool(worker, task, calls) as pool:
        yield from done(pool, records, failed)


def _pool(worker: Worker[Any], task: Task[Any], calls: Calls) -> contextlib.AbstractContextManager[Pool[Any]]:
    """The workers that the settings name; they end with the block."""
    config = worker.config
    if config.executor == "threads":
        return _threads(worker, task)
    if config.executor == "processes":
        return Processes(task.name, config)
    with extras_named():
        from factreasoner.runs.ray_cluster import RayCluster
    return RayCluster(task.name, config, calls, settled=worker.settled)


Submit = Callable[[Sequence[Record]], Future[Portion]]


class _Threads(Pool[Submit]):
    """The threads of this process, as one worker."""

    largest = 1

    def submit(self, worker: Submit, records: Sequence[Record]) -> Future[Portion]:
        return worker(records)


@contextlib.contextmanager
def _threads(worker: Worker[R], task: Task[R]) -> Iterator[Pool[Any]]:
    at_once = worker.config.concurrency if worker.config.model else 1
    with opened_map(PortionWorker(task, lambda: worker).work, at_once) as submit:
        pool = _Threads(submit)
        pool.room, pool.settled = at_once, worker.settled
        yield pool


def done(
    pool: Pool[Any], records: Iterable[Record], failed: Callable[[Record], JournalLine]
) -> Iterator[Sequence[JournalLine]]:
    """The lines of records as they are done.

    The records of a worker that dies are done again, each by a worker that has nothing else; no other record
    is affected. `failed` makes the line of one that ended every worker it was alone with.

    Raises:
        ConfigError, InputError, RunError, BudgetError: of a worker, or of `records`, once all that was
            handed out is done.
    """
    loop = _Loop(pool, records, failed)
    while loop.hand_out():
        if lines := [line for future in loop.ended() for line in loop.lines(future)]:
            yield lines
    if loop.error is not None:
        raise loop.error


class _Handed(NamedTuple):
    """Records that one worker has, counted as `load` portions. `alone`: it has nothing else."""

    worker: Any
    records: tuple[Record, ...]
    load: int
    alone: bool


class _Loop:
    """What is handed out, what has to be handed out again, and the first error.

    A step takes the same time however much is under way: each future that ends reports itself.
    """

    def __init__(
        self, pool: Pool[Any], records: Iterable[Record], failed: Callable[[Record], JournalLine]
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
        """Give workers what they have room for; returns whether anything is under way or still to come."""
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
        """The next records; if reading them fails, those before that."""
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
        """What is done by now; waits a little if nothing is, also for workers that can't begin yet."""
        with contextlib.suppress(Empty):
            yield self._ended.get(timeout=POLL_SECONDS)
            while True:
                yield self._ended.get_nowait()

    def lines(self, future: Future[Portion]) -> Iterator[JournalLine]:
        """The lines of a portion; if its worker died, those of records that are given up."""
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
        """Have the records of a worker that died done again, except for one that ends every worker."""
        for record in handed.records:
            self._deaths[record.id] += handed.alone
            if self._deaths[record.id] >= self._pool.least_deaths:
                yield self._failed(record)
            else:
                self._suspects.append(record)
