"""Read finished runs: to evaluate, compare, calibrate, check, or reuse as input."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from factreasoner.errors import InputError, InputProblem, RunError, UsageError
from factreasoner.files import replace_file, resolve_links
from factreasoner.inputs.parsing import Fits
from factreasoner.inputs.problems import merged
from factreasoner.judges import judged_by
from factreasoner.judges.encoder.model_files import bundled_fingerprint
from factreasoner.metrics.run_counts import Tally
from factreasoner.models import Assessment, Record, Result, Status
from factreasoner.models.formatting import number_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import stored_config
from factreasoner.runs.corrections import Corrections, rescorer
from factreasoner.runs.manifest import MANIFEST, SCORED_AGAIN, Manifest
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=Result)
CORRECTIONS = "corrections.jsonl"
_FAILED_BEFORE = "the record failed before it had any; finish that run"


class Rescoring(NamedTuple):
    """The rescored run, the settings used, and corrections, if any."""

    run: Path
    config: Config
    corrections: Path | None


def write_rescoring(out: Path, scored: Rescoring) -> None:
    """Record in `out`, unless it is the run's folder, how its scores were made."""
    if resolve_links(out) == resolve_links(scored.run):
        return
    kept = out / CORRECTIONS
    if scored.corrections is None:
        kept.unlink(missing_ok=True)
    elif resolve_links(scored.corrections) != resolve_links(kept):
        kept.write_bytes(scored.corrections.read_bytes())
    content = {
        "run": os.path.relpath(resolve_links(scored.run), resolve_links(out)),
        "config": scored.config.model_dump(mode="json"),
        "corrections": scored.corrections and CORRECTIONS,
    }
    replace_file(out / SCORED_AGAIN, [json.dumps(content, indent=2, ensure_ascii=False)])


def read_rescoring(path: Path) -> Rescoring | None:
    """How the scores in a folder were made; None if it is not a folder of scores.

    Raises RunError: the note is damaged.
    """
    note = path / SCORED_AGAIN
    if (path / MANIFEST).exists() or not note.exists():
        return None
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
        config, kept = stored_config(content["config"], str(note)), content["corrections"]
        return Rescoring(path / content["run"], config, path / kept if kept else None)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{note}: damaged; score the run again") from error


def parser_of(path: Path) -> str | None:
    """Name and version of the parser behind a run's atoms, or behind rescored ones."""
    scored = read_rescoring(path)
    return Manifest(scored.run if scored else path).parser


class FinishedRun(Generic[R]):
    """The results of a run of `task`, in order, with a reader's `corrections` if given.

    A folder of rescored results counts as the run with those scores.

    Raises:
        InputError: the corrections do not fit this run's verdicts.
        RunError: not a run folder, a damaged one, or one without an assessed record.
        ConfigError: this version does not know its settings.
    """

    def __init__(self, path: Path, task: Task[R] | None = None, corrections: Path | None = None) -> None:
        self.path = path
        scored = read_rescoring(path)
        if scored and corrections:
            raise RunError(
                f"{path}: holds scores of {resolve_links(scored.run)}; correct the verdicts of that run"
            )
        self.source = scored.run if scored else path
        """The run's own folder."""
        self._folder = RunFolder(self.source, task) if task else RunFolder.of_any_task(self.source)
        self.manifest = self._folder.manifest
        self.task: Task[R] = self._folder.task
        self.config: Config = scored.config if scored else self._folder.config()
        self.ids = self._folder.assessed()
        self.unfinished = unfinished(self._folder, path, len(self.ids))  # as text; None: whole
        self.corrections = scored.corrections if scored else corrections
        read = Corrections(self.corrections, self._folder) if self.corrections else None
        self._again = rescorer(self.config, read) if scored or read else None

    @classmethod
    def of_any_task(cls, path: Path, corrections: Path | None = None) -> FinishedRun[Any]:
        """A run of any task. Raises RunError: not a run, or an unknown task."""
        return FinishedRun(path, None, corrections)

    def results(self, ids: Iterable[str] | None = None) -> Iterator[R]:
        """The latest result of every record, or of those in `ids`, read one at a time.

        Raises RunError for a damaged one.
        """
        found = self._folder.results(self.ids if ids is None else ids)
        return map(self._again, found) if self._again else found

    def known_id(self, record_id: str) -> str:
        """The id of a record. Raises RunError, naming the nearest, if there is none."""
        return self._folder.known_id(record_id)

    @property
    def model_setup(self) -> dict[str, Any]:
        """Fingerprints of the judge's prompts and verifier, and how each model was called."""
        manifest = self.manifest.content()
        prompts = {
            name: kept for name, kept in manifest.get("prompts", {}).items() if name.startswith("judge")
        }
        return {"prompts": prompts, "models": manifest.get("models", {}), "weights": self.weights}

    @property
    def judged_by(self) -> str:
        """The judge, as text, with the probe result of a model."""
        return judged_by(self.config, self.manifest.models(), self.weights)

    @property
    def weights(self) -> str | None:
        """The fingerprint of the run's verifier; None without one."""
        found = self.manifest.content().get("files", {}).get("verifier")
        return None if found is None else str(found)

    @property
    def other_weights(self) -> str:
        """A warning if the installed bundled judge differs from the run's, else ""."""
        here = judged_by(self.config)
        bundled = self.config.part("judge").classifies and self.config.is_bundled
        if not bundled or self.weights in (None, bundled_fingerprint()):
            return ""
        return f"Judged by {self.judged_by}, but {here} is installed: its scores may differ."

    @property
    def sizes(self) -> Sequence[int]:
        """The number of judged claims per record."""
        return array("L", (self._folder.entries[i].size for i in self.ids))

    @property
    def statuses(self) -> Iterator[Status]:
        """The status of each record."""
        return (self._folder.entries[i].status for i in self.ids)

    def tally(self, config: Config) -> Tally[R]:
        """An empty tally for this run's results, with `config`."""
        return self.task.tally(config, self.sizes)


def unfinished(folder: RunFolder[Any], path: Path, finished: int) -> str | None:
    """What is missing of the run at `path` with so many finished records, as text; None if complete."""
    counts = folder.counts()
    if not counts:
        how = "can't be read" if folder.summary_path.exists() else "is missing"
        state = f"summary.json {how}, so the run may have been interrupted"
    elif (total := counts.get("total")) != finished:
        state = f"the run was interrupted after its summary of {number_of(total or 0, 'record')}"
    elif missing := counts.get("unassessed"):
        state = f"the run was interrupted with {number_of(missing, 'record')} not assessed"
    else:
        return None
    return f"{path}: {state}: {number_of(finished, 'record')} finished; the same run command completes it"


class PastRecords:
    """The records of a run folder with their atoms and contexts.

    No stage before the assessor runs for them. `problems` are those of skipped records (`skip_invalid`);
    `notes` is empty.

    Raises:
        RunError: not a run folder, a damaged one, or one without an assessed record.
        InputError: a record failed before it had atoms, or does not fit; or no other is left.
    """

    notes: Sequence[str] = ()

    def __init__(
        self, path: Path, *, fits: Fits, limit: int | None = None, skip_invalid: bool = False
    ) -> None:
        self._folder = RunFolder(path, TASK)
        if (made_by := self._folder.manifest.task) != TASK.name:
            remedy = f"give the records it was made from, or the folder of a run of `{TASK.name}`"
            raise RunError(f"{path}: the folder of a run of `{made_by}`; {remedy}")
        self.problems: list[InputProblem] = []
        ids: list[str] = []
        for assessment in self._folder.results(self._folder.assessed()[:limit]):
            problems = fits(record_of(assessment))
            if assessment.status == "failed" and not assessment.atoms:
                problems = [InputProblem("", "atoms", _FAILED_BEFORE)]
            where = f"{self._folder.journal_path}: record {assessment.record_id}"
            self.problems += [problem._replace(where=where) for problem in problems]
            if not problems:
                ids.append(assessment.record_id)
        self.ids = tuple(ids)
        if self.problems and not skip_invalid:
            raise InputError(merged(self.problems), valid=len(ids))
        if not ids:
            raise InputError([*self.problems, InputProblem(str(path), "", "no valid record is left")])

    def records(self) -> Iterator[Record]:
        """The records in the order of the run's results, each read on request."""
        return map(record_of, self._folder.results(self.ids))


def record_of(assessment: Assessment) -> Record:
    """The assessed record, with its atoms and contexts."""
    same = ("response", "prompt", "topic", "atoms", "contexts", "metadata")
    return Record(id=assessment.record_id, **{name: getattr(assessment, name) for name in same})


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """The shortest unique endings of paths. Raises UsageError: one is given twice."""
    parts, length = [resolve_links(path).parts for path in paths], 1
    if twice := [path for path, own in zip(paths, parts, strict=True) if parts.count(own) > 1]:
        raise UsageError(f"{twice[0]}: given twice; name different runs")
    while len(names := ["/".join(part[-length:]) for part in parts]) > len(set(names)):
        length += 1
    return names
