"""The run folder: the lock, the journal, and where everything else is."""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from factreasoner.errors import RunError
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.models import TaskResult
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.journal import Journal
from factreasoner.runs.ledger import Ledger
from factreasoner.runs.manifest import RESULTS, Manifest, result_settings
from factreasoner.runs.replacing import clear_interrupted
from factreasoner.settings import Config, kept_config
from factreasoner.tasks.registry import FACTUALITY, task_named
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=TaskResult)
_BEGINNING = '{"id": '
_JSON = json.JSONDecoder()
MOST_COMPARED = 10_000
"""Ids among which the nearest is found in less than a second."""


class RunFolder(Journal[R]):
    """One run's files. Only the driver process writes them; a lock keeps a second one out.

    - `manifest.json`: task, settings without secrets, prompt fingerprints, versions, how the model is asked.
    - `journal.jsonl`: one result of the task a line, appended and synced to disk as each record ends.
    - `spent.txt`: US dollars of each answered request, one a line.
    - `batches/`: requests to models that are answered in batches, and their results.
    - `results.jsonl`, `summary.json`: derived from the journal, replaced atomically.
    """

    def __init__(self, path: Path, task: Task[R]) -> None:
        super().__init__(path / "journal.jsonl", task)
        self.path = path
        self.manifest = Manifest(path)
        self.ledger = Ledger(path / "spent.txt")
        self.batches = BatchFolder(path / "batches")
        self._lock = FileLock(path / ".lock")

    @classmethod
    def of_any_task(cls, path: Path) -> RunFolder[Any]:
        """The folder of a run of whatever task. Raises RunError when it is no run, or of an unknown task."""
        folder: RunFolder[Any] = RunFolder(path, task_named(FACTUALITY))
        return RunFolder(path, task_named(str(folder.manifest.content().get("task", FACTUALITY))))

    @property
    def spent(self) -> float:
        """US dollars paid so far, for records that were interrupted or failed too."""
        return self.ledger.total + self.batches.spent

    def calls(self, config: Config) -> Calls:
        """How the calls of a worker are paid for and remembered in this run, from what was paid so far."""
        batches = None if config.batch == "none" else self.batches
        return Calls(spent=self.spent, paid=self.ledger.add, memory=self.manifest, batches=batches)

    @property
    def results_path(self) -> Path:
        """Path of results.jsonl: one line a record, in input order."""
        return self.path / RESULTS

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
        derived = (self.results_path, self.summary_path)
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
            self.mend_journal()
        elif self.journal_path.exists():
            raise RunError(f"{self.path}: has a journal but no manifest.json; start over with --fresh")
        self.manifest.write(self.task.name, config, prompts, files, going_on=bool(self.entries))

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

    def known_id(self, record_id: str) -> str:
        """The id of a record in this folder.

        Raises:
            RunError: there is no such record; the nearest one is named, unless the run is large.
        """
        if record_id not in self.entries:
            compared = self.entries if len(self.entries) <= MOST_COMPARED else ()
            close = difflib.get_close_matches(record_id, compared, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else f"{self.results_path} has the ids"
            raise RunError(f"{self.journal_path}: no record {record_id!r}; {remedy}")
        return record_id

    def order(self) -> list[str]:
        """Record ids in the order of the last results, then any others in the order they were finished."""
        found: dict[str, None] = {}
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            # The results are derived from the journal, which is enough without them.
            with self.results_path.open(encoding="utf-8") as results:
                ordered = dict.fromkeys(map(_id_of, results))
            found = {record_id: None for record_id in ordered if record_id in self.entries}
        return list(found | dict.fromkeys(self.entries))


def _id_of(line: str) -> str:
    """The id in a line of results.jsonl, which begins with it; reading no more takes a fraction."""
    if line.startswith(_BEGINNING):
        return str(_JSON.raw_decode(line, len(_BEGINNING))[0])
    return str(json.loads(line)["id"])
