"""Printed tables of the scores of a finished run, and of compared runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.markup import escape
from rich.table import Column

from factreasoner.metrics.factuality import FINER
from factreasoner.metrics.table import Metric, Place, Table
from factreasoner.models.formatting import number_of
from factreasoner.models.rows import by_value
from factreasoner.report.comparison_tables import (
    averages,
    difference_rows,
    explanation,
    k_of,
    partial_count,
    records_of,
    same_runs,
    score_rows,
    table_of,
)
from factreasoner.report.console import Terminal, plain

NARROWEST_NAME = 12
IN_GROUP = 3
"""Columns of a group in the table of modes, and of the cost of judging."""
KEYS = {"gold_contexts": "'gold_contexts' (or 'relevant' in its contexts)"}
"""Record keys that need more explanation than their names."""


class MissingInputs(NamedTuple):
    """Metrics for which records lack keys, and the missing keys as text."""

    metrics: frozenset[str]
    sentences: tuple[str, ...]


def missing_inputs(table: Table[Any], place: Place, given: Mapping[str, int]) -> MissingInputs:
    """The metrics at `place` for which no record has the keys.

    `given` counts the records with each key.
    """
    found = table.lacking(place, given) if given else {}
    return MissingInputs(
        frozenset(metric.name for metrics in found.values() for metric in metrics),
        tuple(
            f"no record has {' and '.join(KEYS.get(key, repr(key)) for key in keys)}, which would bring: "
            + "; ".join(metric.caption(None, room=True) for metric in metrics)
            for keys, metrics in found.items()
        ),
    )


def print_scores(
    out: Terminal, head: Sequence[str], rows: Sequence[Sequence[str]], *, wrap: bool = False
) -> None:
    """Print rows of a name and scores; with `wrap`, long names use several lines, scores never do.

    Scores too wide for a line are in further tables below.
    """
    first, *widths = (max(map(len, cells)) for cells in zip(head, *rows, strict=True))
    left = out.width - sum(2 + own for own in widths)
    narrow = left < (NARROWEST_NAME if wrap else first)
    if wrap:
        first = min(first, max(NARROWEST_NAME, out.width // 3 if narrow else left))
    parts: list[list[int]] = []
    used = 0
    for place, own in enumerate(widths, start=1):
        if not parts or (narrow and used + 2 + own > out.width):
            parts.append([])
            used = first
        parts[-1].append(place)
        used += 2 + own
    for part in parts:
        if part is not parts[0]:
            out.print()
        scores = [
            Column(escape(head[i]), justify="right", no_wrap=True, min_width=widths[i - 1]) for i in part
        ]
        cells = ([plain(row[0]), *(escape(row[i]) for i in part)] for row in rows)
        name = Column(plain(head[0]), no_wrap=not wrap, overflow="fold", max_width=first)
        out.columns((name, *scores), cells)


def print_evaluation(content: Mapping[str, Any], folder: Path) -> None:
    """The scores of a run, and of its groups."""
    out = Terminal(soft_wrap=True)
    out.print(f"{records_of(content)} with a score{_labels(content)}")
    lacking = missing_inputs(table_of(content), "evaluate", content["given"])
    out.columns(("", "", "95 %"), _evaluated(content, lacking), show_header=False)
    for sentence in lacking.sentences:
        out.sentence(f"not scored: {escape(sentence)}")
    if any(content.get("confusion", {}).values()):
        right, found, missed, wronged = content["confusion"].values()
        message = f"{found} of {found + missed} wrong atoms, {wronged} of {right + wronged} right ones"
        out.print(f"called false (P(true) at most 1/2): {message}")
    if content["by"] is not None:
        _print_groups(content, lacking, out)
    known = (m for m in table_of(content) if content["scores"].get(m.name, {}).get("value") is not None)
    out.aside(averages(content["task"], known), soft_wrap=False)
    out.aside(f"{folder / 'records.jsonl'}, summary.json")


def _has_labels(content: Mapping[str, Any]) -> bool:
    return any(metric.needs.labels for metric in table_of(content))


def _labels(content: Mapping[str, Any]) -> str:
    """How many labels the scores rest on, if the task has scores against labels."""
    if not _has_labels(content):
        return ""
    labels = content["labels"]
    if "confusion" not in content:
        return f"; {number_of(labels['labelled'], 'label')}"
    counted = ", ".join(
        f"{count} {label}" for label, count in labels.items() if count and label != "left_out"
    )
    return f"; labelled atoms: {counted or ('none' if _unlabelled(content) else 'none judged')}"


def _unlabelled(content: Mapping[str, Any]) -> bool:
    """Whether this is a factuality run without any human label."""
    return "confusion" in content and not any(content["labels"].values())


def _evaluated(content: Mapping[str, Any], lacking: MissingInputs) -> Iterator[tuple[str, str, str]]:
    """The metrics with a value, or with a reason worth a line."""
    for metric in table_of(content).metrics_at("evaluate"):
        found = content["scores"][metric.name]
        left_out = metric.needs is FINER or metric.name in lacking.metrics
        if found["value"] is None and (left_out or (metric.needs.labels and _unlabelled(content))):
            continue
        low_high = ", ".join(map(metric.text, found["interval_95"] or ()))
        beside = f"[{low_high}]" * bool(low_high) + partial_count(found, content["num_records"])
        unbounded = found["value"] is not None and not low_high and content["num_records"] > 1
        if unbounded or (found["value"] is None and "confusion" not in content):
            beside = f"({escape(found['reason'])}){beside}"
        yield metric.caption(k_of(content), room=True), metric.text(found["value"]), beside


def _print_groups(content: Mapping[str, Any], lacking: MissingInputs, out: Terminal) -> None:
    """Some scores of every group."""
    metrics = [m for m in table_of(content).metrics_at("groups") if m.name not in lacking.metrics]
    if _unlabelled(content):
        metrics = [metric for metric in metrics if not metric.needs.labels]
    labels = ["labels"] * (_has_labels(content) and not _unlabelled(content))
    head = [content["by"], "records", *labels, *(metric.caption(k_of(content)) for metric in metrics)]
    rows = [[name, *_of_group(found, bool(labels), metrics)] for name, found in content["groups"].items()]
    print_scores(out, head, rows, wrap=True)
    meanings = (f"{metric.caption(k_of(content))}: {metric.meaning}" for metric in metrics)
    out.sentence(f"[dim]{escape('; '.join(meanings))}.[/dim]")


def _of_group(found: Mapping[str, Any], labels: bool, metrics: Sequence[Metric]) -> Iterator[str]:
    """The cells of a group: records, labelled claims if there are `labels`, scores."""
    yield str(found["num_records"])
    if labels:
        yield str(sum(count for label, count in found["labels"].items() if label != "left_out"))
    for metric in metrics:
        score = found["scores"][metric.name]
        yield metric.text(score["value"]) + partial_count(score, found["num_records"])


def print_comparison(content: Mapping[str, Any]) -> None:
    """The scores of every run, then each run's differences from the baseline."""
    out, baseline = Terminal(soft_wrap=True), content["baseline"]
    if same := same_runs(content):
        out.sentence(escape(same))
        return
    print_scores(out, ["", *content["runs"]], list(score_rows(content)))
    out.print()
    for name in content["runs"]:
        if name != baseline:
            out.print(f"[bold]{escape(name)} - {escape(baseline)}[/bold]")
            head = ("", "difference", "95 %", "p", "p (Holm)")
            print_scores(out, head, list(difference_rows(content, name)))
            out.print()
    for sentence in explanation(content):
        out.aside(sentence, soft_wrap=False)
    for key, values in content["differing_settings"].items():
        names = by_value({name: str(value) for name, value in values.items() if value != "-"})
        each = (value if of == [value] else f"{value} ({', '.join(of)})" for value, of in names.items())
        out.aside(f"{key}: {', '.join(each)}", soft_wrap=False)


def print_modes(rows: Sequence[Sequence[str]]) -> None:
    """One table per group, and one of the cost of judging."""
    groups, captions, *modes = rows
    out = Terminal(soft_wrap=True)
    for start in range(1, len(groups), IN_GROUP):
        cells = slice(start, start + IN_GROUP)
        last = start + IN_GROUP == len(groups)
        out.print(f"[bold]{'judging' if last else plain(groups[start])}[/bold]")
        print_scores(out, [captions[0], *captions[cells]], [[row[0], *row[cells]] for row in modes])
        out.print()
    out.sentence(
        "[dim]N/A: unanswered facts. Error rate: share of the answered, labelled facts on which judge and "
        "human label differ. F1 of False: over all labelled facts; an unanswered one labelled False "
        "counts as missed. --json has intervals. Calls, tokens and cost are for judging the whole "
        "run.[/dim]"
    )
