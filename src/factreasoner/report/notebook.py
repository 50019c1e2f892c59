"""The result of one record as a short piece of HTML, which notebooks show instead of its `repr`."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from factreasoner.models import TaskResult
from factreasoner.tasks.labels import COLOURS, look_of
from factreasoner.tasks.rows import REFERENCE, ClaimRow, source_name
from factreasoner.tasks.task import TASKS, Task, task_named

MOST_ROWS = 100


def html_of(result: TaskResult, told: str) -> str:
    """The claims of a result as a table, each with P, label and the quote that decides it, under `told`.

    Everything that comes from texts is escaped. Of many claims the first `MOST_ROWS` are there.
    """
    task = next(task for task in map(task_named, TASKS) if task.result is type(result))
    rows = list(task.rows(result))
    environment = Environment(
        loader=PackageLoader("factreasoner.report", "assets"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("notebook.html").render(
        told=told,
        p_word=task.p_word,
        claim_word=task.claim_word,
        rows=[_row(row, task) for row in rows[:MOST_ROWS]],
        more=max(len(rows) - MOST_ROWS, 0),
        failures=[f"{failure.stage} {failure.item_id}: {failure.message}" for failure in result.all_failures],
        changes=getattr(result, "changes", ()),
    )


def _row(row: ClaimRow, task: Task[Any]) -> dict[str, Any]:
    look = look_of(row, task.label_words)
    return {
        "p": "" if row.p_true is None else f"{row.p_true:.3f}",
        "label": ", ".join((f"{look.mark} {look.word}", *row.cautions)),
        "colour": COLOURS[look.kind].light,
        "text": row.text,
        "source": "" if row.context is None else source_name(row.context, row.title or row.link),
        "of": f"of the {row.of}: " if row.of == REFERENCE else "",
        "quote": row.quote,
        "note": row.note_beside_quote,
    }
