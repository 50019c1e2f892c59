"""`factreasoner metrics`: what every metric is computed from, and what it means."""

from __future__ import annotations

from typing import Annotated

import typer

from factreasoner.cli.flags import AsJson
from factreasoner.report.console import Terminal
from factreasoner.report.terminal import say_json


def metrics(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="Only those of run, recall, ... (default: all)")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List every metric: its name in summaries and rules, which way is better, what it needs and means."""
    from rich.table import Column

    from factreasoner.metrics.table import ARROWS
    from factreasoner.tasks.registry import TASKS, check_task, task_named

    if task is not None:
        check_task(task)
    tables = {name: task_named(name).table for name in ([task] if task else TASKS)}
    if as_json:
        say_json([{"task": name, **metric.content()} for name, rows in tables.items() for metric in rows])
        return
    console = Terminal()
    for name, rows in tables.items():
        console.print(f"[bold]{name}[/bold]")
        cells = ((m.name + ARROWS[m.better], m.needs.words, m.meaning) for m in rows)
        console.columns((Column("metric", no_wrap=True), "needs", "meaning"), cells)
        console.print()
