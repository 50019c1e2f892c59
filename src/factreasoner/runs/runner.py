"""Runs a task's worker over records into a run folder."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from factreasoner.errors import BudgetError, RunError
from factreasoner.llm.breaker import told_of_waiting
from factreasoner.llm.client import check_keys
from factreasoner.models import Record, TaskResult, record_fingerprint
from factreasoner.pipeline.assembly import NO_CALLS, Calls
from factreasoner.plugins.kinds import named
from factreasoner.runs.executors import lines_of
from factreasoner.runs.fingerprints import file_fingerprints, prompt_fingerprints
from factreasoner.runs.journal import JournalLine
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.task import Worker

R = TypeVar("R", bound=TaskResult)
WRITTEN_AT_ONCE = 1000
"""Records of which results and summary are written in about a second."""


class Progress(Protocol):
    """What the runner tells of a run while it goes on; `cli/progress.py` shows it."""

    def started(self, total: int, finished: int) -> None:
        """`finished` of `total` records were assessed by an earlier run."""

    def assessed(self, line: JournalLine) -> None:
        """One more record is on disk."""

    def waiting(self, seconds: float, server: str) -> None:
        """Calls have waited for that server of models for so long; 0: none does any more. From any thread."""


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


@contextlib.contextmanager
def opened(folder: RunFolder[Any], config: Config, given: Calls = NO_CALLS, *, fresh: bool) -> Iterator[None]:
    """Open a folder for a run under `config`; `given` are a model and parts of the caller's own.

    Raises what `RunFolder.start` does, and, before anything is written or deleted, ConfigError where a new
    run lacks a key, and what keeps a worker from being made.
    """
    task = folder.task
    if config.model and given.llm is None and config.batch == "none" and (fresh or not folder.path.exists()):
        check_keys(config)
    if fresh:
        task.worker(config.model_copy(update={"batch": "none"}), given)
    described = config.model_copy(update={kind: named(part) for kind, part in given.parts.items()})
    prompts, files = prompt_fingerprints(task, described), file_fingerprints(config)
    folder.start(described, prompts, files=files, fresh=fresh)
    try:
        yield
    finally:
        folder.close()


def run(
    worker: Worker[R], folder: RunFolder[R], ids: Sequence[str], records: Iterable[Record], progress: Progress
) -> RunReport:
    """Put to `worker` what the folder does not hold yet; write the results of all `ids`.

    Finished records are not touched; those that failed, wholly or in part, or whose input changed, are
    assessed anew. One whose posteriors have not converged is finished: the same solver would do no better.

    Raises:
        ConfigError: a key or the model is wrong.
        RunError: atoms would be made with another parser than those that the folder holds.
        InputError: a record can't be read any more, or lacks what the configuration needs.
        KeyboardInterrupt: the process is told to stop.

    Whatever is raised, the finished records are in the journal before, and a note on the exception says how
    many there are. Results and summary are written before where that is a moment's work, of
    `WRITTEN_AT_ONCE` records at most; those of more stay as they are until the run comes to its end.
    """
    progress.started(len(ids), sum(not folder.entries[i].to_repeat for i in ids if i in folder.entries))
    try:
        stopped = _worked_off(worker, folder, records, progress)
    except BaseException as error:
        # An interrupt may have struck between a line's writing and its indexing.
        folder.mend_journal()
        written = False
        if len(folder.entries) <= WRITTEN_AT_ONCE and not isinstance(error, MemoryError):
            with contextlib.suppress(RunError):  # a full disk is told by what came first
                score_journal(folder, ids, worker.config)
                written = True
        error.add_note(_kept(folder, len(ids), written=written))
        raise
    try:
        summary = score_journal(folder, ids, worker.config)
    except BaseException as error:
        error.add_note(_kept(folder, len(ids), written=False))
        raise
    unfinished = sum(
        i not in folder.entries or folder.entries[i].status in ("failed", "partial") for i in ids
    )
    return RunReport(summary, len(ids), unfinished, stopped)


def _worked_off(
    worker: Worker[R], folder: RunFolder[R], records: Iterable[Record], progress: Progress
) -> str | None:
    """Write the lines of what is unfinished as they come; why that stopped early, None where it did not."""
    unfinished = _unfinished(folder, records, worker.config)
    made = lines_of(worker, folder.task, unfinished, folder.calls(worker.config))
    try:
        with told_of_waiting(progress.waiting), contextlib.closing(made):  # workers end when the run does
            for lines in made:
                folder.write(lines)
                for line in lines:
                    progress.assessed(line)
    except BudgetError as error:
        return str(error)
    return None


def _kept(folder: RunFolder[Any], total: int, *, written: bool) -> str:
    """What is there of a run that did not come to its end."""
    kept = f"{len(folder.entries)} of {total} records are assessed, and kept in {folder.path}"
    if written or not folder.entries:
        return f"{kept}."
    export = shlex.join(["factreasoner", "export", str(folder.path), "--table", "records"])
    return (
        f"{kept}; results.jsonl and summary.json are written when the run comes to its end, and until then "
        f"`{export}` writes the scores of these."
    )


def _unfinished(folder: RunFolder[Any], records: Iterable[Record], config: Config) -> Iterator[Record]:
    """The records that are to be worked on; RunError where atoms would be made otherwise than those there."""
    settled = False
    for record in records:
        entry = folder.entries.get(record.id)
        if entry is None or entry.fingerprint != record_fingerprint(record):
            if not settled and folder.task.makes_claims(record, config):
                folder.manifest.settle_parser(config)
                settled = True
            yield record
