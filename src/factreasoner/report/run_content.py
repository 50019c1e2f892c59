"""What a page holds of a whole run: scores, labels, probabilities, calibration, groups, cost, failures."""

from __future__ import annotations

import shlex
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from factreasoner.analysis.evaluation import NO_VALUE, group_of
from factreasoner.metrics.reliability import reliability_bins
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import ARROWS, Metric, OfClaims, Place, Table
from factreasoner.metrics.worst import Lowest, doubt
from factreasoner.models import TaskResult
from factreasoner.report.comparison_tables import fewer
from factreasoner.report.record_content import Scored
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings import Config
from factreasoner.tasks.rows import ClaimRow

BINS = 20
"""Bars of the histogram of P."""
WORST = 8
"""Claims that a page shows first."""
WORST_DISPUTED = 3
"""Of these, how many may be supported ones that some premise contradicts all the same."""
FEWEST_GROUPS, MOST_GROUPS = 2, 20
"""A key groups records where it has this many values, and fewer than there are records."""
NOT_JUDGED = "not judged"


class RunContent:
    """Adds up the records of one run."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self._run = run
        self._tally = run.tally(run.config)
        self._labels: Counter[str] = Counter()
        self._bins = [0] * BINS
        self._cautions: Counter[str] = Counter()
        self._worst: Lowest[dict[str, Any]] = Lowest(WORST)
        self._disputed: Lowest[dict[str, Any]] = Lowest(WORST_DISPUTED)
        self._groups: dict[str, dict[str, array[int]]] = {}
        self._records = 0

    def add(self, result: TaskResult) -> Scored:
        """Count a result; returns it with its scores and rows."""
        scored = Scored(result, self._tally.add(result), tuple(self._run.task.rows(result)))
        rows = scored.main_rows
        self._labels.update(label_counts(rows))
        self._cautions.update(caution_counts(rows))
        for row in rows:
            if row.p_true is not None:
                self._bins[min(int(row.p_true * BINS), BINS - 1)] += 1
            self._keep_worst(row)
        for key in ("topic", *result.metadata):
            if (group := group_of(result, key)) != NO_VALUE:
                self._group(key, group)
        self._records += 1
        return scored

    def _keep_worst(self, row: ClaimRow) -> None:
        names = (
            "record",
            "claim",
            "text",
            "label",
            "p_true",
            "quote",
            "context",
            "title",
            "note",
            "cautions",
        )
        rank = doubt(row.label, row.p_true)
        if rank is not None:
            self._worst.add(rank, {name: getattr(row, name) for name in names})
        elif "disputed" in row.cautions and row.p_true is not None:
            self._disputed.add(row.p_true, {name: getattr(row, name) for name in names})

    def _group(self, key: str, group: str) -> None:
        places = self._groups.setdefault(key, {})
        if len(places) <= MOST_GROUPS:
            places.setdefault(group, array("L")).append(self._records)

    def content(self, name: str) -> dict[str, Any]:
        """JSON-ready; `name` is what the page calls the run."""
        table: Table[Any] = self._run.task.table
        sample, summary = self._tally.sample(), self._tally.content()
        disputed = self._disputed.items()
        return {
            "name": name,
            "score": shlex.join(["factreasoner", "score", str(self._run.source), "--corrections", "FILE"]),
            "unfinished": self._run.unfinished,
            "made": made_with(self._run.config),
            "corrections": None if self._run.corrections is None else str(self._run.corrections),
            "records": summary["records"],
            "labels": dict(self._labels),
            "cautions": dict(self._cautions),
            "bins": self._bins,
            "worst": [*self._worst.items()[: WORST - len(disputed)], *disputed],
            "scores": _scores(table, sample, summary.get("k")),
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
            if FEWEST_GROUPS <= len(places) <= MOST_GROUPS and len(places) < self._records:
                groups = [
                    {
                        "name": group,
                        "records": len(at),
                        "scores": _scores(table, sample.take(at), k, place="groups"),
                    }
                    for group, at in sorted(places.items())
                ]
                yield key, groups


def label_counts(rows: list[ClaimRow]) -> Counter[str]:
    """How many claims have each label; those without one are not judged."""
    return Counter(row.label or NOT_JUDGED for row in rows)


def caution_counts(rows: list[ClaimRow]) -> Counter[str]:
    """How many claims are disputed."""
    return Counter(caution for row in rows for caution in row.cautions)


def made_with(config: Config) -> list[list[str]]:
    """What judged, then the settings that are not the default ones."""
    judge = config.plugin("judge")
    words = {
        "embedded": "embedded judge: compares words, numbers and negations, and does not reason",
        "llm": ", ".join(config.judge_models or (str(config.model),)),
        "verifier": f"verifier {config.verifier}",
        "recorded": f"recorded verdicts of {config.relations}",
    }
    settings = [
        [key.replace("_", " "), str(value)]
        for key, value in config.model_dump(mode="json", exclude_defaults=True).items()
    ]
    return [["judge", words.get(judge, judge)], *(row for row in settings if row[0] != "judge")]


def _scores(table: Table[Any], sample: Sample, k: int | None, place: Place = "run") -> list[dict[str, Any]]:
    """The metrics that have a value, with their intervals."""
    shown = {metric.name for metric in table.shown_in(place)}
    metrics = [metric for metric in table if not metric.usage and (metric.name in shown or place == "run")]
    found = table.estimates(sample, [metric.name for metric in metrics])
    records = int(table.has_score(sample).sum())
    return [
        _score(metric, found[metric.name].content(), k, records) | {"main": metric.name in shown}
        for metric in metrics
        if found[metric.name].value is not None
    ]


def _score(metric: Metric, estimate: Mapping[str, Any], k: int | None, records: int) -> dict[str, Any]:
    low, high = estimate["interval_95"] or (None, None)
    return {
        "name": metric.caption(k, room=True),
        "better": ARROWS[metric.better].strip(),
        "meaning": metric.meaning,
        "value": metric.text(estimate["value"]),
        "interval": None if low is None else [metric.text(low), metric.text(high)],
        # where it lies on its scale, for a picture; only shares have a scale of their own
        "scale": [estimate["value"], low, high] if metric.bounds == (0.0, 1.0) else None,
        "fewer": fewer(estimate, records).strip(),
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
