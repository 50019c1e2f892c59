"""The page's content for a whole run: scores, labels, calibration, groups, cost, failures."""

from __future__ import annotations

import shlex
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from factreasoner.inputs.items import KEPT_UNDER
from factreasoner.metrics.claim_scores import reliability_bins
from factreasoner.metrics.run_counts import Lowest
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.statistics import OfClaims
from factreasoner.metrics.table import ARROWS, Metric, Place, Table, partial_count
from factreasoner.models import Result
from factreasoner.models.formatting import number_of
from factreasoner.models.label_styles import CAUTIONS, COLOURS, LOOKS
from factreasoner.models.results import NO_VALUE, group_of
from factreasoner.models.rows import ClaimRow
from factreasoner.pipeline.config import Config
from factreasoner.report.record_content import ReportedResult
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.task import Task

BINS = 20
MOST_FIRST = 10_000
FEWEST_GROUPS, MOST_GROUPS = 2, 20
"""Minimum and maximum number of groups of a grouping key."""
NOT_JUDGED = "not judged"
DOUBTFUL = ("contradicted", "conflicting", "unknown_source", "unverified")


class RunContent:
    """Adds up the records of one run."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self._run = run
        self._tally = run.tally(run.config)
        self._labels: Counter[str] = Counter()
        self._bins = [0] * BINS
        self._marks: Counter[str] = Counter()
        self._first: Lowest[tuple[int, str]] = Lowest(MOST_FIRST)
        self._to_look_at = 0
        self._groups: dict[str, dict[str, array[int]]] = {}
        self._statuses: list[str] = []

    def add(self, result: Result) -> ReportedResult:
        """Count a result; returns it with its scores and rows."""
        scored = ReportedResult(result, self._tally.add(result), tuple(result.rows()))
        rows = scored.main_rows
        self._labels.update(label_counts(rows))
        self._marks.update(mark_counts(rows))
        for row in rows:
            if row.p_true is not None:
                self._bins[min(int(row.p_true * BINS), BINS - 1)] += 1
            self._keep_first(row)
        for key in ("topic", *result.metadata):
            if key not in KEPT_UNDER.values() and (group := group_of(result, key)) != NO_VALUE:
                self._group(key, group)
        self._statuses.append(result.status)
        return scored

    def _keep_first(self, row: ClaimRow) -> None:
        if row.rank is not None:
            self._to_look_at += 1
            self._first.add(row.rank, (len(self._statuses), row.claim))

    def _group(self, key: str, group: str) -> None:
        places = self._groups.setdefault(key, {})
        if len(places) <= MOST_GROUPS:
            places.setdefault(group, array("L")).append(len(self._statuses))

    def _headline(self) -> str:
        """The number of claims to review, as text."""
        counts, named = self._labels, looks(self._run.task)["labels"]
        total = number_of(counts.total(), self._run.task.words.claim)
        unchecked = f"; {self._tally.not_checked}" if self._tally.not_checked else ""
        if counts[NOT_JUDGED] == counts.total():
            unjudged = f": {total} {named[NOT_JUDGED]['word']}" if counts else ""
            return f"Nothing was judged{unjudged}{unchecked}."
        shown = [label for label in DOUBTFUL if counts[label]] or ["supported"]
        shown += [NOT_JUDGED] * bool(counts[NOT_JUDGED])
        words = [f"{counts[label]:,} {named[label]['word']}" for label in shown]
        disputed = self._marks["disputed"]
        message = f"; {disputed:,} {'is' if disputed == 1 else 'are'} disputed" if disputed else ""
        listed = " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
        return f"{listed} of {total}{message}{unchecked}."

    def content(self, name: str) -> dict[str, Any]:
        """The content as JSON-like values; `name` is the run's name on the page."""
        table: Table[Any] = self._run.task.table
        sample, summary = self._tally.sample(), self._tally.content()
        return {
            "name": name,
            "headline": self._headline(),
            "score": shlex.join(["factreasoner", "score", str(self._run.source), "--corrections", "FILE"]),
            "unfinished": self._run.unfinished,
            "made": changed_settings(self._run.config),
            "corrections": None if self._run.corrections is None else str(self._run.corrections),
            "records": summary["records"],
            "labels": dict(self._labels),
            "marks": dict(self._marks),
            "bins": self._bins,
            "first": self._first.items(),
            "to_look_at": self._to_look_at,
            "judged_by": self._run.judged_by,
            "scores": _scores(table, sample, summary["records"], summary.get("k")),
            "few": summary.get("few_records") or (summary.get("gold") or {}).get("few_records"),
            "calibration": _calibration(sample),
            "groups": dict(self._by_group(table, sample, summary.get("k"))),
            "usage": summary["usage"]["total"],
            "seconds": summary["seconds"]["total"],
            "verdicts": summary["verdicts"],
            "confidences": summary["confidences"],
            "failures": summary["failures"],
            "solver": summary.get("solver"),
        }

    def _by_group(
        self, table: Table[Any], sample: Sample, k: int | None
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for key, places in self._groups.items():
            if FEWEST_GROUPS <= len(places) <= MOST_GROUPS and len(places) < len(self._statuses):
                groups = [
                    {
                        "name": group,
                        "records": len(at),
                        "scores": _scores(
                            table, sample.take(at), Counter(map(self._statuses.__getitem__, at)), k, "groups"
                        ),
                    }
                    for group, at in sorted(places.items())
                ]
                yield key, groups


def label_counts(rows: list[ClaimRow]) -> Counter[str]:
    """The number of claims by label; those without one are not judged."""
    return Counter(row.label or NOT_JUDGED for row in rows)


def mark_counts(rows: list[ClaimRow]) -> Counter[str]:
    """The number of claims by caution."""
    return Counter(mark for row in rows for mark in row.cautions)


def looks(task: Task[Any]) -> dict[str, Any]:
    """The looks of a task's labels and marks."""
    labels = {
        label or NOT_JUDGED: look._replace(word=task.words.labels.get(label, look.word))
        for label, look in LOOKS.items()
    }
    return {
        "labels": {name: look._asdict() for name, look in labels.items()},
        "marks": {look.kind: look._asdict() for look in CAUTIONS.values()},
    }


def colours() -> str:
    """Label colours as CSS, for light and dark pages."""
    return "\n".join(
        f".{kind} {{ --own: light-dark({colour.light}, {colour.dark}); }}" for kind, colour in COLOURS.items()
    )


def changed_settings(config: Config) -> list[list[str]]:
    """The settings that differ from the defaults."""
    settings = config.model_dump(mode="json", exclude_defaults=True, exclude={"judge"})
    return [[key.replace("_", " "), str(value)] for key, value in settings.items()]


def _scores(
    table: Table[Any], sample: Sample, records: Mapping[str, int], k: int | None, place: Place = "run"
) -> list[dict[str, Any]]:
    """The metrics with a value, with their intervals; `records` counts by status."""
    shown = {metric.name for metric in table.metrics_at(place)}
    metrics = [metric for metric in table if not metric.usage and (metric.name in shown or place == "run")]
    found = table.estimates(sample, [metric.name for metric in metrics])
    return [
        _score(metric, found[metric.name].content(), k, records) | {"main": metric.name in shown}
        for metric in metrics
        if found[metric.name].value is not None
    ]


def _score(
    metric: Metric, estimate: Mapping[str, Any], k: int | None, records: Mapping[str, int]
) -> dict[str, Any]:
    low, high = estimate["interval_95"] or (None, None)
    return {
        "name": metric.caption(k, room=True),
        "better": ARROWS[metric.better].strip(),
        "meaning": f"{metric.meaning}; {metric.average.words}",
        "value": metric.text(estimate["value"]),
        "interval": None if low is None else [metric.text(low), metric.text(high)],
        # where it lies on its scale, for a picture; only shares have a scale of their own
        "scale": [estimate["value"], low, high] if metric.bounds == (0.0, 1.0) else None,
        "fewer": partial_count(estimate["records"], records),
        "reason": estimate["reason"],
        "labels": isinstance(metric.average, OfClaims) or metric.needs.labels,
    }


def _calibration(sample: Sample) -> list[list[Any]] | None:
    """Points of the reliability diagram; None without labels."""
    if not len(sample.claims.p):
        return None
    return [
        [part.mean_p, part.share, part.size, *(part.interval or (None, None))]
        for part in reliability_bins(sample.claims)
    ]
