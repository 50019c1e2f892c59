"""What a person reads of scores against labels, of comparisons and of calibrations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from factreasoner.metrics.scores import SCORES
from factreasoner.report.comparison_tables import difference_rows, explanation, score_rows

EVALUATED = (
    "precision",
    "gold_precision",
    "mae_precision",
    "f1_k",
    "avg_entropy",
    "accuracy",
    "f1",
    "macro_f1",
    "auroc",
    "brier",
    "ece",
    "three_way_accuracy",
    "three_way_macro_f1",
)
GROUPED = ("precision", "gold_precision", "mae_precision", "accuracy", "macro_f1", "auroc", "brier", "ece")


def console() -> Console:
    """Where tables go: no line is broken, no word is coloured by its looks."""
    return Console(soft_wrap=True, highlight=False)


def number(value: float | None) -> str:
    """A score as it is shown, a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def bounds(interval: Sequence[float] | None) -> str:
    """A 95 % interval as it is shown."""
    return "" if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}]"


def print_evaluation(content: Mapping[str, Any], folder: Path) -> None:
    """The scores of a run, and of its groups."""
    out = console()
    labels = content["labels"]
    counted = ", ".join(
        f"{count} {label}" for label, count in labels.items() if count and label != "left_out"
    )
    out.print(f"{content['num_records']} records with a score; labelled atoms: {counted or 'none judged'}")
    table = Table("", "", "95 %", box=None, pad_edge=False, show_header=False)
    for name in EVALUATED:
        found = content["scores"][name]
        if found["value"] is not None or not name.startswith("three_way"):
            table.add_row(_shown(name, content), number(found["value"]), bounds(found["interval_95"]))
    out.print(table)
    out.print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in content["confusion"].items()))
    if content["by"] is not None:
        out.print(_groups(content))
    out.print(f"[dim]{escape(str(folder / 'records.jsonl'))}, summary.json[/dim]")


def _shown(name: str, content: Mapping[str, Any]) -> str:
    if name != "f1_k":
        return SCORES[name].shown
    return f"F1@{content['k'] if content['k'] is not None else content['k_setting']}"


def _groups(content: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(escape(content["by"]), overflow="ellipsis", no_wrap=True)
    for caption in ("records", "atoms", *(SCORES[name].shown for name in GROUPED)):
        table.add_column(caption, justify="right", min_width=max(len(caption), 5))
    for group, found in content["groups"].items():
        atoms = sum(count for label, count in found["labels"].items() if label != "left_out")
        scores = [number(found["scores"][name]["value"]) for name in GROUPED]
        table.add_row(escape(group), str(found["num_records"]), str(atoms), *scores)
    return table


def print_comparison(content: Mapping[str, Any]) -> None:
    """The scores of every run, then each run's differences from the baseline."""
    out = console()
    runs = list(content["runs"])
    out.print(_right("", *runs, rows=score_rows(content)))
    for name in runs:
        if name != content["baseline"]:
            head = (f"{name} - {content['baseline']}", "difference", "95 %", "p", "p (Holm)")
            out.print()
            out.print(_right(*head, rows=difference_rows(content, name)))
    out.print()
    for sentence in explanation(content):
        out.print(f"[dim]{sentence}[/dim]")
    for key, values in content["differing_settings"].items():
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        out.print(f"[dim]{escape(f'{key}: {shown}')}[/dim]")


def _right(first: str, *others: str, rows: Iterable[Sequence[str]]) -> Table:
    """A table whose columns but the first are flush right, and none of which is cut."""
    table = Table(box=None, pad_edge=False)
    table.add_column(escape(first), no_wrap=True)
    cells = [[escape(cell) for cell in row] for row in rows]
    for place, caption in enumerate(others, start=1):
        width = max(map(len, [caption, *(row[place] for row in cells)]))
        table.add_column(escape(caption), justify="right", no_wrap=True, min_width=width)
    for row in cells:
        table.add_row(*row)
    return table
