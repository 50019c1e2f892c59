"""Atoms or claims of a run as tables, a table a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice, zip_longest
from typing import Any

from rich.segment import Segment, Segments
from rich.table import Column, Table

from factreasoner.cli.atom_tables import claim_cells
from factreasoner.report.console import Terminal, plain
from factreasoner.tasks.recall.result import FACTS
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Task
from factreasoner.tasks.verdicts import CONTEXTS
from factreasoner.tasks.verify.rows import CITED

P_WIDTH, LABEL_WIDTH = 5, 14
QUOTE_LENGTH = 300
ROWS_AT_ONCE = 500
GAP = "  "
LEAST_WIDTH = 20


def print_by_record(rows: Iterable[ClaimRow], task: Task[Any]) -> int:
    """Print rows as they come, with a heading where the record or what they are held against changes.

    Returns how many there were.
    """
    console = Terminal(highlight=False)
    layout = _Layout(console, task)
    count = 0
    for heading, group in groupby(rows, key=lambda row: _heading(row, task)):
        console.print(f"[bold]{plain(heading)}[/bold]")
        count += layout.print(cells(row, task, name_record=False) for row in group)
    return count


def print_in_order(rows: Iterable[ClaimRow], task: Task[Any]) -> int:
    """Print rows of any records, each with its record. Returns how many there were."""
    layout = _Layout(Terminal(highlight=False), task)
    remaining = (cells(row, task, name_record=True) for row in rows)
    count = 0
    while printed := layout.print(islice(remaining, ROWS_AT_ONCE)):
        count += printed
    return count


def print_left_out(told: str) -> None:
    """Print what is not in the tables."""
    Terminal(highlight=False).sentence(plain(told))


class _Layout:
    """Tables of three columns, laid out as rich's `Table` does, which takes three times as long.

    Of the last column alone widths differ with the terminal's, and texts are broken between words.
    """

    def __init__(self, console: Terminal, task: Task[Any]) -> None:
        console.size = console.size  # asked for once, not for every line
        self._console = console
        self._p_width = max(len(task.p_word), P_WIDTH)
        fixed = self._p_width + LABEL_WIDTH + 2 * len(GAP)
        self._text_width = max(console.width - fixed, LEAST_WIDTH)
        head = Table(
            Column(task.p_word, width=self._p_width),
            Column("", width=LABEL_WIDTH),
            Column(task.claim_word, ratio=1),
            box=None,
            pad_edge=False,
            expand=True,
        )
        lines = console.render_lines(head, console.options.update(width=fixed + self._text_width))
        self._head = list(chain.from_iterable([*line, Segment.line()] for line in lines))
        self._labels: dict[str, list[list[Segment]]] = {}

    def print(self, rows: Iterable[tuple[str, str, str]]) -> int:
        """Print a table of rows: P, then label and text as marked text. Returns how many there were."""
        printed: list[Segment] = []
        count = 0
        for row in rows:
            printed += self._row(*row)
            count += 1
        if count:
            self._console.print(Segments([*self._head, *printed]), end="")
            self._console.print()
        return count

    def _row(self, p_true: str, label: str, text: str) -> Iterator[Segment]:
        if label not in self._labels:
            options = self._console.options.update(width=LABEL_WIDTH, no_wrap=True, overflow="ellipsis")
            self._labels[label] = self._console.render_lines(label, options)
        broken = self._console.render_str(text).wrap(self._console, self._text_width, overflow="ellipsis")
        for line in broken:
            line.truncate(self._text_width, pad=True)
        blank = [Segment(" " * LABEL_WIDTH)]
        for first, second, third in zip_longest([p_true], self._labels[label], broken):
            yield Segment((first or "").ljust(self._p_width) + GAP)
            yield from second or blank
            yield Segment(GAP)
            yield from [Segment(" " * self._text_width)] if third is None else third.render(self._console)
            yield Segment.line()


def cells(row: ClaimRow, task: Task[Any], *, name_record: bool) -> tuple[str, str, str]:
    """P, label and text of a row, the latter two as marked text; with `name_record` its record is named."""
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
    if row.label == "uncited":
        return f"{row.record}: {of} that cite nothing"
    plural = {CITED: "sources they cite", CONTEXTS: "contexts"}
    return f"{row.record}: {of}, held against the {plural.get(row.against, row.against)}"
