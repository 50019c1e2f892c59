"""The run folder: lock, journal, costs, and the paths of all files."""

from __future__ import annotations

import contextlib
import difflib
import json
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from filelock import FileLock, Timeout
from pydantic import ValidationError

from factreasoner import prompts
from factreasoner.assessors.credibility import credibility_fingerprint
from factreasoner.errors import InputError, RunError
from factreasoner.files import remove_unfinished
from factreasoner.inputs.gold_labels import example_ids
from factreasoner.judges.calibration import calibration_fingerprint
from factreasoner.judges.encoder.model_files import bundled_fingerprint
from factreasoner.judges.recorded import recording_fingerprint
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.models import Result
from factreasoner.models.formatting import reworded
from factreasoner.models.journal import JOURNAL, Journal
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import stored_config
from factreasoner.plugins.kinds import load
from factreasoner.runs.manifest import Fingerprints, Manifest, mixed_states, unfinished_states
from factreasoner.tasks.task import Task, task_named
from factreasoner.text.visible import one_line

R = TypeVar("R", bound=Result)
log = logging.getLogger(__name__)
PAGE = "report.html"
LOCK = ".lock"
ENDING = 1.0
"""Seconds within which an abandoned call leaves its folder."""
_WHOLE = "the line is whole, so it was written with another manifest.json: put that one back"
_BEGINNING = '{"id": '
_JSON = json.JSONDecoder()
_AMOUNT = re.compile(r"\d+(\.\d*)?", re.ASCII)
"""An amount, or the part of one that a killed process wrote."""
_FILES: dict[str, Callable[[Path], str]] = {
    "relations": recording_fingerprint,
    "calibration": calibration_fingerprint,
    "credibility": credibility_fingerprint,
}
"""Setting that names a file -> its fingerprint function. A finished run still needs these files."""
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, RecursionError)
_SEARCHED = ("ok", "no_atoms")
"""Statuses of records that are not searched for again."""
MOST_COMPARED = 10_000
"""Maximum ids for a nearest-match search of less than a second."""


def fingerprints_of(task: Task[Any], config: Config) -> Fingerprints:
    """Fingerprints of the task's prompts, and of files and classifiers named in settings.

    Raises:
        InputError: a file can't be read.
        RunError: `relations` is a run folder of a later version.
        ConfigError: the classifier is missing.
        MissingExtraError: an optional package is needed to read it.
    """
    if config.relations is not None and (recorded := Manifest(config.relations)).path.exists():
        recorded.content()
    paths = {name: getattr(config, name) for name in _FILES}
    files = {name: _FILES[name](path) for name, path in paths.items() if path is not None}
    if config.judging_verifier is not None:
        files["verifier"] = load("judge", "verifier").fingerprint(config)
    if config.prefilter == "bundled":
        files["prefilter"] = bundled_fingerprint()
    return {"prompts": prompts.fingerprints(task.prompts(config)), "files": files}


@dataclass(frozen=True)
class Ledger:
    """The costs of a run: a file with the US dollars of one request per line.

    Interrupted records have no journal line, but their calls are paid for. Threads and processes may share
    the file.
    """

    path: Path

    @property
    def total(self) -> float:
        """US dollars paid, over all processes.

        Raises RunError: the file can't be read, or a line is not an amount.
        """
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").split("\n")
        except FileNotFoundError:
            return 0.0
        except OSError as error:
            raise RunError(f"{self.path}: can't be read: {error.strerror}") from error
        for number, line in enumerate(lines, start=1):
            if line and not _AMOUNT.fullmatch(line):
                raise RunError(
                    f"{self.path}:{number}: {line[:40]!r} is not an amount in US dollars; write there what "
                    "was paid, delete the line, or start over with `fresh=True`"
                )
        return sum(map(float, filter(None, lines)))

    def add(self, dollars: float) -> None:
        """Record the cost of one request; the line outlives the process.

        Raises RunError: the file can't be written.
        """
        # The line's end comes first: what a killed process left of its last line stays a line of its own,
        # and with a fixed number of decimals it is no larger than the whole.
        line = f"\n{dollars:.9f}".encode()
        try:
            with self.path.open("ab", buffering=0) as ledger:  # one system call, which adds at the end
                ledger.write(line)
        except OSError as error:
            raise RunError(f"{self.path}: can't be written: {error.strerror}") from error


class RunFolder(Journal, Generic[R]):
    """One run's files. Only the driver process writes them, with a lock.

    - `manifest.json`: task, settings without secrets, prompt fingerprints, versions, model capabilities.
    - `journal.jsonl`: one result per line, appended and synced as each record ends.
    - `spent.txt`: US dollars of each answered request, one per line.
    - `batches/`: batched requests and their results.
    - `results.jsonl`, `summary.json`: derived from the journal, replaced atomically.
    """

    def __init__(self, path: Path, task: Task[R]) -> None:
        super().__init__(path / JOURNAL)
        self.task = task
        self.path = path
        self.results_path = path / "results.jsonl"
        """One line a record, in input order."""
        self.summary_path = path / "summary.json"
        self.page_path = path / PAGE
        """The report for people, where one was asked for."""
        self.manifest = Manifest(path)
        self.ledger = Ledger(path / "spent.txt")
        self.batches = BatchFolder(path / "batches")
        self._lock = FileLock(path / LOCK)
        self._warned = set[str]()
        self._made: list[Path] = []

    @classmethod
    def of_any_task(cls, path: Path) -> RunFolder[Any]:
        """The folder of a run of any task. Raises RunError: not a run, or an unknown task."""
        return RunFolder(path, task_named(Manifest(path).task))

    @property
    def page_is_old(self) -> bool:
        """Whether there is a page that is older than the records or results."""
        made_from = (path for path in (self.journal_path, self.results_path) if path.exists())
        changed = max((path.stat().st_mtime_ns for path in made_from), default=0)
        return self.page_path.exists() and self.page_path.stat().st_mtime_ns < changed

    @property
    def spent(self) -> float:
        """US dollars paid so far, interrupted and failed records included."""
        return self.ledger.total + self.batches.spent

    def calls(self, config: Config) -> Calls:
        """How a worker's calls are paid for and remembered in this run."""
        batches = None if config.batch == "none" else self.batches
        return Calls(spent=self.spent, paid=self.ledger.add, memory=self.manifest, batches=batches)

    def start(self, config: Config, fingerprints: Fingerprints, *, fresh: bool = False) -> None:
        """Open the folder for writing: create it, or check its settings and read the journal.

        A torn last line of the journal is dropped. A run without results may become any other.

        Raises RunError: another call or process writes here, the run has other settings (which are named), or
        its files are damaged or can't be written. The folder is then not locked.
        """
        try:
            self._made = [path for path in (self.path, *self.path.parents) if not path.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=ENDING)
        except Timeout as error:
            raise RunError(f"{self.path}: another call or process is writing to this run") from error
        except OSError as error:
            raise RunError(
                f"{self.path}: can't be used as a run folder: {error.strerror}; choose another `out`"
            ) from error
        try:
            self._open(config, fingerprints, fresh=fresh)
        except BaseException:
            self.close()
            raise

    def _open(self, config: Config, fingerprints: Fingerprints, *, fresh: bool) -> None:
        derived = (self.results_path, self.summary_path, self.manifest.path)
        remove_unfinished(*derived)
        if fresh:
            for path in (self.journal_path, self.ledger.path, *derived):
                path.unlink(missing_ok=True)
            self.batches.clear()
        if self.manifest.path.exists() or self.journal_path.exists():
            self._check_task()
            begun = self.journal_path.exists() and self.journal_path.stat().st_size
            if begun or self.batches.all:
                self.manifest.refuse_other_run(config, fingerprints)
            self._refuse_lost_journal()
            self.repair_journal()
        self.manifest.write(self.task.name, config, fingerprints, going_on=bool(self.entries))

    def close(self) -> None:
        """Release the folder's lock."""
        self.batches.release()
        self._lock.release()

    def remove_unused(self) -> None:
        """Remove the folder if it has only a manifest and locks, and folders created for it."""
        with contextlib.suppress(OSError):  # another process begins here, or has removed it
            # its own lock last
            there = sorted(self.path.iterdir(), key=lambda path: path.name == LOCK)
            if all(path == self.manifest.path or path.name.endswith(LOCK) for path in there):
                for path in there:
                    path.unlink()
                for path in self._made:
                    path.rmdir()

    def _check_task(self) -> None:
        made_by, needed = self.manifest.task, self.task.name
        if made_by != needed:
            wrong = f"a run of `{made_by}`, not of `{needed}`; name another folder"
            raise RunError(f"{self.path}: {wrong}")

    def config(self) -> Config:
        """The settings of the run. Raises RunError for a run of another task."""
        self._check_task()
        return stored_config(self.manifest.content()["config"], str(self.manifest.path))

    def refuse_changed_files(self, *, named: Collection[str] = ()) -> None:
        """Refuse a run whose files have changed.

        Files of settings that are `named` again are not checked. Recorded verdicts may be missing: the
        journal has them.

        Raises:
            RunError: a file has changed.
            InputError: the calibration can't be read.
        """
        config, recorded = self.config(), self.manifest.content().get("files", {})
        for name, fingerprint in _FILES.items():
            path: Path | None = getattr(config, name)
            if path is None or name in named or (name == "relations" and not path.exists()):
                continue
            if fingerprint(path) != recorded.get(name):
                again = "" if name == "relations" else f", or give it again as `{name}`"
                raise RunError(
                    f"{self.path}: {path} ({name}) has changed since this run; run again with another "
                    f"`out`{again}"
                )

    def warn_of(self, collections: Sequence[str]) -> None:
        """Warn once of each collection that is incomplete or has changed since it was searched.

        `collections` are `name@state`.
        """
        found = list(unfinished_states(collections))
        if any(entry.status in _SEARCHED for entry in self.entries.values()):
            found += mixed_states([*self.manifest.searched, *collections])
        for warning in found:
            if warning not in self._warned:
                self._warned.add(warning)
                log.warning("%s", one_line(warning))

    def known_id(self, record_id: str) -> str:
        """The id of a record in this folder.

        Raises RunError: there is no such record; the nearest one is named, or the first ones if the run is
        large. Or as `assessed`.
        """
        if record_id not in self.entries:
            self.assessed()
            compared = self.entries if len(self.entries) <= MOST_COMPARED else ()
            close = difflib.get_close_matches(record_id, compared, n=1)
            ids = f"the run has the ids {example_ids(self.entries)}"
            remedy = f"did you mean {close[0]!r}?" if close else ids
            raise RunError(f"{self.path}: no record {record_id!r}; {remedy}")
        return record_id

    def _refuse_lost_journal(self) -> None:
        """Raise RunError if there are results without journal lines."""
        lost = not self.entries and self.results_path.exists()
        if lost and self.results_path.stat().st_size:
            raise RunError(
                f"{self.journal_path}: is missing or empty, and results.jsonl does not replace it; put it "
                "back, or run again with `fresh=True`"
            )

    def assessed(self) -> list[str]:
        """The record ids of `order`.

        Raises RunError: there are none, or the journal is missing, empty or damaged.
        """
        if not (ids := self.order()):
            self._refuse_lost_journal()
            raise RunError(
                f"{self.path}: no record has been assessed in this run; the same run command continues it"
            )
        return ids

    def results(self, ids: Iterable[str]) -> Iterator[R]:
        """The results of `ids`, in that order, read one at a time; ids without one are skipped.

        Raises RunError: a line is damaged, or is not a result of the task.
        """
        for line in self.lines(ids):
            try:
                yield self.task.result.model_validate_json(line.result)
            except (ValidationError, InputError) as error:  # of a line that is whole, as its checksum says
                problem = (
                    error.problems[0] if isinstance(error, InputError) else next(reworded(error, "", {}))
                )
                wrong = f"not a result of a run of `{self.task.name}`: {problem}"
                offset = self.entries[line.id].offset
                raise self.damaged(offset, f"{wrong}; {_WHOLE}") from error

    def order(self) -> list[str]:
        """Record ids in the order of the last results, then those finished since.

        Records that the last input did not have are excluded, unless a run was interrupted since.
        """
        found: dict[str, None] = {}
        # The results are derived from the journal, which is enough without them.
        with contextlib.suppress(*_UNREADABLE), self.results_path.open(encoding="utf-8") as results:
            # A line as written here begins with its id; reading no more takes a fraction.
            ordered = [
                _JSON.raw_decode(line, len(_BEGINNING))[0]
                if line.startswith(_BEGINNING)
                else json.loads(line)["id"]
                for line in results
            ]
            found = {record_id: None for record_id in ordered if record_id in self.entries}
        beside = len(self.entries) - len(found)
        cut_off = beside != self.counts().get("not_in_input", 0)
        return list(found | dict.fromkeys(self.entries) if cut_off else found)

    def counts(self) -> Mapping[str, int]:
        """The record counts of the last summary; empty if unavailable."""
        with contextlib.suppress(*_UNREADABLE):
            return dict(json.loads(self.summary_path.read_text(encoding="utf-8"))["records"])
        return {}
