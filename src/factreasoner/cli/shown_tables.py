"""Atoms or claims of a run as tables, a table a record."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, islice
from typing import Any

from rich.table import Column, Table

from factreasoner.cli.atom_tables import claim_cells
from factreasoner.cli.console import Terminal, plain
from factreasoner.tasks.recall.rows import FACTS
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Task
from factreasoner.tasks.verdicts import CONTEXTS
from factreasoner.tasks.verify.rows import CITED

P_WIDTH, LABEL_WIDTH = 5, 14
QUOTE_LENGTH = 300
ROWS_AT_ONCE = 500


def print_by_record(rows: Iterable[ClaimRow], task: Task[Any]) -> int:
    """Print rows as they come, with a heading where the record or what they are held against changes.

    Returns how many there were.
    """
    console = Terminal(highlight=False)
    count = 0
    for heading, group in groupby(rows, key=lambda row: _heading(row, task)):
        console.print(f"[bold]{plain(heading)}[/bold]")
        count += _print_table(console, group, task)
    return count


def print_in_order(rows: Iterable[ClaimRow], task: Task[Any]) -> int:
    """Print rows of any records, each with its record. Returns how many there were."""
    console = Terminal(highlight=False)
    remaining = iter(rows)
    count = 0
    while printed := _print_table(console, islice(remaining, ROWS_AT_ONCE), task, name_record=True):
        count += printed
    return count


def print_left_out(told: str) -> None:
    """Print what is not in the tables."""
    Terminal(highlight=False).sentence(plain(told))


def _print_table(
    console: Terminal, rows: Iterable[ClaimRow], task: Task[Any], *, name_record: bool = False
) -> int:
    table = Table(
        Column(task.p_word, width=max(len(task.p_word), P_WIDTH)),
        Column("", width=LABEL_WIDTH, no_wrap=True),
        Column(task.claim_word, ratio=1),
        box=None,
        pad_edge=False,
        expand=True,
    )
    for row in rows:
        table.add_row(*_cells(row, task, name_record=name_record))
    if table.row_count:
        console.print(table)
        console.print()
    return table.row_count


def _cells(row: ClaimRow, task: Task[Any], *, name_record: bool) -> tuple[str, str, str]:
    p_true, label, text, evidence = claim_cells(row, task, QUOTE_LENGTH)
    name = f"{row.record} {row.claim}" if name_record else row.claim
    fate = f" [yellow]({plain(row.fate)})[/yellow]" if row.fate not in ("", "kept") else ""
    said = f"\n[dim]{evidence}[/dim]" if evidence else ""
    return p_true, label, f"[dim]{plain(name)}:[/dim] {text}{fate}{said}"


def _heading(row: ClaimRow, task: Task[Any]) -> str:
    """The record, and of claims which they are and what they were held against."""
    if task.claim_word == "atom":
        return row.record
    of = FACTS if row.of == FACTS else f"claims of the {row.of}"
    plural = {CITED: "sources they cite", CONTEXTS: "contexts"}
    return f"{row.record}: {of}, held against the {plural.get(row.against, row.against)}"
