"""A result or a run as a short piece of HTML, which notebooks show instead of its `repr`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from factreasoner.models import TaskResult
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.labels import COLOURS, look_of
from factreasoner.tasks.rows import REFERENCE, ClaimRow, source_name
from factreasoner.tasks.task import TASKS, Task, task_named

MOST_ROWS = 100


def html_of(result: TaskResult | FinishedRun[Any], told: str) -> str:
    """The claims of a result or a run as a table, each with P, label and deciding quote, under `told`.

    Everything that comes from texts is escaped. Of many claims the first `MOST_ROWS` are there.
    """
    if isinstance(result, FinishedRun):
        return _html_of_run(result, told)
    task = next(task for task in map(task_named, TASKS) if task.result is type(result))
    rows = list(task.rows(result))
    return _table(
        task,
        [_row(row, task) for row in rows[:MOST_ROWS]],
        told=told,
        more=f"{len(rows) - MOST_ROWS} more are left out here." if len(rows) > MOST_ROWS else "",
        failures=[f"{failure.stage} {failure.item_id}: {failure.message}" for failure in result.all_failures],
        changes=getattr(result, "changes", ()),
    )


def _html_of_run(run: FinishedRun[Any], told: str) -> str:
    """The claims with their records; no more than are shown is read."""
    rows = list(islice((row for result in run.results() for row in run.task.rows(result)), MOST_ROWS + 1))
    more = f"The other {run.task.claim_word}s are left out here." if len(rows) > MOST_ROWS else ""
    shown = [_row(row, run.task) | {"record": row.record} for row in rows[:MOST_ROWS]]
    return _table(run.task, shown, told=told, more=more, failures=(), changes=())


def _table(task: Task[Any], rows: Sequence[dict[str, Any]], **content: object) -> str:
    environment = Environment(
        loader=PackageLoader("factreasoner.report", "assets"), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("notebook.html")
    return template.render(p_word=task.p_word, claim_word=task.claim_word, rows=rows, **content)


def _row(row: ClaimRow, task: Task[Any]) -> dict[str, Any]:
    look = look_of(row, task.label_words)
    return {
        "record": "",
        "p": "" if row.p_true is None else f"{row.p_true:.3f}",
        "label": ", ".join((f"{look.mark} {look.word}", *row.cautions)),
        "colour": COLOURS[look.kind].light,
        "text": row.text,
        "source": "" if row.context is None else source_name(row.context, row.title or row.link),
        "of": f"of the {row.of}: " if row.of == REFERENCE else "",
        "quote": row.quote,
        "note": row.note_beside_quote,
    }
