"""Open a run folder from Python: results, and tables as data frames."""

from __future__ import annotations

import copy
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.analysis.comparison import ComparisonSettings, compare_runs, named_runs
from factreasoner.analysis.tables import RECORDS, VERDICTS, table_of
from factreasoner.errors import ConfigError, RunError
from factreasoner.models import Result, counted
from factreasoner.models.formatting import describe
from factreasoner.models.frames import frame_of
from factreasoner.models.notebook import notebook_html
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import python_call
from factreasoner.runs.finished import FinishedRun

if TYPE_CHECKING:
    from pandas import DataFrame

    _Made = tuple[DataFrame | None, Mapping[str, int], bool]  # frame, row of each id, if ids are numbers
logger = logging.getLogger(__name__)
OTHERS = "%s has other records, so it keeps no index: join on `record` (text if any id is: id.astype(str))"


class Run:
    """The results of a run of any task.

        run = Run.open("runs/answers")
        run.atoms().sort_values("p_true").head()

    `len(run)` is the number of records, `run["q1"]` the result of one, and iterating gives each. A run can be
    copied and pickled: it is its folder. The tables are pandas DataFrames: they raise MissingExtraError
    without the extra `frames`. A missing value is <NA>, never 0. docs/results.md has the columns.
    """

    def __init__(self, finished: FinishedRun[Any], made: _Made = (None, {}, False)) -> None:
        self._finished = finished
        self._made = made

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
        """The settings of the run."""
        return self._finished.config

    def __repr__(self) -> str:
        count = counted("record", self._finished.statuses)
        judge = self._finished.judged_by
        return f"<Run {str(self.path)!r}: task {self.task}, {count}, judged by {judge}>"

    def _repr_html_(self) -> str:
        shown = ((result.id, result.rows(), result.failures) for result in self._finished.results())
        return notebook_html(repr(self), shown, self._finished.task.words, named=True)

    def __len__(self) -> int:
        return len(self._finished.ids)

    def __iter__(self) -> Iterator[Result]:
        return self.results()

    def __contains__(self, record_id: object) -> bool:
        return str(record_id) in self._finished.ids

    def __getitem__(self, record_id: object) -> Result:
        """The result of the record with that id. Raises KeyError, naming the nearest id."""
        if isinstance(record_id, slice) or (isinstance(record_id, Integral) and record_id not in self):
            first = self._finished.ids[0]
            raise KeyError(f"no record has the id {record_id}; use one, run[{first!r}], or list(run)[0]")
        return next(self.results(str(record_id)))

    def __reduce__(self) -> tuple[Callable[..., Run], tuple[Path], tuple[Any, ...]]:
        opened = partial(Run.open, corrections=self._finished.corrections)
        return opened, (self.path,), (self._made, self._finished.unfinished, {*self._finished.ids})

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._made, self._finished.unfinished, kept = state
        self._finished.ids = [i for i in self._finished.ids if i in kept]

    def results(self, ids: str | int | Iterable[str | int] | None = None) -> Iterator[Result]:
        """The result of each record, or of the one or those in `ids`, read one at a time.

        It is an `Assessment` in a run of `run`, a `RagResult` in one of `rag`, and so on.

        Raises KeyError, naming the nearest id: the run has no record of that id.
        """
        asked = [ids] if isinstance(ids, str | int | Integral) else ids
        try:
            known = None if asked is None else [self._finished.known_id(str(one)) for one in asked]
        except RunError as error:
            raise KeyError(str(error).removeprefix(f"{self.path}: ")) from error
        k = self.config.k if isinstance(self.config.k, int) else None
        return (one.model_copy(update={"k": k}) for one in self._finished.results(known))

    def __deepcopy__(self, memo: object) -> Run:
        return copy.copy(self)

    @property
    def summary(self) -> dict[str, Any]:
        """Scores and counts over all records, as summary.json has them."""
        tally = self._finished.tally(self.config)
        for result in self._finished.results():
            tally.add(result)
        return tally.content()

    def atoms(self) -> DataFrame:
        """The atoms of a `run` folder, one per row; see `Result.rows`. Raises ConfigError for other tasks."""
        return self._frame("atoms")

    def claims(self) -> DataFrame:
        """The claims of any other task: one row per claim and text it was checked against."""
        return self._frame("claims")

    def records(self) -> DataFrame:
        """The records with scores, usage and metadata, one per row; in an opened run `record` is text."""
        return self._frame(RECORDS)

    def verdicts(self) -> DataFrame:
        """The verdicts, one per row, each on a premise (such as a context) and a claim."""
        return self._frame(VERDICTS)

    def _frame(self, name: str) -> DataFrame:
        table = table_of(self._finished, name)
        found = frame_of(table.columns, table.rows())
        index, places, numbered = self._made
        whole = numbered and all(re.fullmatch("0|-?[1-9][0-9]*", i) for i in self._finished.ids)
        if index is not None and places.keys() >= {*self._finished.ids}:
            found.index = index.take([places[name] for name in found["record"]])
        elif index is not None:
            logger.warning(OTHERS, self.path)
            self._made = None, places, numbered  # told once
        if whole:
            found["record"] = found["record"].astype(object).map(int)
        return found


@python_call
def compare(
    *runs: Run | str | Path,
    seed: int = 0,
    k: int | str | None = None,
    gold: str | Path | None = None,
    intersect: bool = False,
) -> dict[str, Any]:
    """Scores of runs, or run folders, of one task over the same records, and differences from the first.

    Each difference has a p-value from permutations with `seed`, as in `compare --json`. `k` is as in
    `Config`, `gold` a file of human labels. `intersect` compares only the records that all runs score.

    Raises:
        ConfigError: fewer than two runs, one twice, or something else than runs.
        RunError: records or tasks differ.
    """
    if strange := [describe(run) for run in runs if not isinstance(run, Run | str | Path)]:
        raise ConfigError(f"compare() takes runs and run folders, and one is {strange[0]}")
    if len(runs) < 2:
        raise ConfigError("compare() needs at least two runs or run folders")
    opened = [run if isinstance(run, Run) else Run.open(run) for run in runs]
    names = named_runs([run.path for run in opened])
    finished = (run._finished for run in opened)  # noqa: SLF001 - with its corrections
    how = ComparisonSettings(k, seed, None if gold is None else Path(gold), intersect)
    return compare_runs(dict(zip(names, finished, strict=True)), settings=how)
