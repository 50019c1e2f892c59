"""The records of a finished run as input of another one: same atoms, same contexts, nothing asked twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.parsing import Fits
from factreasoner.models import Assessment, Record
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK


class PastRecords:
    """What the records of a run folder became before they were judged.

    They bring the atoms and contexts that run worked on, so that no stage before the assessor has anything
    to do. `problems` are those of the records left out (`skip_invalid`).

    Raises:
        RunError: not a run folder, or a damaged one.
        InputError: a record that failed before it had atoms, or does not fit; or there is none.
    """

    def __init__(
        self, path: Path, *, fits: Fits, limit: int | None = None, skip_invalid: bool = False
    ) -> None:
        self._folder = RunFolder(path, TASK)
        self._folder.manifest.content()
        self.problems: list[InputProblem] = []
        ids: list[str] = []
        for assessment in self._folder.results(self._folder.order()[:limit]):
            problems = _unusable(assessment) or fits(record_of(assessment))
            where = f"{self._folder.journal_path}: record {assessment.record_id}"
            self.problems += [problem._replace(where=where) for problem in problems]
            if not problems:
                ids.append(assessment.record_id)
        self.ids = tuple(ids)
        if self.problems and not skip_invalid:
            raise InputError(self.problems)
        if not ids:
            message = "no valid record is left" if self.problems else "no record was assessed in this run"
            raise InputError([*self.problems, InputProblem(str(path), "", message)])

    def records(self) -> Iterator[Record]:
        """The records in the order of the run's results, each read when it is asked for."""
        return map(record_of, self._folder.results(self.ids))


def record_of(assessment: Assessment) -> Record:
    """The record that was assessed, with the atoms and contexts it was found to have."""
    return Record(
        id=assessment.record_id,
        response=assessment.response,
        prompt=assessment.prompt,
        topic=assessment.topic,
        atoms=assessment.atoms,
        contexts=assessment.contexts,
        metadata=assessment.metadata,
    )


def _unusable(assessment: Assessment) -> list[InputProblem]:
    if assessment.atoms or assessment.status != "failed":
        return []
    return [
        InputProblem("", "atoms", "the record failed before it had any; finish that run, or --skip-invalid")
    ]
