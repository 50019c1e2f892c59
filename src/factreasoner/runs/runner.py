"""Runs a task's worker over records into a run folder: at once, or in rounds of batches."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, TypeVar

from factreasoner.errors import BudgetError, ConfigError, FactReasonerError, MissingExtraError, RunError
from factreasoner.llm.batches.files import Batch
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchService, counting
from factreasoner.llm.client import check_keys
from factreasoner.llm.send import waiting_listener
from factreasoner.models import Failure, Record, Result, record_fingerprint
from factreasoner.models.journal import JournalLine
from factreasoner.pipeline.assembly import NO_CALLS, Calls
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import named
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.runs.executors import WorkerPool, done, threads
from factreasoner.runs.processes import Processes
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder, fingerprints_of
from factreasoner.tasks.task import RecordWorker, Task, line_of

R = TypeVar("R", bound=Result)
WRITTEN_AT_ONCE = 1000
"""Records of which results and summary are written in about a second."""


class Progress(Protocol):
    """What the runner reports while a run goes on; `report/progress.py` shows it."""

    def started(self, total: int, finished: int) -> None:
        """`finished` of `total` records were assessed by an earlier run."""

    def changed(self) -> None:
        """A record that an earlier run finished has another input now: it is assessed again."""

    def assessed(self, line: JournalLine) -> None:
        """One more record is on disk."""

    def waiting(self, words: str) -> None:
        """For which model server calls wait, how long and why; "": none does any more. From any thread."""


class RunReport(NamedTuple):
    """How a run ended.

    `summary` is what summary.json holds; `stopped` says why it ended early, if it did. `waiting` are the
    batches it waits for, `cancelled` those that a service has cancelled.
    """

    summary: dict[str, object]
    total: int
    unfinished: int
    stopped: str | None = None
    waiting: Sequence[Batch] = ()
    cancelled: Sequence[Batch] = ()

    @property
    def complete(self) -> bool:
        """Every record was assessed, with no record and no judgement failed."""
        return not self.unfinished


@contextlib.contextmanager
def opened(folder: RunFolder[Any], config: Config, given: Calls = NO_CALLS, *, fresh: bool) -> Iterator[None]:
    """Open a folder for a run under `config`; `given` has the caller's own model and parts.

    Raises what `RunFolder.start` does. Before anything is written or deleted, raises ConfigError if a new run
    lacks a key, MissingExtraError if there is no ray for a cluster, and what making a worker raises. A new
    folder goes again if nothing was done in it before an error.
    """
    task = folder.task
    new = not folder.path.exists()
    if config.first_model and given.llm is None and config.batch == "none" and (fresh or new):
        check_keys(config)
    if config.executor == "ray" and find_spec("ray") is None:
        raise MissingExtraError(*EXTRA_OF_MODULE["ray"])
    if fresh:
        task.worker(config.model_copy(update={"batch": "none"}), given)
    described = config.model_copy(update={kind: named(part) for kind, part in given.parts.items()})
    folder.start(described, fingerprints_of(task, described), fresh=fresh)
    try:
        yield
    except FactReasonerError:
        if new:
            folder.remove_unused()
        raise
    finally:
        folder.close()


def run(
    worker: RecordWorker[R],
    folder: RunFolder[R],
    ids: Sequence[str],
    records: Iterable[Record],
    progress: Progress,
) -> RunReport:
    """Have `worker` assess what the folder does not hold yet; write the results of all `ids`.

    Finished records are not touched; those that failed, wholly or in part, or whose input changed, are
    assessed anew. One whose posteriors have not converged is finished: the same solver would do no better.

    Raises:
        ConfigError: a key or the model is wrong.
        RunError: the folder holds atoms made with another parser.
        InputError: a record can't be read any more, or lacks what the settings need.
        KeyboardInterrupt: the process is told to stop.

    Whatever is raised, the finished records are in the journal, and a note on the exception says how many
    there are. Results and summary are written too if there are at most `WRITTEN_AT_ONCE` records; those of a
    larger run stay as they are until it comes to its end.
    """
    progress.started(len(ids), sum(not folder.entries[i].to_repeat for i in ids if i in folder.entries))
    written = False
    try:
        try:
            stopped = _worked_off(worker, folder, records, progress)
        except BaseException as error:
            # An interrupt may have struck between a line's writing and its indexing.
            folder.repair_journal()
            if len(folder.entries) <= WRITTEN_AT_ONCE and not isinstance(error, MemoryError):
                with contextlib.suppress(RunError):  # the first error names a full disk
                    score_journal(folder, ids, worker.config)
                    written = True
            raise
        summary = score_journal(folder, ids, worker.config)
    except BaseException as error:
        error.add_note(_kept(folder, ids, written=written))
        raise
    unfinished = sum(
        i not in folder.entries or folder.entries[i].status in ("failed", "partial") for i in ids
    )
    return RunReport(summary, len(ids), unfinished, stopped)


def _worked_off(
    worker: RecordWorker[R], folder: RunFolder[R], records: Iterable[Record], progress: Progress
) -> str | None:
    """Write the lines of unfinished records as they come; returns why that stopped early, if it did."""
    unfinished = _unfinished(worker, folder, records, progress)
    made = lines_of(worker, folder.task, unfinished)
    try:
        with waiting_listener(progress.waiting), contextlib.closing(made):  # workers end when the run does
            for lines in made:
                folder.write(lines)
                for line in lines:
                    progress.assessed(line)
    except BudgetError as error:
        return str(error)
    return None


def lines_of(
    worker: RecordWorker[R], task: Task[R], records: Iterable[Record]
) -> Generator[Sequence[JournalLine]]:
    """The journal's line of each record as it is done, by the executor that the worker's settings name.

    Raises what `done` does.
    """

    def failed(record: Record) -> JournalLine:
        error = RunError("each process that worked on it ended: killed, or out of memory")
        failure = Failure.of("pipeline", record.id, error)
        return line_of(task, task.failed(record, worker.config, failure))

    with _pool(worker, task) as pool:
        yield from done(pool, records, failed)


def _pool(worker: RecordWorker[Any], task: Task[Any]) -> contextlib.AbstractContextManager[WorkerPool[Any]]:
    """The workers that the settings name; they end with the block."""
    config = worker.config
    if config.executor == "threads":
        return threads(worker, task)
    if config.executor == "processes":
        return Processes(task.name, config)
    from factreasoner.runs.ray_cluster import RayCluster

    return RayCluster(task.name, config)


def _kept(folder: RunFolder[Any], ids: Sequence[str], *, written: bool) -> str:
    """What there is of a run that did not come to its end."""
    assessed = sum(i in folder.entries for i in ids)
    kept = f"{assessed} of {len(ids)} records are assessed and saved in {folder.path}"
    if written or not folder.entries:
        return f"{kept}."
    export = shlex.join(["factreasoner", "export", str(folder.path), "--table", "records"])
    return (
        f"{kept}; results.jsonl and summary.json are written at the end of the run. Until then, `{export}` "
        "writes their scores."
    )


def _unfinished(
    worker: RecordWorker[Any], folder: RunFolder[Any], records: Iterable[Record], progress: Progress
) -> Iterator[Record]:
    """The records to work on. Raises RunError if the folder holds atoms made with another parser.

    A record that brings no contexts is searched for: at the first, changed collections are warned of; those
    searched are noted at the first to work on.
    """
    settled = noted = False
    collections: Sequence[str] | None = None
    for record in records:
        entry = folder.entries.get(record.id)
        if record.contexts is None and collections is None:
            collections = getattr(worker, "collections", ())
            folder.warn_of(collections)
        if entry is None or entry.fingerprint != record_fingerprint(record):
            if not settled and folder.task.makes_claims(record, worker.config):
                folder.manifest.settle_parser()
                settled = True
            if record.contexts is None and collections and not noted:
                folder.manifest.keep_searched(collections)
                noted = True
            if entry is not None and not entry.to_repeat:
                progress.changed()
            yield record


def run_in_rounds(
    run_round: Callable[[], RunReport],
    folder: RunFolder[Any],
    config: Config,
    print_text: Callable[[str], None],
) -> RunReport:
    """Go through the records with `run_round` until all are done, or until batches need an answer.

    Batches of `files` are left to the user, those of `openai` are waited for here. `say` gets notes for the
    user.

    Raises:
        ConfigError: `max_cost` is set but no price is known, or the service refuses the key.
        RunError: a file of batches is damaged, or the service has failed; the same command goes on.
    """
    batches = folder.batches
    while True:
        for note in batches.read(counting(config)):
            print_text(note)
        report = run_round()
        if report.stopped:
            batches.discard()
            return report
        try:
            waiting = _next_batches(batches, config, folder.spent)
        except BudgetError as error:
            return report._replace(stopped=str(error))
        if not waiting:
            batches.close()
            return report
        if config.batch == "files":
            return report._replace(waiting=waiting)
        if cancelled := BatchService(config).answer(waiting, print_text):
            return report._replace(cancelled=cancelled)


def run_at_once(
    run_round: Callable[[Config], RunReport],
    folder: RunFolder[Any],
    config: Config,
    print_text: Callable[[str], None],
) -> RunReport:
    """Go through the records with `run_round` and calls that are made at once.

    If earlier commands left batches, their answers are used first: a round with them finishes the records
    that need no more, and keeps every other answer in the cache, if there is one.

    Raises RunError: a file of batches is damaged.
    """
    batches = folder.batches
    if not batches.open:
        return run_round(config)
    for note in batches.read(counting(config)):
        print_text(note)
    report = run_round(config.model_copy(update={"batch": "files", "executor": "threads"}))
    batches.discard()
    for number in sorted(batches.wanted):
        print_text(
            f"{Batch(batches.path, number).requests_path}: it has no results; its requests are now made "
            "directly, and its results are no longer needed"
        )
    if not report.complete:
        report = run_round(config.model_copy())  # by a worker that knows what the batches cost
    if not report.stopped:
        batches.close()
    return report


def _next_batches(batches: BatchFolder, config: Config, spent: float) -> list[Batch]:
    """Write what was asked, if `max_cost` allows it; returns all batches to wait for."""
    if batches.drafted and config.max_cost is not None:
        most, requests = batches.most_cost, batches.drafted
        if most is None:
            batches.discard()
            raise ConfigError(
                f"max_cost: the price of {config.first_model} is not known, so a limit can't be kept; run "
                "without --max-cost"
            )
        if spent + most > config.max_cost:
            batches.discard()
            raise BudgetError(
                f"max_cost {config.max_cost:g}: ${spent:.4f} are spent, and a batch with the next "
                f"{requests:,} requests could take it to ${spent + most:.4f}, so it was not written; raise "
                "--max-cost and run again to continue"
            )
    return batches.write()
