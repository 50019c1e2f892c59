"""Process records into a run folder, with direct calls or in rounds of batches."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, TypeVar

from factreasoner.errors import BudgetError, ConfigError, FactReasonerError, MissingExtraError, RunError
from factreasoner.llm.batches.batch import Batch
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchService, counting
from factreasoner.llm.client import check_keys
from factreasoner.llm.send import waiting_listener
from factreasoner.models import Failure, Record, Result, record_fingerprint
from factreasoner.models.journal import JournalLine
from factreasoner.pipeline.assembly import NO_CALLS, PARTS, Calls
from factreasoner.pipeline.config import Config
from factreasoner.plugins.identity import component_fingerprints
from factreasoner.plugins.kinds import named
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.runs.executors import WorkerPool, finished_lines, threads
from factreasoner.runs.processes import Processes
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder, fingerprints_of
from factreasoner.tasks.task import RecordWorker, Task, line_of

R = TypeVar("R", bound=Result)
WRITTEN_AT_ONCE = 1000
"""Number of records whose results and summary are written in about a second."""


class Progress(Protocol):
    """Progress callbacks of the runner; `report/progress.py` displays them."""

    def started(self, total: int, finished: int) -> None:
        """`finished` of `total` records were assessed before."""

    def changed(self) -> None:
        """A finished record has new input and is assessed again."""

    def assessed(self, line: JournalLine) -> None:
        """One more record is on disk."""

    def waiting(self, words: str) -> None:
        """What calls wait for, how long and why; "": nothing. Called from any thread."""


class RunReport(NamedTuple):
    """How a run ended.

    `summary` is the content of summary.json; `stopped` says why it ended early, if it did. `waiting` are
    pending batches, `cancelled` those that a service cancelled.
    """

    summary: dict[str, object]
    total: int
    unfinished: int
    stopped: str | None = None
    waiting: Sequence[Batch] = ()
    cancelled: Sequence[Batch] = ()

    @property
    def complete(self) -> bool:
        """Whether every record was assessed without failures."""
        return not self.unfinished


@contextlib.contextmanager
def open_run(
    folder: RunFolder[Any], config: Config, given: Calls = NO_CALLS, *, fresh: bool
) -> Iterator[None]:
    """Open a folder for a run with `config`; `given` has a custom model and components.

    Raises what `RunFolder.start` does. Before anything is written, raises ConfigError for a missing key,
    MissingExtraError if ray is missing, and what making a worker raises. A new folder is removed if an error
    comes before any record.
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
    names = {kind: config.plugin(kind) for kind in PARTS & Config.model_fields.keys()}
    own = {kind: name for kind, name in names.items() if ":" in name and "," not in name}
    parts = {**own, **given.parts, **({} if given.llm is None else {"llm": given.llm})}
    components = component_fingerprints(parts)
    folder.start(described, {**fingerprints_of(task, described), "components": components}, fresh=fresh)
    try:
        yield
    except FactReasonerError:
        if new:
            folder.remove_unused()
        raise
    finally:
        folder.manifest.keep_changing(components.items() ^ component_fingerprints(parts).items())
        folder.close()


def run(
    worker: RecordWorker[R],
    folder: RunFolder[R],
    ids: Sequence[str],
    records: Iterable[Record],
    progress: Progress,
) -> RunReport:
    """Have `worker` assess the unfinished records; write the results of all `ids`.

    Records that failed, even in part, or whose input changed, are assessed again. Unconverged posteriors
    count as finished.

    Raises:
        ConfigError: a key or the model is wrong.
        RunError: the folder holds atoms made with another parser.
        InputError: a record can't be read any more, or lacks what the settings need.
        KeyboardInterrupt: the process is told to stop.

    In all cases, the finished records are in the journal, and a note on the exception counts them. Results
    and summary are written too for at most `WRITTEN_AT_ONCE` records; those of a larger run stay unchanged
    until its end.
    """
    progress.started(len(ids), sum(not folder.entries[i].to_repeat for i in ids if i in folder.entries))
    written = False
    try:
        try:
            stopped = _process_records(worker, folder, records, progress)
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
        error.add_note(_saved_note(folder, ids, written=written))
        raise
    unfinished = sum(
        i not in folder.entries or folder.entries[i].status in ("failed", "partial") for i in ids
    )
    return RunReport(summary, len(ids), unfinished, stopped)


def _process_records(
    worker: RecordWorker[R], folder: RunFolder[R], records: Iterable[Record], progress: Progress
) -> str | None:
    """Write the lines of unfinished records as they finish; returns why it stopped early, if so."""
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
    """The journal lines of records as they finish, by the configured executor.

    Raises what `finished_lines` does.
    """

    def failed(record: Record) -> JournalLine:
        error = RunError("each process that worked on it ended: killed, or out of memory")
        failure = Failure.of("pipeline", record.id, error)
        return line_of(task, task.failed(record, worker.config, failure))

    with _pool(worker, task) as pool:
        yield from finished_lines(pool, records, failed)


def _pool(worker: RecordWorker[Any], task: Task[Any]) -> contextlib.AbstractContextManager[WorkerPool[Any]]:
    """The configured workers, until the block ends."""
    config = worker.config
    if config.executor == "threads":
        return threads(worker, task)
    if config.executor == "processes":
        return Processes(task.name, config)
    from factreasoner.runs.ray_cluster import RayCluster

    return RayCluster(task.name, config)


def _saved_note(folder: RunFolder[Any], ids: Sequence[str], *, written: bool) -> str:
    """A note on what an unfinished run has saved."""
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
    """The records to process. Raises RunError if the folder's atoms were made with another parser.

    A record without contexts is searched for: the first one warns of changed collections, and the first to
    process notes those searched.
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
    """Repeat `run_round` until all records are done, or until batches need an answer.

    Batches of `files` are left to the user, those of `openai` are awaited. `print_text` prints notes for the
    user.

    Raises:
        ConfigError: `max_cost` is set but no price is known, or the service refuses the key.
        RunError: a batch file is damaged, or the service failed; rerun to resume.
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
    """Process the records with `run_round` and direct calls.

    Answers of earlier batches are used first: one round with them finishes the records that need no more, and
    caches every other answer.

    Raises RunError: a batch file is damaged.
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
    """Write new requests, if `max_cost` allows; returns all pending batches."""
    if batches.drafted and config.max_cost is not None:
        most, requests = batches.most_cost, batches.drafted
        if most is None:
            batches.discard()
            raise ConfigError(
                f"max_cost: the price of {config.first_model} is not known, so a limit can't be kept; run "
                "without `max_cost`"
            )
        if spent + most > config.max_cost:
            batches.discard()
            raise BudgetError(
                f"max_cost {config.max_cost:g}: ${spent:.4f} are spent, and a batch with the next "
                f"{requests:,} requests could take it to ${spent + most:.4f}, so it was not written; raise "
                "`max_cost` and rerun to resume"
            )
    return batches.write()
