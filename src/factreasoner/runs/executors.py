"""Where records are worked on: in threads of this process, in processes of their own, or on a Ray cluster.

Whatever the executor, only the driver writes a run's files, and results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from factreasoner.errors import PendingError, RunError
from factreasoner.llm.parallel import map_as_completed, one_by_one_until
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.plugins.table import extras_named
from factreasoner.runs.dispatch import Dispatcher
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.runs.portions import guarded
from factreasoner.runs.processes import Processes
from factreasoner.settings import Config
from factreasoner.tasks.task import Calls, Task, Worker

if TYPE_CHECKING:
    from factreasoner.runs.ray_cluster import RayCluster

R = TypeVar("R", bound=TaskResult)


def lines_of(
    worker: Worker[R], task: Task[R], records: Iterable[Record], calls: Calls
) -> Generator[Sequence[JournalLine]]:
    """The journal's line of each record as it is done, by the executor that the worker's settings name.

    `calls` says how workers elsewhere are paid for; the worker that is given knows already. Records are taken
    only as fast as they are worked off. Lines that are ready together come together. A record that waits for
    a batch has none yet.

    Raises:
        ConfigError, InputError, RunError, BudgetError: what the user must know. Everything else that goes
            wrong in a record is a failure in its result.
    """
    config = worker.config
    if config.executor == "processes":
        with Processes(task.name, config) as processes:
            yield from Dispatcher(processes, lambda record: _ended(record, task, config)).lines(records)
        return
    if config.executor == "ray":
        with _cluster(task, config, calls) as cluster:
            dispatcher = Dispatcher(
                cluster, lambda record: _ended(record, task, config), settled=worker.settled
            )
            yield from dispatcher.lines(records)
        return
    at_once = config.concurrency if config.model else 1
    with one_by_one_until(lambda: worker.settled):
        yield from filter(None, map_as_completed(_lines_by(guarded(worker, task)), records, at_once))


def _lines_by(work: Callable[[Record], JournalLine]) -> Callable[[Record], tuple[JournalLine, ...]]:
    """The line that `work` makes of a record, none where it waits for a batch."""

    def lines(record: Record) -> tuple[JournalLine, ...]:
        try:
            return (work(record),)
        except PendingError:
            return ()

    return lines


def _cluster(task: Task[Any], config: Config, calls: Calls) -> RayCluster:
    with extras_named():
        from factreasoner.runs.ray_cluster import RayCluster
    return RayCluster(task.name, config, calls)


def _ended(record: Record, task: Task[R], config: Config) -> JournalLine:
    """The line of a record that ends the processes it is in."""
    error = RunError("the process that worked on it ended, alone too: killed, or out of memory")
    return line_of(task, task.failed(record, config, Failure.of("pipeline", record.id, error)))
