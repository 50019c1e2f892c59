"""What a person reads at the end of a task on claims against sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from factreasoner.cli.atom_tables import claim_cells
from factreasoner.cli.lacking import lacking_of
from factreasoner.cli.running import Show
from factreasoner.cli.tables import counted_records, mean_text, print_rows, run_rows
from factreasoner.report.console import Terminal, plain
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.recall.task import TASK as RECALL
from factreasoner.tasks.task import Task


def print_claims(task: Task[Any]) -> Show:
    """What prints the short table at the end of a run of `task`."""

    def show(summary: Mapping[str, Any], config: Config, folder: Path) -> None:
        print_rows(_rows(summary, config, task), summary, config, folder)

    return show


def _rows(summary: Mapping[str, Any], config: Config, task: Task[Any]) -> Iterator[tuple[str, str]]:
    yield "records", counted_records(summary)
    lacking = lacking_of(task.table, "run", summary["given"])
    records = summary["records"]
    all_failed = 0 < records["failed"] == records["total"]
    if all_failed:
        yield "scores", "[red]none: every record failed[/red], see failures"
    for metric in task.table.shown_in("run"):
        found = summary["metrics"][metric.name]
        if found["value"] is None and (all_failed or metric.needs.labels or metric.name in lacking.metrics):
            continue
        reason = f" ({escape(found['reason'])})" if found["value"] is None else ""
        yield metric.caption(None, room=True), mean_text(metric, summary) + reason
    yield from (("not scored", sentence) for sentence in lacking.sentences)
    if summary["few_records"] is not None and not all_failed:
        yield "", summary["few_records"]
    undecided = summary["undecided_claims"]
    if undecided["count"]:
        words = "claims lack a verdict that would decide them; shares leave out what is undecided"
        yield "undecided", f"[red]{undecided['count']:,}[/red] of {undecided['of']:,} {words}"
    yield from run_rows(summary, config, "verdicts")


def print_missed_facts(folder: Path, ids: Iterable[str]) -> None:
    """The facts that answers do not state, and those that stayed unanswered, record by record."""
    run = RunFolder(folder, RECALL)
    console = Terminal(highlight=False)
    for result in run.results(ids):
        missed = [claim_cells(row, RECALL)[:3] for row in RECALL.rows(result) if row.label != "supported"]
        if not missed:
            continue
        console.print(f"\n{plain(result.record_id)}")
        table = Table(RECALL.p_word, "", "fact", box=None, pad_edge=False)
        for cells in missed:
            table.add_row(*cells)
        console.print(table)
