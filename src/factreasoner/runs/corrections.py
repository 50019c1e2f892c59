"""A reader's corrections of a run's verdicts: read, checked, applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.inputs.jsonl import objects_of
from factreasoner.judges.relation_lines import MOST_PROBLEMS, line_problems
from factreasoner.models import Assessment, Label, Model, Result, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=Result)
Pair = tuple[str, str]

LINE_FORMAT = 'a line is {"record", "task", "premise", "claim", "label", "was", "note"?}'
CORRECTED = "corrected"


class Correction(Model):
    """A reader's correction of a verdict: the right `label`, and the one it `was`."""

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
        given = verdict.uncalibrated_verdict
        words = f"corrected by a reader; the judge gave {given.label} ({given.probability:.2f})"
        note = f"{words}: {self.note}" if self.note else words
        changes = {"label": self.label, "probability": 1.0, "confidence": CORRECTED, "note": note}
        unquoted = {} if self.label == given.label else {"quote": None, "quote_by": None, "citation": None}
        return given.model_copy(update=changes | unquoted)


class Corrections:
    """The corrections in a JSONL file saved from a report, for the run in `folder`.

    Raises InputError: the file can't be read, or a line is for another task, an unknown record or pair, or a
    verdict with another label.
    """

    def __init__(self, file: Path, folder: RunFolder[Any]) -> None:
        self.file = file
        self._task: Task[Any] = folder.task
        self._by_record: dict[str, dict[Pair, Correction]] = {}
        self._places: dict[tuple[str, Pair], str] = {}
        problems: list[InputProblem] = []
        for line in objects_of(file, problems, LINE_FORMAT):
            try:
                problems += self._add(Correction.model_validate(line.data), line.where)
            except ValidationError as error:
                problems += line_problems(error, line.where, LINE_FORMAT)
        for record_id in self._by_record:
            if len(problems) < MOST_PROBLEMS:
                problems += self._misfits(record_id, folder)
        if problems:
            raise InputError(problems[:MOST_PROBLEMS])
        if not self._by_record:
            raise InputError([InputProblem(str(file), "", f"has no corrections; {LINE_FORMAT}")])

    @property
    def records(self) -> frozenset[str]:
        """Ids of the records with corrections."""
        return frozenset(self._by_record)

    def applied(self, result: R) -> R:
        """The result with corrected verdicts, not solved again."""
        own = self._by_record.get(result.record_id)
        if own is None:
            return result
        verdicts = self._task.verdicts(result)
        changed = tuple(own[v.pair].applied(v) if v.pair in own else v for v in verdicts)
        corrected: R = self._task.with_verdicts(result, changed)
        return corrected

    def label_of(self, record_id: str, verdict: Verdict) -> Label:
        """The right label of a verdict in a corrected record; uncorrected ones are right."""
        correction = self._by_record[record_id].get(verdict.pair)
        return correction.label if correction else verdict.label

    def _add(self, one: Correction, where: str) -> Iterator[InputProblem]:
        """Add a correction, unless it has a problem."""
        own = self._by_record.setdefault(one.record, {})
        if one.task != self._task.name:
            message = f"is {one.task!r}, but this is a run of `{self._task.name}`"
            yield InputProblem(where, "task", message)
        elif own.setdefault(one.pair, one) is not one:
            before = self._places[one.record, one.pair]
            yield InputProblem(where, "claim", f"{before} corrects that verdict too; keep one")
        else:
            self._places[one.record, one.pair] = where

    def _misfits(self, record_id: str, folder: RunFolder[Any]) -> Iterator[InputProblem]:
        """The corrections that do not fit the record's verdicts."""
        own = self._by_record[record_id]
        try:
            (result,) = folder.results((folder.known_id(record_id),))
        except RunError as error:
            yield from (InputProblem(self._places[record_id, key], "record", str(error)) for key in own)
            return
        found = {verdict.pair: verdict.label for verdict in self._task.verdicts(result)}
        for key, one in own.items():
            where = self._places[record_id, key]
            if key not in found:
                message = f"has no verdict of {one.premise!r} on {one.claim!r} in record {record_id!r}"
                yield InputProblem(where, "premise", f"{folder.path} {message}")
            elif found[key] != one.was:
                message = f"is {one.was!r}, but the run's verdict is {found[key]!r}"
                yield InputProblem(where, "was", f"{message}: the correction is for another run")


def rescorer(config: Config, corrections: Corrections | None) -> Callable[[Any], Any]:
    """Returns a function that corrects a result and, for an assessment, solves it as `config` says."""
    solver = SOLVER.make(config.solver, {"config": config})

    def again(result: Result) -> Result:
        corrected = corrections.applied(result) if corrections else result
        return rescore(corrected, solver, config) if isinstance(corrected, Assessment) else corrected

    return again
