"""`factreasoner check`: rules a finished run must keep, for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factreasoner.cli.flags import AsJson, RunDir
from factreasoner.errors import RunError
from factreasoner.report.terminal import say, say_json

BROKEN = 4
"""Exit code when a rule is not kept."""


def check(
    run_dir: RunDir,
    at_least: Annotated[
        list[str] | None,
        typer.Option("--min", help="NAME=NUMBER, as precision=0.8; once a rule; `metrics` lists the names."),
    ] = None,
    at_most: Annotated[
        list[str] | None, typer.Option("--max", help="NAME=NUMBER, as failures=0; once a rule.")
    ] = None,
    on_interval: Annotated[
        bool,
        typer.Option(
            "--on-interval", help="Hold scores' rules against the worse end of their 95 % interval."
        ),
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit XML file, a test case a rule.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Hold a finished run against rules: exit code 0 when all are kept, 4 when one is not.

    A rule about what has no value is not kept; a run that was cut off is refused with exit code 1.
    """
    from factreasoner.analysis.evaluation import summarised
    from factreasoner.analysis.rules import (
        FailedJudgements,
        apply_rules,
        parse_rules,
        unruled_failures,
        write_junit,
    )
    from factreasoner.runs.finished import FinishedRun

    run = FinishedRun.of_any_task(run_dir)
    rules, failed = parse_rules(at_least or (), at_most or (), run.task), FailedJudgements(run.task)
    if run.unfinished:
        raise RunError(run.unfinished)
    summary = summarised(run, run.config, each=failed.add)
    findings = apply_rules(rules, summary, run.task, failed, on_interval=on_interval)
    measured = [rule.measure for rule in rules if rule.measure in run.task.table]
    if as_json:
        say_json([finding.content() for finding in findings])
    else:
        say("\n".join(map(str, findings)))
    few = run.task.table.few_records(summary.sample(), measured)
    for warning in filter(None, (few, *unruled_failures(rules, summary, failed))):
        say(warning, err=True)
    if junit is not None:
        write_junit(junit, findings, run_dir)
    raise typer.Exit(0 if all(finding.kept for finding in findings) else BROKEN)
