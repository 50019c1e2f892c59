"""Rules a finished run must keep, for a pipeline that stops when it does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from xml.etree import ElementTree

from factreasoner.errors import ConfigError
from factreasoner.files import replace_file
from factreasoner.metrics.table import SHARE, Estimate, Table, of_fewer
from factreasoner.models import Support
from factreasoner.plugins.table import nearest
from factreasoner.tasks.registry import FACTUALITY, TASKS, task_named
from factreasoner.tasks.task import Tally, Task

Bound = Literal["min", "max"]
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
"""Totals over a run of any task, and where the summary has them."""

ATOM_TOTALS: dict[str, tuple[str, ...]] = {"atoms": ("atoms", "judged")} | {
    f"atoms_{name}": ("atoms", name) for name in (*get_args(Support), "disputed", "unjudged", "partly_judged")
}
"""Totals over a run of factuality alone, and where the summary has them."""

SYNONYMS = {"mae": "mae_precision"}
"""Other names of metrics, beside those they have in result lines."""


class Rule(NamedTuple):
    """A measure of a run must be at least, or at most, so much."""

    measure: str
    bound: Bound
    limit: float

    def __str__(self) -> str:
        return f"{self.measure} {SIGNS[self.bound]} {self.limit:g}"


class RuleResult(NamedTuple):
    """What became of one rule; `detail` says what was found, or why there is nothing to compare."""

    rule: Rule
    kept: bool
    detail: str

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**self.rule._asdict(), "kept": self.kept, "detail": self.detail}

    def __str__(self) -> str:
        return f"{'pass' if self.kept else 'FAIL'}  {self.rule}: {self.detail}"


def totals_of(task: Task[Any]) -> dict[str, tuple[str, ...]]:
    """The totals that a run of `task` has, and where."""
    return TOTALS | ATOM_TOTALS if task.name == FACTUALITY else TOTALS


def parse_rules(at_least: Sequence[str], at_most: Sequence[str], task: Task[Any]) -> list[Rule]:
    """Rules about a run of `task` from `NAME=NUMBER` texts.

    Raises:
        ConfigError: not of that form, an unknown measure (the nearest known one is named), or no rule.
    """
    rules = [_rule(text, "min", task) for text in at_least] + [_rule(text, "max", task) for text in at_most]
    if not rules:
        raise ConfigError(f"no rule: add --min NAME=NUMBER or --max NAME=NUMBER, as --min {_example(task)}")
    return rules


def _rule(text: str, bound: Bound, task: Task[Any]) -> Rule:
    given, _, limit = (part.strip() for part in text.partition("="))
    name = given.lower().replace("-", "_").replace("@", "_")
    synonyms = SYNONYMS | {metric.line_name: metric.name for metric in task.table}
    name = synonyms.get(name, name)
    measures = [*totals_of(task), *(metric.name for metric in task.table if not metric.usage)]
    try:
        value = float(limit)
    except ValueError:
        value = math.nan
    if not given or not math.isfinite(value):
        raise ConfigError(f"--{bound} {text!r}: write NAME=NUMBER, as {_example(task)}")
    if name not in measures:
        others = [other for other in TASKS if other != task.name and name in task_named(other).table]
        reason = (
            f"a measure of {' and '.join(others)}, and this is a run of {task.name}; its own: "
            f"factreasoner metrics {task.name}"
            if others
            else f"unknown measure {given!r}; {nearest(name, measures)}"
        )
        raise ConfigError(f"--{bound} {text}: {reason}")
    return Rule(name, bound, value)


def _example(task: Task[Any]) -> str:
    """A rule about the first share among the task's metrics."""
    return f"{next(metric.name for metric in task.table if metric.bounds == SHARE)}=0.8"


def apply_rules(
    rules: Sequence[Rule], summary: Tally[Any], task: Task[Any], *, on_interval: bool = False
) -> list[RuleResult]:
    """What became of each rule about a run of `task`, added up in `summary`.

    `on_interval` holds a score's rule against the worse end of its 95 % interval over records; totals have
    none. A rule about what has no value, or with `on_interval` no interval, is not kept.
    """
    places = totals_of(task)
    wanted = dict.fromkeys(rule.measure for rule in rules if rule.measure not in places)
    table: Table[Any] = task.table
    found = table.estimates(summary.sample(), wanted)
    totals = summary.content()
    return [
        _total(rule, totals, places[rule.measure])
        if rule.measure in places
        else _score(rule, found[rule.measure], totals["records"], on_interval=on_interval)
        for rule in rules
    ]


def unruled_failures(rules: Sequence[Rule], summary: Tally[Any]) -> str | None:
    """What to say where records failed that no rule of a total asks about; None where none did."""
    failed = summary.content()["records"]["failed"]
    asked = {"failures", "records_failed", "records_ok"} & {rule.measure for rule in rules}
    if not failed or asked:
        return None
    have = "1 record failed and has" if failed == 1 else f"{failed} records failed and have"
    return f"{have} no part in these scores; --max records_failed=0 makes a rule of it"


def _total(rule: Rule, summary: Mapping[str, Any], place: Sequence[str]) -> RuleResult:
    value: Any = summary
    for key in place:
        value = None if value is None else value[key]
    if value is None and place[0] == "coherence":
        return RuleResult(rule, False, "unknown: the run was made without --coherence")
    if value is None:
        return RuleResult(rule, False, "unknown, because the price of a call is unknown")
    unjudged = summary["coherence"]["unjudged_pairs"] if place[0] == "coherence" else 0
    if unjudged and rule.bound == "max":
        return RuleResult(rule, False, f"{value:g}, and {unjudged} pairs of claims were not judged")
    return RuleResult(rule, _keeps(value, rule), f"{value:g}")


def _score(rule: Rule, found: Estimate, records: Mapping[str, int], *, on_interval: bool) -> RuleResult:
    value, interval, reason, of = found
    if value is None:
        return RuleResult(rule, False, f"no value: {reason}")
    fewer = f" {of_fewer(of, records)}".rstrip()
    if interval is None:
        if not on_interval:
            return RuleResult(rule, _keeps(value, rule), f"{value:.4f}{fewer}")
        return RuleResult(rule, False, f"{value:.4f}{fewer}, with {reason}")
    detail = f"{value:.4f} [{interval.low:.4f}, {interval.high:.4f}]{fewer}"
    worse = interval.low if rule.bound == "min" else interval.high
    return RuleResult(rule, _keeps(worse if on_interval else value, rule), detail)


def _keeps(value: float, rule: Rule) -> bool:
    return value >= rule.limit if rule.bound == "min" else value <= rule.limit


def write_junit(path: Path, findings: Sequence[RuleResult], run: Path) -> None:
    """The findings as a JUnit test suite, a test case for each rule."""
    broken = sum(not finding.kept for finding in findings)
    suite = ElementTree.Element(
        "testsuite", name=f"factreasoner check {run}", tests=str(len(findings)), failures=str(broken)
    )
    for finding in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname="factreasoner.check", name=str(finding.rule)
        )
        if not finding.kept:
            ElementTree.SubElement(case, "failure", message=finding.detail)
        else:
            ElementTree.SubElement(case, "system-out").text = finding.detail
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(
        path, ['<?xml version="1.0" encoding="utf-8"?>', ElementTree.tostring(suite, encoding="unicode")]
    )
