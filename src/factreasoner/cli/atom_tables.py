"""Atoms and other claims with their evidence in words: of one response, and the worst of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Column, Table

from factreasoner.report.console import Terminal, plain
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.labels import CAUTIONS, COLOURS, IN_PART, Look, evidence_of, look_of
from factreasoner.tasks.rows import ClaimRow, main_rows
from factreasoner.tasks.task import Task

QUOTE_LENGTH = 90


def claim_cells(row: ClaimRow, task: Task[Any], longest: int = QUOTE_LENGTH) -> tuple[str, str, str, str]:
    """P, label, text and evidence of an atom or another claim; a quote is cut at `longest` characters."""
    p_true = "" if row.p_true is None else f"{row.p_true:.3f}"
    return p_true, label_cell(row, task.label_words), plain(row.text), _evidence(row, longest)


def label_cell(row: ClaimRow, words: Mapping[str | None, str], between: str = "\n") -> str:
    """A label in its colour, called as `words` or else the table says, and why it deserves a second look."""
    return between.join(map(coloured, (look_of(row, words), *map(CAUTIONS.__getitem__, row.cautions))))


def coloured(look: Look) -> str:
    """The word of a label in its colour."""
    return f"[{COLOURS[look.kind].terminal}]{look.word}[/]"


def print_worst(task: Task[Any], summary: Mapping[str, Any], folder: Path) -> None:
    """The atoms or claims of a run that want a second look, each with what decided on it: see `Worst`."""
    worst = summary[f"worst_{task.claim_word}s"]
    pairs = (summary["coherence"] or {}).get("pairs", ())
    if not worst and not pairs:
        return
    run = RunFolder(folder, task)
    console = Terminal(highlight=False)
    _print_pairs(console, task, run, pairs)
    if not worst:
        return
    labels = {item["label"] for item in worst}
    first, last = "contradicted" in labels, "supported" in labels
    heading = f"{'contradicted and ' * first}least likely {task.claim_word}s{', and disputed ones' * last}"
    table = Table(Column(task.p_word, no_wrap=True), Column(no_wrap=True), heading, box=None, pad_edge=False)
    for item in worst:
        (result,) = run.results([item["record"]])
        rows = main_rows(list(task.rows(result)))
        row = next(row for row in rows if row.claim == item[task.claim_word])
        p_true, label, text, evidence = claim_cells(row, task)
        place = f"[dim]{plain(item['record'])}:[/dim] " if summary["records"]["total"] > 1 else ""
        said = f"\n[dim]{evidence}[/dim]" if evidence else ""
        table.add_row(p_true, label, f"{place}{text}{said}")
    console.print(table)
    console.print()


def _print_pairs(
    console: Terminal, task: Task[Any], run: RunFolder[Any], pairs: Sequence[Mapping[str, Any]]
) -> None:
    """Both sentences of claims that contradict each other."""
    if not pairs:
        return
    table = Table(Column("p", no_wrap=True), "the answer contradicts itself", box=None, pad_edge=False)
    for pair in pairs:
        (result,) = run.results([pair["record"]])
        texts = {row.claim: row.text for row in task.rows(result)}
        one, other = (plain(texts[claim]) for claim in pair["atoms"])
        table.add_row(f"{pair['probability']:.3f}", f"[dim]{plain(pair['record'])}:[/dim] {one}\n{other}")
    console.print(table)
    console.print()


def _evidence(row: ClaimRow, longest: int) -> str:
    """What decides a claim's label, with what was judged in part in yellow."""
    said = evidence_of(row, longest)
    return "; ".join(f"[yellow]{escape(part)}[/]" if part == IN_PART else escape(part) for part in said)
