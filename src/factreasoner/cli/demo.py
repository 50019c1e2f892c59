"""`factreasoner demo`: judge the bundled answers without a checkout, key, network or model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import Command, flag
from factreasoner.cli.run import RunCommand
from factreasoner.pipeline.config import Config
from factreasoner.report.terminal import print_text

if TYPE_CHECKING:
    from factreasoner.runs.finished import FinishedRun

NEXT = """
The bundled judge, a small neural model, judged these. It misses errors, above all swapped roles and wrong
causes. To judge with a language model, add --model NAME. Next, try:

  factreasoner explain {folder} --record nokia --atom a14
  printf 'The tower is 38 metres high.' > tower.txt
  factreasoner assess "The tower is 52 metres high." --context tower.txt
"""


class DemoCommand(Command):
    """Judge seven bundled answers with planted errors, show the worst three atoms, and write the report.

    It needs no key, internet or language model, and ignores settings from the environment.
    """

    out: Path = flag("Run folder. (default: runs/demo)", "--out", "-o", default=Path("runs/demo"))
    fresh: bool = flag("Start over instead of resuming.")

    def _execute(self) -> int | None:
        from factreasoner.report.page import default_page, write_report
        from factreasoner.runs.finished import FinishedRun

        unset = dict.fromkeys(("column_map", "limit", "skip_invalid", "dry_run", "report", "export_uai"))
        how: dict[str, Any] = unset | {"settings": {}, "config": Config(), "quiet": True, "as_json": False}
        with as_file(files(__package__) / "demo.jsonl") as data:
            if code := RunCommand(**how, data=data, out=self.out, fresh=self.fresh)():
                return code
        run = FinishedRun.of_any_task(self.out)
        _show_worst(run, json.loads((self.out / "summary.json").read_text(encoding="utf-8")))
        print_text(str(write_report([run], default_page(self.out))))
        print_text(NEXT.format(folder=self.out))
        return None


def _show_worst(run: FinishedRun[Any], summary: Mapping[str, Any]) -> None:
    from factreasoner.analysis.tables import ClaimFilter, select_claims
    from factreasoner.cli.claim_tables import print_rows
    from factreasoner.tasks.evidence_text import WithoutClaims

    worst = ClaimFilter(None, frozenset({"contradicted"}), frozenset(), 3)
    print_text("Seven answers with planted errors: 142 atoms, judged against 99 contexts.")
    print_text("The three least likely atoms, each with the sentence that the judge relied on:\n")
    rows = list(select_claims(run, worst, WithoutClaims(), by_p=True))
    print_rows(rows, run.task, in_order=True)
    alarms = [f"{row.record} {row.claim} is right: a false alarm" for row in rows if row.gold == "S"]
    print_text(f"By human labels, {'; '.join(alarms) or 'all three are planted errors'}.\n")
    right, found, missed, wronged = summary["gold"]["confusion"].values()
    precision = summary["metrics"]["precision"]
    value, (low, high) = precision["value"], precision["interval_95"]
    called = f"{found} of {found + missed} planted errors, and {wronged} of {wronged + right} right atoms"
    print_text(f"Precision, the mean share of supported atoms: {value:.3f}  [{low:.3f}, {high:.3f}]")
    print_text(f"Contradicted or unverified: {called}.")
