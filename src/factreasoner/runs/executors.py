"""Where records are worked on: in threads of this process, in processes of their own, or on a Ray cluster.

Whatever the executor, only the driver writes a run's files, and results are the same to the last bit. One
loop hands records out, `done`. It takes them only as workers free up: each has `Pool.room` portions, so that
it need not wait for the driver. A portion is as many records as take a tenth of a second, since handing out
takes time too.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple, TypeVar

from factreasoner.errors import RunError
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.llm.parallel import opened_map
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.plugins.table import extras_named
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.runs.pools import Pool, Portion, PortionWorker
from factreasoner.runs.processes import Processes
from factreasoner.tasks.task import Calls, Task, Worker

R = TypeVar("R", bound=TaskResult)
PORTION_SECONDS = 0.1


def lines_of(
    worker: Worker[R], task: Task[R], records: Iterable[Record], calls: Calls
) -> Generator[Sequence[JournalLine]]:
    """The journal's line of each record as it is done, by the executor that the worker's settings name.

    `calls` says how workers elsewhere are paid for; the worker that is given knows already. For the rest see
    `done`.
    """

    def failed(record: Record) -> JournalLine:
        error = RunError("the process that worked on it ended, alone too: killed, or out of memory")
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

    def __init__(self, submit: Submit, room: int, *, settled: bool) -> None:
        super().__init__(submit)
        self.room = room
        self.settled = settled

    def submit(self, worker: Submit, records: Sequence[Record]) -> Future[Portion]:
        return worker(records)


@contextlib.contextmanager
def _threads(worker: Worker[R], task: Task[R]) -> Iterator[Pool[Any]]:
    at_once = worker.config.concurrency if worker.config.model else 1
    with opened_map(PortionWorker(task, lambda: worker).work, at_once) as submit:
        yield _Threads(submit, at_once, settled=worker.settled)


def done(
    pool: Pool[Any], records: Iterable[Record], failed: Callable[[Record], JournalLine]
) -> Iterator[Sequence[JournalLine]]:
    """The lines of records as they are done, those that come together together.

    The records of a worker that dies are done again, each by a worker that has nothing else, and all others
    lose nothing. `failed` makes the line of one that ended every worker it was alone with.

    Raises:
        ConfigError, InputError, RunError, BudgetError: of a worker, or of `records`, once all that was
            handed out is done.
    """
    loop = _Loop(pool, records, failed)
    while loop.hand_out():
        if lines := loop.taken_in():
            yield lines
    if loop.error is not None:
        raise loop.error


class _Handed(NamedTuple):
    """Records that one worker has. `alone`: it has nothing else."""

    worker: Any
    records: tuple[Record, ...]
    alone: bool


class _Loop:
    """What is handed out, what is to be handed out again, and the first error."""

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
        self._suspects: deque[Record] = deque()
        self._deaths: Counter[str] = Counter()

    def hand_out(self) -> bool:
        """Give workers what they have room for; whether anything is under way, or still to be."""
        load: Counter[int] = Counter()
        for handed in self._handed.values():
            load[id(handed.worker)] += self._pool.room if handed.alone else 1
        try:
            for worker in () if self.error else self._pool.renew():
                while self._unended and self._has_room(load[id(worker)]):
                    alone = bool(self._suspects)
                    some = (self._suspects.popleft(),) if alone else self._portion()
                    if some:
                        self._handed[self._pool.submit(worker, some)] = _Handed(worker, some, alone)
                        load[id(worker)] += self._pool.room if alone else 1
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self.error = self.error or error
        return bool(self._handed or self._unended)

    @property
    def _unended(self) -> bool:
        """Whether there may be records that nobody has."""
        return self.error is None and bool(self._more or self._suspects)

    def _has_room(self, load: int) -> bool:
        """Whether a worker with so many portions gets another one."""
        if not self._pool.settled:
            return not self._handed
        return load < (1 if self._suspects else self._pool.room)

    def _portion(self) -> tuple[Record, ...]:
        """Records to come; where they fail, those that came before that."""
        size = self._size if self._pool.settled else 1
        taken: list[Record] = []
        try:
            for record in itertools.islice(self._to_come, size):
                taken.append(record)
            self._more = len(taken) == size
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self.error = error
        return tuple(taken)

    def taken_in(self) -> list[JournalLine]:
        """The lines of what is done, in the order in which it was handed out, once there is something."""
        if not self._handed:
            time.sleep(POLL_SECONDS)  # until a worker can begin
        if not any(future.done() for future in self._handed):
            wait(self._handed, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        ended = [future for future in self._handed if future.done()]
        return [line for future in ended for line in self._lines(future)]

    def _lines(self, future: Future[Portion]) -> Iterator[JournalLine]:
        handed = self._handed.pop(future)
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
        """Have the records of a worker that died done again, but for one that ends them all."""
        for record in handed.records:
            self._deaths[record.id] += handed.alone
            if self._deaths[record.id] >= self._pool.least_deaths:
                yield self._failed(record)
            else:
                self._suspects.append(record)
