"""The tables of a run: what a row of each holds, and the rows, read one record at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.models import TaskResult, Verdict
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Task

Row = dict[str, Any]
Columns = Mapping[str, type]
"""Name of a column -> str, int, float, or list for a list of texts. Any value may be None."""

RECORDS, VERDICTS = "records", "verdicts"

CLAIM_COLUMNS: Columns = {
    name: {"start": int, "end": int, "num_entailing": int, "num_contradicting": int, "p_true": float}.get(
        name, str
    )
    for name in ClaimRow._fields
}
NOT_OF_ATOMS = ("of", "against", "fate")
"""Columns that are the same for all atoms."""
VERDICT_COLUMNS: Columns = {
    "record": str,
    "premise": str,
    "claim": str,
    "label": str,
    "probability": float,
    "confidence": str,
    "uncalibrated": float,
    "uncalibrated_label": str,
    "label_mass": float,
    "belief": float,
    "nearness": float,
    "quote": str,
    "citation": str,
    "rests_on": list,
    "note": str,
}
SAME_NAMES = [
    name for name in VERDICT_COLUMNS if name not in ("record", "premise", "claim", "rests_on", "note")
]
"""Columns that are fields of a verdict."""
_BEFORE: Columns = dict.fromkeys(("record", "status", "input", "output", "topic", "model_name"), str)
_USAGE: Columns = {
    **dict.fromkeys(("calls", "cached_calls", "prompt_tokens", "completion_tokens"), int),
    "cost": float,
}
_AFTER: Columns = {"num_failures": int, **_USAGE, "elapsed_seconds": float, "metadata": str}


class RunTable(NamedTuple):
    """A table of a run; `rows` makes them anew each time it is called."""

    name: str
    columns: Columns
    rows: Callable[[], Iterator[Row]]


def claim_table_of(task: Task[Any]) -> str:
    """The name of the table of a task's claims: `atoms` of a run, else `claims`."""
    return f"{task.claim_word}s"


def table_of(run: FinishedRun[Any], name: str) -> RunTable:
    """The table of that name.

    Raises:
        ConfigError: runs of that task have no such table; those they have are named.
    """
    claims = claim_table_of(run.task)
    if name == claims:
        return RunTable(
            name,
            _claim_columns(run.task),
            lambda: (row for result in run.results() for row in claim_rows(run.task, result)),
        )
    if name == VERDICTS:
        return RunTable(name, VERDICT_COLUMNS, lambda: _verdicts(run))
    if name == RECORDS:
        return RunTable(name, _record_columns(run.task), lambda: _records(run))
    known = ", ".join((claims, RECORDS, VERDICTS))
    raise ConfigError(f"a run of `{run.task.name}` has no table {name!r}; it has: {known}")


def _claim_columns(task: Task[Any]) -> Columns:
    if task.claim_word == "claim":
        return CLAIM_COLUMNS
    renamed = ((task.claim_word if name == "claim" else name, kind) for name, kind in CLAIM_COLUMNS.items())
    return {name: kind for name, kind in renamed if name not in NOT_OF_ATOMS}


def claim_rows(task: Task[Any], result: TaskResult) -> Iterator[Row]:
    """The rows of that table of one result."""
    for row in task.rows(result):
        yield claim_row(task, row)


def claim_row(task: Task[Any], row: ClaimRow) -> Row:
    """That row of the table: an atom's has its id as `atom`."""
    values = row._asdict()
    values[task.claim_word] = values["claim"]
    return {name: values[name] for name in _claim_columns(task)}


def _verdicts(run: FinishedRun[Any]) -> Iterator[Row]:
    for result in run.results():
        for verdict in run.task.verdicts(result):
            yield {"record": result.record_id, **_verdict(verdict)}


def _verdict(verdict: Verdict) -> Row:
    return {
        "premise": verdict.context_id,
        "claim": verdict.target_id,
        **{name: getattr(verdict, name) for name in SAME_NAMES},
        "rests_on": list(verdict.rests_on),
        "note": verdict.note,
    }


def _record_columns(task: Task[Any]) -> Columns:
    metrics = {metric.line_name: float for metric in task.table.shown_in("line")}
    return {**_BEFORE, **metrics, **dict.fromkeys(task.counts, int), **_AFTER}


def _records(run: FinishedRun[Any]) -> Iterator[Row]:
    """What results.jsonl says of each record, with the run's own settings."""
    columns = _record_columns(run.task)
    tally = run.tally(run.config)
    for result in run.results():
        line = tally.add(result)
        line |= line["usage"] | {
            "record": line["id"],
            "num_failures": len(line["failures"]),
            "metadata": json.dumps(line["metadata"], ensure_ascii=False),
        }
        yield {name: line.get(name) for name in columns}
