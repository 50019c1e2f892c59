"""What a person reads of scores against labels, of comparisons and of calibrations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from factreasoner.cli.lacking import Lacking, lacking_of
from factreasoner.metrics.factuality_table import FINER
from factreasoner.metrics.table import Metric
from factreasoner.report.comparison_tables import (
    difference_rows,
    explanation,
    fewer,
    records_of,
    score_rows,
    table_of,
)
from factreasoner.report.console import Terminal, plain

SHORTEST_GROUP, NARROWEST_SCORE = 16, 5
"""Characters of a group's name that are shown at least, and those of a column of scores."""


def console() -> Terminal:
    """Where tables go: no line is broken, no word is coloured by its looks."""
    return Terminal(soft_wrap=True, highlight=False)


def number(value: float | None) -> str:
    """A score as it is shown, a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def bounds(interval: Sequence[float] | None, metric: Metric | None = None) -> str:
    """A 95 % interval as it is shown, that of a metric like its values."""
    text = number if metric is None else metric.text
    return "" if interval is None else f"[{text(interval[0])}, {text(interval[1])}]"


def print_evaluation(content: Mapping[str, Any], folder: Path) -> None:
    """The scores of a run, and of its groups."""
    out = console()
    out.print(f"{records_of(content)} with a score{_labels(content)}")
    lacking = lacking_of(table_of(content), "evaluate", content["given"])
    table = Table("", "", "95 %", box=None, pad_edge=False, show_header=False)
    k = content["k_setting"] if content["k"] is None else content["k"]
    for metric in _evaluated(content, lacking):
        found = content["scores"][metric.name]
        beside = bounds(found["interval_95"], metric) + fewer(found, content["num_records"])
        if found["value"] is None and "confusion" not in content:
            beside = f"({escape(found['reason'])})"
        table.add_row(metric.caption(k, room=True), metric.text(found["value"]), beside)
    out.print(table)
    for sentence in lacking.sentences:
        out.sentence(f"not scored: {escape(sentence)}")
    if "confusion" in content:
        right, found, missed, wronged = content["confusion"].values()
        told = f"{found} of {found + missed} wrong atoms, {wronged} of {right + wronged} right ones"
        out.print(f"called false (P(true) at most 1/2): {told}")
    if content["by"] is not None:
        for table in _groups(content, lacking, out):
            out.print(table)
    out.print(f"[dim]{escape(str(folder / 'records.jsonl'))}, summary.json[/dim]")


def _labels(content: Mapping[str, Any]) -> str:
    """How many labels the scores are of, where the task has scores against labels."""
    if not _has_labels(content):
        return ""
    labels = content["labels"].items()
    counted = ", ".join(f"{count} {label}" for label, count in labels if count and label != "left_out")
    claims = "labelled atoms" if "confusion" in content else "labels"
    return f"; {claims}: {counted or 'none judged'}"


def _has_labels(content: Mapping[str, Any]) -> bool:
    return any(metric.needs.labels for metric in table_of(content))


def _evaluated(content: Mapping[str, Any], lacking: Lacking) -> Iterator[Metric]:
    """The metrics that have a value, or none for a reason worth a line."""
    for metric in table_of(content).shown_in("evaluate"):
        known = content["scores"][metric.name]["value"] is not None
        if known or (metric.needs is not FINER and metric.name not in lacking.metrics):
            yield metric


def _groups(content: Mapping[str, Any], lacking: Lacking, out: Terminal) -> Iterator[Table]:
    """Some scores of every group; names are cut so that lines keep within the width.

    Scores that a line of a terminal does not hold are in tables below each other.
    """
    metrics = [m for m in table_of(content).shown_in("groups") if m.name not in lacking.metrics]
    labels = ["atoms" if "confusion" in content else "labels"] if _has_labels(content) else []
    rows = {
        group: list(_of_group(found, bool(labels), metrics)) for group, found in content["groups"].items()
    }
    captions = ["records", *labels, *(metric.shown for metric in metrics)]
    widths = [
        max(len(caption), NARROWEST_SCORE, *(len(cells[place]) for cells in rows.values()))
        for place, caption in enumerate(captions)
    ]
    left = out.width - sum(2 + own for own in widths) - len(" …")
    parts = [list(range(len(captions)))]
    if left < SHORTEST_GROUP and out.is_terminal:
        left = out.width // 3
        named = [(content["by"], captions), *rows.items()]
        parts = _fitting(captions, [[f"{name[:left]} …", *cells] for name, cells in named], out.width)
    for part in parts:
        table = Table(box=None, pad_edge=False)
        longest = max(SHORTEST_GROUP, left)
        table.add_column(plain(content["by"], longest), no_wrap=True)
        for place in part:
            table.add_column(captions[place], justify="right", min_width=widths[place])
        for group, cells in rows.items():
            table.add_row(plain(group, longest), *(cells[place] for place in part))
        yield table


def _of_group(found: Mapping[str, Any], labels: bool, metrics: Iterable[Metric]) -> Iterator[str]:
    """The cells of a group: its records, its labelled claims where there are `labels`, its scores."""
    yield str(found["num_records"])
    if labels:
        yield str(sum(count for label, count in found["labels"].items() if label != "left_out"))
    for metric in metrics:
        score = found["scores"][metric.name]
        yield metric.text(score["value"]) + fewer(score, found["num_records"])


def print_comparison(content: Mapping[str, Any]) -> None:
    """The scores of every run, then each run's differences from the baseline."""
    out = console()
    runs = list(content["runs"])
    rows = list(score_rows(content))
    for part in _fitting(runs, rows, out.width if out.is_terminal else None):
        shown = [[row[0], *(row[place + 1] for place in part)] for row in rows]
        out.print(flush_right("", *(runs[place] for place in part), rows=shown))
        out.print()
    for name in runs:
        if name != content["baseline"]:
            out.print(f"[bold]{escape(name)} - {escape(content['baseline'])}[/bold]")
            out.print(
                flush_right("", "difference", "95 %", "p", "p (Holm)", rows=difference_rows(content, name))
            )
            out.print()
    for sentence in explanation(content):
        out.sentence(f"[dim]{sentence}[/dim]")
    for key, values in content["differing_settings"].items():
        each = ", ".join(f"{name} {value}" for name, value in values.items())
        out.sentence(f"[dim]{escape(f'{key}: {each}')}[/dim]")


def _fitting(runs: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> list[list[int]]:
    """The places of the runs, in as many parts as keep the lines of a table within `width` characters."""
    first = max(len(row[0]) for row in rows)
    parts: list[list[int]] = []
    used = 0
    for place, name in enumerate(runs):
        own = 2 + max(len(name), *(len(row[place + 1]) for row in rows))
        if not parts or (width is not None and used + own > width):
            parts.append([])
            used = first
        parts[-1].append(place)
        used += own
    return parts


def flush_right(first: str, *others: str, rows: Iterable[Sequence[str]]) -> Table:
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
