"""Runs a pipeline over records into a run folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from factreasoner.errors import BudgetError, ConfigError, InputError, RunError
from factreasoner.llm.parallel import map_as_completed, one_by_one_until
from factreasoner.llm.waiting import told_of_waiting
from factreasoner.models import Assessment, Failure, Record
from factreasoner.pipeline import Pipeline, record_fingerprint
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder

logger = logging.getLogger(__name__)


class Progress(Protocol):
    """Told how a run goes."""

    def started(self, total: int, finished: int) -> None:
        """`finished` of `total` records were assessed by an earlier run."""

    def assessed(self, assessment: Assessment) -> None:
        """One more record is on disk."""

    def waiting(self, seconds: float) -> None:
        """Calls have waited for the model's server for so long; 0: none does any more. From any thread."""


class RunReport(NamedTuple):
    """How a run ended. `summary` is summary.json's content; `stopped` says why it ended early, if it did."""

    summary: dict[str, object]
    total: int
    unfinished: int
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Every record was assessed, with no record and no judgement failed."""
        return not self.unfinished


def run(
    pipeline: Pipeline, folder: RunFolder, ids: Sequence[str], records: Iterable[Record], progress: Progress
) -> RunReport:
    """Assess what the folder does not hold yet; write the results of all `ids`, also when interrupted.

    Finished records are not touched; those that failed, wholly or in part, or whose input changed, are
    assessed anew.

    Raises:
        ConfigError: a key or the model is wrong.
        InputError: a record can't be read any more, or lacks what the configuration needs.
        KeyboardInterrupt: the process is told to stop.

    Whatever is raised, the results of the finished records are written before, and a note on the exception
    says how many there are.
    """
    counts = [folder.entries[i] for i in ids if i in folder.entries]
    progress.started(len(ids), sum(entry.status in ("ok", "no_atoms") for entry in counts))
    workers = pipeline.config.concurrency if pipeline.config.model else 1
    stopped = None
    try:
        with told_of_waiting(progress.waiting), one_by_one_until(lambda: pipeline.settled):
            for assessment in map_as_completed(_assess_with(pipeline), _unfinished(folder, records), workers):
                folder.append(assessment)
                progress.assessed(assessment)
    except BudgetError as error:
        stopped = str(error)
    except BaseException as error:
        # An interrupt may have struck between a line's writing and its indexing.
        folder.read_journal(repair=True)
        score_journal(folder, ids, pipeline.config)
        error.add_note(
            f"{len(folder.entries)} of {len(ids)} records are assessed, and kept in {folder.path}."
        )
        raise
    summary = score_journal(folder, ids, pipeline.config)
    unfinished = sum(
        i not in folder.entries or folder.entries[i].status in ("failed", "partial") for i in ids
    )
    return RunReport(summary, len(ids), unfinished, stopped)


def _unfinished(folder: RunFolder, records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        entry = folder.entries.get(record.id)
        finished = entry is not None and entry.status in ("ok", "no_atoms")
        if entry is None or not finished or entry.fingerprint != record_fingerprint(record):
            yield record


def _assess_with(pipeline: Pipeline) -> Callable[[Record], Assessment]:
    def assess(record: Record) -> Assessment:
        try:
            return pipeline.assess(record)
        except (BudgetError, ConfigError, InputError, RunError):
            raise
        except Exception as error:
            logger.debug("record %s failed", record.id, exc_info=True)
            return Assessment(
                record_id=record.id,
                status="failed",
                assessor=pipeline.config.assessor,
                prompt=record.prompt,
                response=record.response,
                topic=record.topic,
                model=pipeline.config.model,
                failures=(Failure.of("pipeline", record.id, error),),
                fingerprint=record_fingerprint(record),
                metadata=record.metadata,
            )

    return assess
