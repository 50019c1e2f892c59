"""A run folder from Python: its results, and its tables as data frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.analysis.tables import RECORDS, VERDICTS, table_of
from factreasoner.models import Result, counted
from factreasoner.models.frames import frame_of
from factreasoner.models.notebook import notebook_html
from factreasoner.pipeline.config import Config
from factreasoner.runs.finished import FinishedRun

if TYPE_CHECKING:
    from pandas import DataFrame


class Run:
    """The results of a run of any task.

        run = Run.open("runs/answers")
        run.atoms().sort_values("p_true").head()

    `len(run)` is the number of records. The tables are pandas DataFrames: they raise MissingExtraError
    without the extra `frames`. A missing value is <NA>, never 0. docs/show_and_export.md has the columns.
    """

    def __init__(self, finished: FinishedRun[Any]) -> None:
        self._finished = finished

    @classmethod
    def open(cls, path: str | Path, *, corrections: str | Path | None = None) -> Run:
        """Open the run in a folder, finished or in progress.

        `corrections` is a file of a reader's corrections of verdicts, as the page of `report` saves it.

        Raises:
            InputError: the corrections do not belong to this run's verdicts.
            RunError: there is no such folder, it is not a run folder, it is damaged, or it has no record yet.
        """
        file = None if corrections is None else Path(corrections)
        return cls(FinishedRun.of_any_task(path if isinstance(path, Path) else Path(path), file))

    @property
    def path(self) -> Path:
        """The run folder."""
        return self._finished.path

    @property
    def task(self) -> str:
        """The command that made the run: "run", "recall", "rag" or "verify"."""
        return self._finished.task.name

    @property
    def config(self) -> Config:
        """The settings it was made with."""
        return self._finished.config

    def __repr__(self) -> str:
        count = counted("record", self._finished.statuses)
        judge = self._finished.judged_by
        return f"<Run {str(self.path)!r}: task {self.task}, {count}, judged by {judge}>"

    def _repr_html_(self) -> str:
        finished = self._finished
        shown = ((result.id, result.rows(), result.failures) for result in finished.results())
        return notebook_html(repr(self), shown, finished.task.words, named=True)

    def __len__(self) -> int:
        return len(self._finished.ids)

    def results(self) -> Iterator[Result]:
        """The result of each record, read one at a time.

        In a run of `run` it is an `Assessment`; in others it is what the task keeps of a record.
        """
        return self._finished.results()

    def atoms(self) -> DataFrame:
        """The atoms of a run of `run`, one per row, with P(true), label and the quote that decides it.

        Raises:
            ConfigError: the run is of another task; use `claims`.
        """
        return self._frame("atoms")

    def claims(self) -> DataFrame:
        """The claims of a run of `recall`, `rag` or `verify`: a row for each text a claim was held against.

        Raises:
            ConfigError: the run is of `run`; use `atoms`.
        """
        return self._frame("claims")

    def records(self) -> DataFrame:
        """The records with their scores, usage and metadata, one per row."""
        return self._frame(RECORDS)

    def verdicts(self) -> DataFrame:
        """The verdicts, one per row: on a premise (such as a context) and a claim."""
        return self._frame(VERDICTS)

    def _frame(self, name: str) -> DataFrame:
        table = table_of(self._finished, name)
        return frame_of(table.columns, table.rows())
