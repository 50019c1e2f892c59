"""Records that are worked on together, one after the other, wherever that is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from factreasoner.errors import BudgetError, ConfigError, InputError, PendingError, RunError
from factreasoner.llm.stack import with_room
from factreasoner.models import Failure, Record, TaskResult
from factreasoner.runs.journal import JournalLine, line_of
from factreasoner.tasks.task import Task, Worker

R = TypeVar("R", bound=TaskResult)
TO_THE_USER = (BudgetError, ConfigError, InputError, RunError)
"""What ends a run; everything else that goes wrong in a record is a failure in its result."""

logger = logging.getLogger(__name__)


class Portion(NamedTuple):
    """What came of records that were handed out together.

    `seconds` is how long they took; `settled` whether it is known now how the model is to be asked; `error`,
    one of TO_THE_USER, is what ended the work on them early.
    """

    lines: tuple[JournalLine, ...]
    seconds: float = 0.0
    settled: bool = True
    error: Exception | None = None


def guarded(worker: Worker[R], task: Task[R]) -> Callable[[Record], JournalLine]:
    """Work on one record. Raises what is TO_THE_USER, and PendingError where the record waits for a batch."""

    def work(record: Record) -> JournalLine:
        try:
            result = worker.assess(record)
        except (*TO_THE_USER, PendingError):
            raise
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            result = task.failed(record, worker.config, Failure.of("pipeline", record.id, error))
        return line_of(task, result)

    return work


@with_room
def worked_off(made: Callable[[], Worker[R]], task: Task[R], records: Sequence[Record]) -> Portion:
    """Work on records by the worker that is `made`; what is done before an error is kept."""
    lines: list[JournalLine] = []
    try:
        worker = made()
        started = time.perf_counter()
        lines.extend(map(guarded(worker, task), records))
    except TO_THE_USER as error:
        return Portion(tuple(lines), error=error)
    return Portion(tuple(lines), time.perf_counter() - started, worker.settled)
