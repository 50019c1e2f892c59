"""Rules that a finished run must meet, for use in CI."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from xml.etree import ElementTree

from factreasoner.assessors.coherence import STAGE as COHERENCE_STAGE
from factreasoner.errors import UsageError
from factreasoner.files import NO_LETTER, make_folder_of, replace_file
from factreasoner.metrics.run_counts import Tally
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.statistics import FAILED, Bounds, Estimate, OfRecords
from factreasoner.metrics.table import SHARE, Table, possible_range
from factreasoner.models import Result, Support
from factreasoner.models.formatting import number_of
from factreasoner.plugins.table import nearest
from factreasoner.tasks.task import TASKS, Task, task_named

Bound = Literal["min", "max"]
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SIGNS: dict[Bound, str] = {"min": ">=", "max": "<="}

TOTALS: dict[str, tuple[str, ...]] = {
    "records": ("records", "total"),
    "records_ok": ("records", "ok"),
    "records_partial": ("records", "partial"),
    "records_failed": ("records", "failed"),
    "records_without_atoms": ("records", "no_atoms"),
    "failures": ("failures", "total"),
    "self_contradictions": ("coherence", "self_contradictions"),
    "calls": ("usage", "total", "calls"),
    "prompt_tokens": ("usage", "total", "prompt_tokens"),
    "completion_tokens": ("usage", "total", "completion_tokens"),
    "cost": ("usage", "total", "cost"),
    "seconds": ("seconds", "total"),
}
"""Totals of a run of any task, and their place in the summary."""

LABEL_TOTALS = {f"atoms_{name}": ("atoms", name) for name in (*get_args(Support), "disputed")}
"""Totals that failed verdicts on an atom could change."""
ATOM_TOTALS = LABEL_TOTALS | {
    "atoms": ("atoms", "judged"),
    "atoms_unjudged": ("atoms", "unjudged"),
    "atoms_partly_judged": ("atoms", "partly_judged"),
}
"""Totals of factuality runs only, and their place in the summary."""


class Rule(NamedTuple):
    """A lower or upper bound on a metric of a run."""

    measure: str
    bound: Bound
    limit: float

    def keeps(self, value: float) -> bool:
        """Whether a value is within the bound, inclusive."""
        return value >= self.limit if self.bound == "min" else value <= self.limit

    def __str__(self) -> str:
        return f"{self.measure} {SIGNS[self.bound]} {self.limit:g}"


class RuleResult(NamedTuple):
    """The result of one rule; `detail` gives the value, or why there is none."""

    rule: Rule
    kept: bool
    detail: str

    def content(self) -> dict[str, Any]:
        """The result as JSON-like values."""
        return {**self.rule._asdict(), "kept": self.kept, "detail": self.detail}

    def __str__(self) -> str:
        return f"{'pass' if self.kept else 'FAIL'}  {self.rule}: {self.detail}"


class FailedJudgements:
    """Failed verdicts in records that were scored on the rest, and what they could have changed."""

    def __init__(self, task: Task[Any]) -> None:
        self.records = self.failures = 0
        self._metrics = {m.name: m for m in task.table if isinstance(m.average, OfRecords)}
        self._ranges: dict[str, dict[str, Bounds]] = {}

    def add(self, result: Result, line: Mapping[str, Any]) -> None:
        """Count one record by its result line."""
        failures = sum(failure["stage"] != COHERENCE_STAGE for failure in line["failures"])
        if failures and result.status != "failed":
            self.records += 1
            self.failures += failures
            lacking = {name for name, reason in line.get("reasons", {}).items() if reason != FAILED}
            self._ranges[result.record_id] = {
                name: possible_range(m, line) for name, m in self._metrics.items() if name not in lacking
            }

    def worst(self, rule: Rule, sample: Sample) -> float | None:
        """The worst value for `rule` that other outcomes could give; None if none could change it.

        Metrics of labelled claims have no such range: None.
        """
        if rule.measure not in self._metrics or not self._ranges:
            return None
        end = 0 if rule.bound == "min" else 1
        ends = [
            self._ranges.get(i, {}).get(rule.measure, (value, value))[end]
            for i, value in zip(sample.ids, sample.values[rule.measure].tolist(), strict=True)
            if not (math.isnan(value) and self._metrics[rule.measure].needs.labels)
        ]
        values = [value for value in ends if not math.isnan(value)]
        return math.fsum(values) / len(values) if values else None

    def __str__(self) -> str:
        return number_of(self.failures, "failure")


def totals_of(task: Task[Any]) -> dict[str, tuple[str, ...]]:
    """The totals of a run of `task`, and their place in the summary."""
    return TOTALS | ATOM_TOTALS if task.has_graph else TOTALS


def parse_rules(at_least: Sequence[str], at_most: Sequence[str], task: Task[Any]) -> list[Rule]:
    """Rules for a run of `task`, from `NAME=NUMBER` strings.

    Raises UsageError: wrong form, an unknown metric (the nearest known one is named), or no rule.
    """
    rules = [_rule(text, "min", task) for text in at_least] + [_rule(text, "max", task) for text in at_most]
    if not rules:
        raise UsageError(
            f"no rule: add `min=NAME=NUMBER` or `max=NAME=NUMBER`, such as `min={_example(task)}`"
        )
    return rules


def _rule(text: str, bound: Bound, task: Task[Any]) -> Rule:
    given, _, limit = (part.strip() for part in text.partition("="))
    table: Table[Any] = task.table
    try:
        value = float(limit)
    except ValueError:
        value = math.nan
    if not given or not math.isfinite(value):
        raise UsageError(f"--{bound} {text!r}: write NAME=NUMBER, as {_example(task)}")
    name = given.lower().replace("-", "_").replace("@", "_")
    synonyms = {"mae": "mae_precision"} | {metric.line_name: metric.name for metric in table}
    name = synonyms.get(name, name)
    measures = [*totals_of(task), *(metric.name for metric in table if not metric.usage)]
    if name not in measures:
        statuses = {place[1]: total for total, place in TOTALS.items() if place[0] == "records"}
        reason = f"unknown metric {given!r}; {nearest(statuses.get(name, name), measures)}"
        if others := [other for other in TASKS if other != task.name and name in task_named(other).table]:
            reason = (
                f"a metric of `{'`, `'.join(others)}`, but this is a `{task.name}` folder; "
                f"list its metrics: factreasoner metrics {task.name}"
            )
        raise UsageError(f"--{bound} {text}: {reason}")
    if name in table and table[name].bounds == SHARE and not 0.0 <= value <= 1.0:
        remedy = f"; for {value:g} % write {value / 100:g}" if 1.0 < value <= 100.0 else ""
        raise UsageError(f"--{bound} {text}: {given} is a number from 0 to 1{remedy}")
    return Rule(name, bound, value)


def _example(task: Task[Any]) -> str:
    """An example rule on the first share among the task's metrics."""
    return f"{next(metric.name for metric in task.table if metric.bounds == SHARE)}=0.8"


def apply_rules(
    rules: Sequence[Rule],
    summary: Tally[Any],
    task: Task[Any],
    failed: FailedJudgements,
    *,
    on_interval: bool = False,
) -> list[RuleResult]:
    """Apply each rule to a run of `task` with this `summary`.

    `on_interval` compares the worse end of a score's 95 % interval over records; totals have none. A rule
    fails if its metric has no value (or no interval), or if other outcomes of the `failed` verdicts could
    break it.
    """
    places, table = totals_of(task), task.table
    sample, totals = summary.sample(), summary.content()
    found = table.estimates(sample, dict.fromkeys(r.measure for r in rules if r.measure not in places))
    findings = []
    for rule in rules:
        if rule.measure in places:
            kept, detail = _total(rule, totals, places[rule.measure])
        else:
            kept, detail = _score(rule, found[rule.measure], totals["records"], on_interval=on_interval)
            worst = failed.worst(rule, sample)
            if kept and worst is not None and not rule.keeps(worst):
                kept, end = False, f"{worst:.4f}" if math.isfinite(worst) else "any number"
                detail = f"{detail}; {failed} could take it to {end}"
        findings.append(RuleResult(rule, kept, detail))
    return findings


def unruled_failures(rules: Sequence[Rule], summary: Tally[Any], failed: FailedJudgements) -> Iterator[str]:
    """A note on failed records or verdicts, or on unfinished sampling, that no rule covers."""
    asked, content = {rule.measure for rule in rules}, summary.content()
    lost = content["records"]["failed"]
    if lost and not asked & {"failures", "records_failed", "records_ok"}:
        left_out = number_of(lost, "failed record")
        yield f"these scores exclude {left_out}; `max=records_failed=0` makes that a rule"
    if failed.records and not asked & {"failures", "records_partial", "records_ok"}:
        where = f"{failed} in {number_of(failed.records, 'record')}, scored on the rest"
        yield f"{where}; `max=failures=0` makes that a rule"
    open_ = content.get("solver", {}).get("not_converged")
    if open_ and not asked & {"records_partial", "records_ok"}:
        where = f"sampling did not converge in {number_of(open_, 'record')}"
        yield f"{where}; `max=records_partial=0` makes that a rule"


def inverted_rules(rules: Sequence[Rule], table: Table[Any]) -> Iterator[str]:
    """A note on rules that a better score would break."""
    for rule in rules:
        better = table[rule.measure].better if rule.measure in table else None
        if better == ("lower" if rule.bound == "min" else "higher"):
            other = "max" if rule.bound == "min" else "min"
            yield (
                f"{rule} fails on good scores, because a {better} {rule.measure} is better. "
                f"Did you mean --{other} {rule.measure}={rule.limit:g}?"
            )


def _total(rule: Rule, summary: Mapping[str, Any], place: Sequence[str]) -> tuple[bool, str]:
    value: Any = summary
    for key in place:
        value = value and value[key]
    if value is None:
        return False, (
            "unknown: the run was made without `coherence`"
            if place[0] == "coherence"
            else "unknown, because the price of a call is unknown"
        )
    unjudged = summary["coherence"]["unjudged_pairs"] if place[0] == "coherence" else 0
    if unjudged and rule.bound == "max":
        return False, f"{value:g}, with {number_of(unjudged, 'pair')} of claims not judged"
    if rule.measure in LABEL_TOTALS and rule.keeps(value):
        unjudged, partly = summary["atoms"]["unjudged"], summary["atoms"]["partly_judged"]
        worst = value - min(value, partly) if rule.bound == "min" else value + unjudged + partly
        if not rule.keeps(worst):
            open_ = f"{number_of(unjudged, 'atom')} not judged, {partly} in part"
            return False, f"{value:g}; {open_}, which could take it to {worst:g}"
    return rule.keeps(value), f"{value:g}"


def _score(rule: Rule, found: Estimate, records: Mapping[str, int], *, on_interval: bool) -> tuple[bool, str]:
    value, interval, reason, of = found
    if value is None:
        return False, f"no value: {reason}"
    fewer = f" ({of} of {number_of(records['total'], 'record')})" if of < records["total"] else ""
    if interval is None:
        held = not on_interval and rule.keeps(value)
        return held, f"{value:.4f}{fewer}" + (f", with {reason}" if on_interval else "")
    worse, end = (interval.low, "lower") if rule.bound == "min" else (interval.high, "upper")
    detail = f"{value:.4f} [{interval.low:.4f}, {interval.high:.4f}]{fewer}"
    detail += f"; the {end} end decides" * on_interval
    return rule.keeps(worse if on_interval else value), detail


def write_junit(path: Path, findings: Sequence[RuleResult], run: Path) -> None:
    """Write the findings as a JUnit test suite with one test case per rule."""
    broken = sum(not finding.kept for finding in findings)
    name = _in_xml(f"factreasoner check {run}")
    suite = ElementTree.Element("testsuite", name=name, tests=str(len(findings)), failures=str(broken))
    for rule, kept, detail in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname="factreasoner.check", name=_in_xml(str(rule))
        )
        if kept:
            ElementTree.SubElement(case, "system-out").text = _in_xml(detail)
        else:
            ElementTree.SubElement(case, "failure", message=_in_xml(detail))
    make_folder_of(path)
    replace_file(
        path, ['<?xml version="1.0" encoding="utf-8"?>', ElementTree.tostring(suite, encoding="unicode")]
    )


def _in_xml(text: str) -> str:
    """`text` with a replacement mark for each character that XML cannot hold."""
    return _NOT_IN_XML.sub(NO_LETTER, text)
