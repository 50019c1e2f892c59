"""Atoms and other claims with their evidence in words: of one response, and the worst of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from factreasoner.cli.terminal import Terminal, one_line, plain
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.rows import ClaimRow, source_name

STYLES = {"supported": "green", "contradicted": "red", "undecided": "yellow", "unverified": "blue"}
OTHER_STYLES = {"uncited": "magenta", "unknown_source": "red"}
"""Of labels that only claims have which cite sources."""
QUOTE_LENGTH = 90


def claim_cells(row: ClaimRow, longest: int = QUOTE_LENGTH) -> tuple[str, str, str, str]:
    """P, label, text and evidence of an atom or another claim; a quote is cut at `longest` characters."""
    p_true = "" if row.p_true is None else f"{row.p_true:.3f}"
    label = "[red]not judged[/red]"
    if row.label is not None:
        style = (STYLES | OTHER_STYLES)[row.label]
        label = f"[{style}]{row.label.replace('_', ' ')}[/]"
    return p_true, label, plain(row.text), _evidence(row, longest)


def print_worst_atoms(summary: Mapping[str, Any], folder: Path) -> None:
    """The least likely atoms of a run that are not supported, each with what decided on it."""
    worst = summary["worst_atoms"]
    if not worst:
        return
    run = RunFolder(folder, TASK)
    run.read_journal()
    console = Terminal(highlight=False)
    table = Table("P(true)", Column(no_wrap=True), "least likely atoms", box=None, pad_edge=False)
    for item in worst:
        (assessment,) = run.results([item["record"]])
        row = next(row for row in TASK.rows(assessment) if row.claim == item["atom"])
        p_true, label, text, evidence = claim_cells(row)
        place = f"[dim]{plain(item['record'])}:[/dim] " if summary["records"]["total"] > 1 else ""
        said = f"\n[dim]{evidence}[/dim]" if evidence else ""
        table.add_row(p_true, label, f"{place}{text}{said}")
    console.print(table)
    console.print()


def _evidence(row: ClaimRow, longest: int) -> str:
    """The strongest verdict for a claim's label, and what else there is to know."""
    parts = []
    if row.context is not None:
        repeated = row.quote is None or one_line(row.quote) in one_line(row.note)
        quote = "" if repeated else f': "{plain(row.quote or "", longest)}"'
        parts.append(plain(source_name(row.context, row.title or row.link)) + quote)
    if row.judged == "partly":
        parts.append("[yellow]judged in part[/yellow]")
    if row.note:
        parts.append(plain(row.note, longest))
    return "; ".join(parts)
