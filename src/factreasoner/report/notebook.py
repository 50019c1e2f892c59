"""A result or a run as a short piece of HTML, which notebooks show instead of its `repr`."""

from __future__ import annotations

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

    Everything that comes from texts is escaped. Of many claims the first `MOST_ROWS` are there, and as many
    failures; no more of a run is read.
    """
    if named := isinstance(result, FinishedRun):
        task, results = result.task, result.results()
    else:
        task = next(task for task in map(task_named, TASKS) if task.result is type(result))
        results = iter([result])
    found: list[ClaimRow] = []
    failures: list[str] = []
    for one in results:
        found += islice(task.rows(one), MOST_ROWS + 1 - len(found))
        whose = f"{one.record_id}: " if named else ""
        failures += (f"{whose}{f.stage} {f.item_id}: {f.message}" for f in one.all_failures)
        if len(found) > MOST_ROWS:
            break
    environment = Environment(
        loader=PackageLoader("factreasoner.report", "assets"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("notebook.html").render(
        told=told,
        p_word=task.p_word,
        claim_word=task.claim_word,
        rows=[_row(row, task) | {"record": row.record if named else ""} for row in found[:MOST_ROWS]],
        more=f"The other {task.claim_word}s are left out here." if len(found) > MOST_ROWS else "",
        failures=failures[:MOST_ROWS],
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
