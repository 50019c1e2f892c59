"""`factreasoner check`: rules that a finished run must meet, for continuous integration."""

from __future__ import annotations

from pathlib import Path

from factreasoner.cli.flags import AS_JSON, RUN_DIR, Command, flag
from factreasoner.errors import RunError
from factreasoner.report.terminal import in_flags, print_json, print_text

BROKEN = 4
"""Exit code if a rule fails."""


class CheckCommand(Command):
    """Check a finished run against rules: exit code 0 if all of them hold, 4 if one does not.

    A rule fails if its metric has no value. An interrupted run is refused with exit code 1.
    """

    run_dir: Path = RUN_DIR
    at_least: list[str] | None = flag(
        "NAME=NUMBER, such as precision=0.8; repeatable. `metrics` lists scores and totals.", "--min"
    )
    at_most: list[str] | None = flag("NAME=NUMBER, such as failures=0; repeatable.", "--max")
    on_interval: bool = flag("Check scores by the worse end of their 95 % interval.")
    junit: Path | None = flag("Write a JUnit XML file with a test case for each rule.")
    as_json: bool = AS_JSON

    def _execute(self) -> int:
        from factreasoner.analysis import rules as ruling
        from factreasoner.analysis.evaluation import summarize_run
        from factreasoner.runs.finished import FinishedRun

        run = FinishedRun.of_any_task(self.run_dir)
        rules = ruling.parse_rules(self.at_least or (), self.at_most or (), run.task)
        failed = ruling.FailedJudgements(run.task)
        if run.unfinished:
            raise RunError(run.unfinished)
        summary = summarize_run(run, run.config, each=failed.add)
        findings = ruling.apply_rules(rules, summary, run.task, failed, on_interval=self.on_interval)
        measured = [rule.measure for rule in rules if rule.measure in run.task.table]
        if self.as_json:
            print_json([finding.content() for finding in findings])
        else:
            print_text(in_flags("\n".join(map(str, findings))))
        few = run.task.table.few_records(summary.sample(), measured)
        turned = ruling.inverted_rules(rules, run.task.table)
        unchecked = f"{summary.not_checked}." if summary.not_checked else ""
        for warning in filter(
            None,
            (unchecked, few, run.other_weights, *turned, *ruling.unruled_failures(rules, summary, failed)),
        ):
            print_text(warning, err=True)
        if self.junit is not None:
            ruling.write_junit(self.junit, findings, self.run_dir)
        return 0 if all(finding.kept for finding in findings) else BROKEN
