"""The run folder: the lock, the journal, and where everything else is."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from filelock import FileLock, Timeout
from pydantic import ValidationError

from factreasoner.compact import Ids
from factreasoner.errors import RunError
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.models import TaskResult
from factreasoner.runs.journal import JournalEntry, JournalLine, entry_of, head_of, line_of
from factreasoner.runs.journal_index import JournalIndex
from factreasoner.runs.kept_index import KeptIndex
from factreasoner.runs.ledger import Ledger
from factreasoner.runs.manifest import RESULTS, Manifest, result_settings
from factreasoner.runs.replacing import clear_interrupted
from factreasoner.settings import Config, kept_config
from factreasoner.tasks.registry import FACTUALITY, task_named
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=TaskResult)
_BEGINNING = '{"id": '
_JSON = json.JSONDecoder()


class RunFolder(Generic[R]):
    """One run's files. Only the driver process writes them; a lock keeps a second one out.

    - `manifest.json`: task, settings without secrets, prompt fingerprints, versions, how the model is asked.
    - `journal.jsonl`: one result of the task a line, appended and synced to disk as each record ends.
    - `spent.txt`: US dollars of each answered request, one a line.
    - `batches/`: requests to models that are answered in batches, and their results.
    - `input.index`: what the check of a large input found, so that resuming it takes no second one.
    - `journal.index`: where the results stand in a large journal, so that it need not be read for that.
    - `results.jsonl`, `summary.json`: derived from the journal, replaced atomically.
    """

    def __init__(self, path: Path, task: Task[R]) -> None:
        self.path = path
        self.task = task
        self.entries = JournalIndex()
        self._end = self._kept_to = 0
        self._in_step = True
        self._kept = KeptIndex(path / "journal.index", self.journal_path)
        self.manifest = Manifest(path)
        self.ledger = Ledger(path / "spent.txt")
        self.batches = BatchFolder(path / "batches")
        self._lock = FileLock(path / ".lock")

    @classmethod
    def of_any_task(cls, path: Path) -> RunFolder[Any]:
        """The folder of a run of whatever task. Raises RunError when it is no run, or of an unknown task."""
        folder: RunFolder[Any] = RunFolder(path, task_named(FACTUALITY))
        folder.task = task_named(str(folder.manifest.content().get("task", FACTUALITY)))
        return folder

    @property
    def spent(self) -> float:
        """US dollars paid so far, for records that were interrupted or failed too."""
        return self.ledger.total + self.batches.spent

    @property
    def journal_path(self) -> Path:
        """Path of journal.jsonl: one result a line."""
        return self.path / "journal.jsonl"

    @property
    def results_path(self) -> Path:
        """Path of results.jsonl: one line a record, in input order."""
        return self.path / RESULTS

    @property
    def input_path(self) -> Path:
        """Path of input.index: what the check of a large input file found."""
        return self.path / "input.index"

    @property
    def summary_path(self) -> Path:
        """Path of summary.json: the whole run."""
        return self.path / "summary.json"

    def start(
        self,
        config: Config,
        prompts: Mapping[str, str],
        *,
        files: Mapping[str, str] | None = None,
        fresh: bool = False,
    ) -> None:
        """Open the folder for writing: make it, or check that its run is this one and read the journal.

        `prompts` and `files` are fingerprints of what decides results beside the settings. A torn last line
        of the journal is dropped. A run that assessed nothing yet may become any other.

        Raises:
            RunError: another process writes here, the run in the folder has other settings (the differing
                keys are named), or its files are damaged or can't be written. The folder is not locked then.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise RunError(f"{self.path}: another process is writing this run") from error
        except OSError as error:
            raise RunError(f"{self.path}: can't be used as a run folder: {error.strerror}") from error
        try:
            self._open(config, prompts, files or {}, fresh=fresh)
        except BaseException:
            self.close()
            raise

    def _open(
        self, config: Config, prompts: Mapping[str, str], files: Mapping[str, str], *, fresh: bool
    ) -> None:
        wanted = {"config": result_settings(config), "prompts": dict(prompts), "files": dict(files)}
        derived = (self.results_path, self.summary_path, self.input_path, self._kept.path)
        clear_interrupted(self.manifest.path, *derived)
        if fresh:
            for path in (self.journal_path, self.ledger.path, *derived, self.manifest.path):
                path.unlink(missing_ok=True)
            self.batches.clear()
        if self.manifest.path.exists():
            self._check_task()
            begun = self.journal_path.exists() and self.journal_path.stat().st_size
            if begun or self.batches.all:
                self.manifest.refuse_other_run(wanted)
            self.read_journal()
            self.mend_journal()
        elif self.journal_path.exists():
            raise RunError(f"{self.path}: has a journal but no manifest.json; start over with --fresh")
        kept = self.manifest.models() if self.entries else {}
        searched = self.manifest.searched if self.entries else []
        noted = [self.manifest.parser] if self.entries and self.manifest.notes_parser else []
        self.manifest.write(self.task.name, config, prompts, files)
        for parser in noted:
            self.manifest.keep_parser(parser)
        self.manifest.keep_searched(searched)
        for model, capabilities in kept.items():
            self.manifest.keep_capabilities(model, capabilities)

    def close(self) -> None:
        """Release the folder's lock: other processes may write here then."""
        self.batches.release()
        self._lock.release()

    def _check_task(self) -> None:
        made_by = self.manifest.content().get("task", FACTUALITY)
        if made_by != self.task.name:
            raise RunError(
                f"{self.path}: a run of `{made_by}`, and a run of `{self.task.name}` is needed here; "
                "name another folder"
            )

    def config(self) -> Config:
        """The settings the run was made with. Raises RunError for a run of another task."""
        self._check_task()
        return kept_config(self.manifest.content()["config"], str(self.manifest.path))

    def read_journal(self) -> None:
        """Index the journal: the last line of each record counts. What a killed process left torn does not.

        Raises:
            RunError: a line other than a torn last one is damaged.
        """
        self.entries, self._end = self._kept.read(self.task)
        self._kept_to = self._end
        self._read_on()
        self._in_step = True

    def mend_journal(self) -> None:
        """Index what is new in the journal, and cut a torn last line off. Raises as `read_journal` does.

        An index that was interrupted while entries went in is made anew.
        """
        if self._in_step:
            self._read_on()
        else:
            self.read_journal()
        if self.journal_path.exists() and self._end < self.journal_path.stat().st_size:
            os.truncate(self.journal_path, self._end)
        self._keep(self.entries.since(self._kept_to))

    def _keep(self, added: Iterable[tuple[str, JournalEntry]]) -> None:
        self._kept.keep(self.task, self.entries, added)
        self._kept_to = self._end

    def _read_on(self) -> None:
        if not self.journal_path.exists():
            return
        with self.journal_path.open("rb") as journal:
            journal.seek(self._end)
            for line in journal:
                if not line.endswith(b"\n"):
                    break
                self._index(line)

    def _index(self, line: bytes) -> None:
        try:
            record_id, entry = entry_of(self.task, head_of(line), self._end)
            self.entries[record_id] = entry
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise RunError(
                f"{self.journal_path}:{self._line_number(self._end)}: damaged line; remove it and run again, "
                "or start over with --fresh"
            ) from error
        self._end += len(line)

    def _line_number(self, offset: int) -> int:
        with self.journal_path.open("rb") as journal:
            passed = itertools.accumulate(map(len, journal))
            return 1 + sum(1 for _ in itertools.takewhile(lambda end: end <= offset, passed))

    def finished(self, record_id: str, fingerprint: str) -> bool:
        """Whether a record with that content needs no more work: it is assessed, and nothing of it failed."""
        entry = self.entries.get(record_id)
        return entry is not None and not entry.to_repeat and entry.fingerprint == fingerprint

    def append(self, *results: R) -> None:
        """Add results to the journal; see `write`."""
        self.write([line_of(self.task, result) for result in results])

    def write(self, lines: Sequence[JournalLine]) -> None:
        """Add lines to the journal; when this returns they are on disk.

        Raises:
            RunError: the journal can't be written; its earlier lines are whole.
        """
        try:
            with self.journal_path.open("ab") as journal:
                offset = journal.tell()
                journal.writelines(line.text for line in lines)
                journal.flush()
                os.fsync(journal.fileno())
        except OSError as error:
            raise RunError(
                f"{self.journal_path}: can't be written: {error.strerror}; what it holds is whole, and the "
                "same command goes on from there"
            ) from error
        self._in_step = False
        for line in lines:
            self.entries[line.record_id] = line.entry._replace(offset=offset)
            offset += len(line.text)
        self._end, self._in_step = offset, True
        self._keep([(line.record_id, self.entries[line.record_id]) for line in lines])

    def results(self, ids: Iterable[str]) -> Iterator[R]:
        """The results of `ids`, in that order, read one at a time; ids without one are passed over."""
        if not self.entries:
            return
        with self.journal_path.open("rb") as journal:
            for record_id in ids:
                if record_id not in self.entries:
                    continue
                journal.seek(self.entries[record_id].offset)
                try:
                    yield self.task.result.model_validate_json(journal.readline())
                except ValidationError as error:
                    raise RunError(
                        f"{self.journal_path}: the result of {record_id!r} can't be read: {error}"
                    ) from error

    def order(self) -> Ids:
        """Record ids in the order of the last results, then any others in the order they were finished."""
        ids = Ids()
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            # The results are derived from the journal, which is enough without them.
            found = Ids()
            with self.results_path.open(encoding="utf-8") as results:
                for line in results:
                    found.add(_id_of(line))
            ids = Ids(record_id for record_id in found if record_id in self.entries)
        for record_id in self.entries:
            ids.add(record_id)
        return ids


def _id_of(line: str) -> str:
    """The id in a line of results.jsonl, which begins with it; reading no more takes a fraction."""
    if line.startswith(_BEGINNING):
        return str(_JSON.raw_decode(line, len(_BEGINNING))[0])
    return str(json.loads(line)["id"])
