"""Assess many records from Python, with run folder, limits and resuming as in the CLI."""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal, Self, Unpack

from factreasoner.analysis.opened_run import Run
from factreasoner.errors import (
    BudgetError,
    ConfigError,
    FactReasonerError,
    InputError,
    InputProblem,
    RunError,
)
from factreasoner.inputs.parsing import parse_records
from factreasoner.models import Record, record_fingerprint
from factreasoner.models.formatting import in_python
from factreasoner.pipeline.assembly import Calls, parts_and_config, with_component_names
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, awaitable, python_call
from factreasoner.plugins.kinds import importable, named
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import LLM
from factreasoner.report.progress import progress_for
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.manifest import TEMPORARY
from factreasoner.runs.runner import RunReport, open_run
from factreasoner.runs.runner import run as run_records
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.task import check_task, task_named

logger = logging.getLogger(__name__)
TaskName = Literal["run", "recall", "rag", "verify"]


class TemporaryFolder(type(Path())):  # type: ignore[misc]
    """The path of a temporary folder that is deleted when no path from it is referenced."""

    _parent: Self | None = None

    @classmethod
    def made(cls) -> Self:
        """A new folder."""
        path = cls(tempfile.mkdtemp(prefix=TEMPORARY))
        weakref.finalize(path, shutil.rmtree, str(path), ignore_errors=True)
        return path

    def __truediv__(self, key: str | Path) -> Self:
        child: Self = super().__truediv__(key)
        child._parent = self
        return child


@python_call
def assess_many(
    records: object,
    *,
    task: TaskName = "run",
    out: str | Path | None = None,
    column_map: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    fresh: bool = False,
    progress: bool = True,
    llm: LLM | None = None,
    config: ConfigLike = None,
    **settings: Unpack[Keywords],
) -> Run:
    """Assess many records, or run another `task` ("recall", "rag", "verify") on them.

    `records` are mappings or objects with the keys of the input format, a pandas DataFrame or a
    `datasets.Dataset`. All are checked before anything is spent; `skip_invalid` skips wrong ones and warns.
    `out` is the run folder, which every command reads. The same call again continues where the last one
    stopped, and tries failed records again. Other records are added to the folder; `fresh` starts over.
    Without `out`, the folder lasts as long as the run, its path and its results. `column_map` maps your keys
    or columns to ours: {"reply": "output"}. `settings`, `config` and `llm` are as in `assess`.

        run = assess_many(frame, out="runs/answers", model="openai/gpt-4o-mini", concurrency=32)

    Raises:
        ConfigError: an unknown or wrong setting, or a key or model name that is wrong.
        InputError: some records are wrong, or have the id of another one in the folder; all are named.
        RunError: the run in the folder was made with other settings, or another process writes there.
        BudgetError: `max_cost` is reached. As any error then, it has the finished records in `run`.
    """
    check_task(task)
    parts, config = parts_and_config(settings, config)
    if config.executor != "threads":
        config, parts = _by_name(config, parts if llm is None else {**parts, "llm": llm}), {}
    asked = task_named(task)
    full = with_component_names(config, parts)
    checks = (lambda r: asked.problems(r, full), column_map)
    found, notes, numbered = parse_records("assess_many()", records, *checks, skip_invalid=skip_invalid)
    for note in notes:
        logger.warning("%s", in_python(note))
    folder = RunFolder(Path(out) if out else TemporaryFolder.made(), asked)
    with open_run(folder, config, Calls(llm=llm, parts=parts), fresh=fresh):
        before = _others_than(folder, found)
        worker = asked.worker(config, folder.calls(config)._replace(llm=llm, parts=parts))
        with _keeping_finished(folder.path), progress_for(quiet=not progress) as shown:
            ids = dict.fromkeys([*before, *(record.id for record in found.values())])
            _refuse_stopped(run_records(worker, folder, list(ids), found.values(), shown))
    index = getattr(records, "index", None) if hasattr(records, "iloc") else None
    places = {record.id: place for place, record in found.items()}
    return Run(FinishedRun.of_any_task(folder.path, None), (index, places, numbered))


def _refuse_stopped(report: RunReport) -> None:
    """Raise BudgetError for a run that ended early."""
    if report.stopped:
        raise BudgetError(f"{report.stopped}; {report.unfinished} of {report.total} records are not assessed")


@contextlib.contextmanager
def _keeping_finished(path: Path) -> Iterator[None]:
    """Add the folder and the run with its finished records to any error."""
    try:
        yield
    except (FactReasonerError, KeyboardInterrupt) as error:
        with contextlib.suppress(RunError):
            vars(error)["run"] = run = Run.open(path)
            kept = f"finished records: {len(run)}, in {path}"
            error.add_note(f"{kept}; the same call with `out` continues there")
        raise


aassess_many = awaitable(assess_many)


def _others_than(folder: RunFolder[Any], records: Mapping[int, Record]) -> list[str]:
    """The ids already in a folder. Raises InputError if a new record reuses one of them."""
    places = {record.id: place for place, record in records.items()}
    problems = []
    for known in folder.results(places):
        new = records[places[known.id]]
        if known.fingerprint != record_fingerprint(new):
            message = (
                f"{new.id!r} is also the id of a record in {folder.path}, whose output is "
                f"{shorten(known.output, 60)!r}, not {shorten(new.output, 60)!r}, or other keys differ; "
                "use another `id` (records without one get r1, r2, ...), another `out`, or `fresh=True`"
            )
            problems.append(InputProblem(f"assess_many(), record {places[known.id] + 1}", "id", message))
    if problems:
        raise InputError(problems)
    return folder.order()


def _by_name(config: Config, parts: Mapping[str, object]) -> Config:
    """Settings that name the components, for worker processes; ConfigError if one has no name."""
    for kind, part in parts.items():
        if kind not in PLUGINS or not importable(part):
            what = named(part).removeprefix("__main__:")
            raise ConfigError(
                f"executor: other processes import their parts, and {kind} ({what}) is not a class or "
                "function at the top level of a module; make it one, or remove the executor"
            )
    return config.model_copy(update={kind: named(part) for kind, part in parts.items()})
