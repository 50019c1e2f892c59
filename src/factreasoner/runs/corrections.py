"""A reader's corrections of a run's verdicts: read, checked against the run, applied to its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.inputs.jsonl import objects_of
from factreasoner.judges.recorded import line_problems
from factreasoner.models import Assessment, Label, Model, TaskResult, Verdict
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=TaskResult)
Pair = tuple[str, str]

LINE_FORMAT = 'a line is {"record", "task", "premise", "claim", "label", "was", "note"?}'
MOST_PROBLEMS = 100
CORRECTED = "corrected"
"""Where the probability of a corrected verdict comes from."""


class Correction(Model):
    """A reader's correction of a premise's verdict on a claim: the right `label`, and the one it `was`."""

    record: str = Field(min_length=1)
    task: str
    premise: str = Field(min_length=1)
    claim: str = Field(min_length=1)
    label: Label
    was: Label
    note: str = ""

    @property
    def pair(self) -> Pair:
        """Ids of the premise and the claim."""
        return self.premise, self.claim

    def applied(self, verdict: Verdict) -> Verdict:
        """The corrected verdict: certain, and without the judge's quote if that was for another label."""
        given = verdict.as_given
        said = f"corrected by a reader; the judge said {given.label} ({given.probability:.2f})"
        note = f"{said}: {self.note}" if self.note else said
        changes = {"label": self.label, "probability": 1.0, "confidence": CORRECTED, "note": note}
        unquoted = {} if self.label == given.label else {"quote": None, "citation": None}
        return given.model_copy(update=changes | unquoted)


class Corrections:
    """The corrections in a JSONL file, as the page of `report` saves it, for the run in `folder`.

    Raises:
        InputError: the file can't be read, or a line is wrong: it is for another task, for a record or a pair
            that the run has no verdict on, or for a verdict with another label than the line says.
    """

    def __init__(self, file: Path, folder: RunFolder[Any]) -> None:
        self.file = file
        self._task: Task[Any] = folder.task
        self._problems: list[InputProblem] = []
        self._by_record: dict[str, dict[Pair, Correction]] = {}
        self._places: dict[tuple[str, Pair], str] = {}
        for line in objects_of(file, self._problems):
            try:
                self._add(Correction.model_validate(line.data), line.where)
            except ValidationError as error:
                self._problems += line_problems(error, line.where, LINE_FORMAT)
        for record_id, corrections in self._by_record.items():
            if len(self._problems) < MOST_PROBLEMS:
                self._check(record_id, corrections, folder)
        if self._problems:
            raise InputError(self._problems[:MOST_PROBLEMS])
        if not self._by_record:
            raise InputError([InputProblem(str(file), "", f"has no corrections; {LINE_FORMAT}")])

    @property
    def records(self) -> frozenset[str]:
        """Ids of the records that have corrections."""
        return frozenset(self._by_record)

    def applied(self, result: R) -> R:
        """The result with corrected verdicts; nothing is solved again."""
        own = self._by_record.get(result.record_id)
        if own is None:
            return result
        verdicts = self._task.verdicts(result)
        changed = tuple(own[pair(v)].applied(v) if pair(v) in own else v for v in verdicts)
        corrected: R = self._task.with_verdicts(result, changed)
        return corrected

    def label_of(self, record_id: str, verdict: Verdict) -> Label:
        """The right label of a verdict of a record with corrections: one that is not corrected is right."""
        correction = self._by_record[record_id].get(pair(verdict))
        return correction.label if correction else verdict.label

    def _add(self, correction: Correction, where: str) -> None:
        key = correction.record, correction.pair
        if key in self._places:
            self._problem(where, "claim", f"{self._places[key]} corrects that verdict too; keep one")
        elif correction.task != self._task.name:
            self._problem(where, "task", f"is {correction.task!r}, but this is a run of `{self._task.name}`")
        else:
            self._places[key] = where
            self._by_record.setdefault(correction.record, {})[correction.pair] = correction

    def _check(self, record_id: str, corrections: Mapping[Pair, Correction], folder: RunFolder[Any]) -> None:
        """Note each correction that does not fit the verdicts of the record."""
        found: dict[Pair, Verdict] = {}
        missing = ""
        try:
            (result,) = folder.results((folder.known_id(record_id),))
            found = {pair(verdict): verdict for verdict in self._task.verdicts(result)}
        except RunError as error:
            missing = str(error)
        for key, correction in corrections.items():
            where, verdict = self._places[record_id, key], found.get(key)
            if missing:
                self._problem(where, "record", missing)
            elif verdict is None:
                premise, claim = key
                message = f"{folder.path} has no verdict of {premise!r} on {claim!r} in record {record_id!r}"
                self._problem(where, "premise", message)
            elif verdict.label != correction.was:
                said = f"is {correction.was!r}, but the run's verdict is {verdict.label!r}"
                self._problem(where, "was", f"{said}: the correction is for another run")

    def _problem(self, where: str, field: str, message: str) -> None:
        self._problems.append(InputProblem(where, field, message))


def pair(verdict: Verdict) -> Pair:
    """The premise and the claim of a verdict."""
    return verdict.context_id, verdict.target_id


def scored_again(config: Config, corrections: Corrections | None) -> Callable[[Any], Any]:
    """What scores a result again: corrected and, if it is an assessment, solved as `config` says."""
    solver = SOLVER.make(config.solver, {"config": lambda: config})

    def again(result: TaskResult) -> TaskResult:
        corrected = corrections.applied(result) if corrections else result
        return rescore(corrected, solver, config) if isinstance(corrected, Assessment) else corrected

    return again
