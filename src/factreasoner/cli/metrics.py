"""`factreasoner metrics`: the input and meaning of every metric."""

from __future__ import annotations

from rich.table import Column

from factreasoner.cli.flags import AS_JSON, Command, argument
from factreasoner.report.console import Terminal
from factreasoner.report.terminal import print_json


class MetricsCommand(Command):
    """List every metric: name, better direction, what it needs and what it means.

    The list ends with the totals of a run that rules of `check` can use.
    """

    task: str | None = argument("TASK", "Only the metrics of run, recall, ... (default: all)", None)
    as_json: bool = AS_JSON

    def _execute(self) -> None:
        from factreasoner.analysis.rules import totals_of
        from factreasoner.metrics.table import ARROWS
        from factreasoner.report.comparison_tables import averages
        from factreasoner.tasks.task import TASKS, check_task, task_named

        if self.task is not None:
            check_task(self.task)
        tables = {name: task_named(name).table for name in ([self.task] if self.task else TASKS)}
        if self.as_json:
            print_json(
                [{"task": name, **metric.content()} for name, rows in tables.items() for metric in rows]
            )
            return
        console = Terminal()
        for name, rows in tables.items():
            console.print(f"[bold]{name}[/bold]")
            cells = ((m.name + ARROWS[m.better], m.needs.words, m.meaning) for m in rows)
            console.columns((Column("metric", no_wrap=True), "needs", "meaning"), cells)
            console.sentence(averages(name, rows))
            console.sentence(f"Totals for `check`: {', '.join(totals_of(task_named(name)))}.")
            console.print()
