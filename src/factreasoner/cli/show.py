"""`factreasoner show`: the atoms or claims of a finished run, with labels and evidence."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from factreasoner.cli.flags import AS_JSON, CORRECTIONS, RUN_DIR, Command, flag
from factreasoner.models.rows import table_row
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import in_flags, print_json, print_text

if TYPE_CHECKING:
    from factreasoner.tasks.task import Task

Label = StrEnum(
    "Label",
    "supported contradicted conflicting unverified uncited unknown_source not_judged stated not_stated "
    "unanswered disputed",
)
"""Labels of atoms and claims; `disputed` is a flag in addition to a label."""


class ShowCommand(Command):
    """Show the atoms or claims of a finished run of any task, with labels, quotes and sources."""

    run_dir: Path = RUN_DIR
    record: str | None = flag("Only the record with this id.")
    label: list[Label] | None = flag(
        "Only claims with this label; repeatable: supported, contradicted, conflicting, unverified, "
        "uncited, unknown_source, not_judged; for facts: stated, not_stated, unanswered; or disputed: "
        "one context supports the claim and another contradicts it."
    )
    sort: Literal["text", "p"] = flag(
        "Order: p (least likely first) or text (as in the answers).", default="text"
    )
    corrections: Path | None = CORRECTIONS
    limit: int | None = flag("Only the first N claims.", min=1)
    as_json: bool = AS_JSON

    def _execute(self) -> None:
        from factreasoner.analysis.tables import ClaimFilter, select_claims
        from factreasoner.cli.claim_tables import print_rows
        from factreasoner.runs.finished import FinishedRun
        from factreasoner.tasks.evidence_text import WithoutClaims

        run = FinishedRun.of_any_task(self.run_dir, self.corrections)
        names = {name.value for name in self.label or ()}
        wanted = ClaimFilter(
            None if self.record is None else run.known_id(self.record),
            frozenset(found for name in names - {"disputed"} for found in _labels(name, run.task)),
            frozenset(names & {"disputed"}),
            self.limit,
        )
        without, by_p = WithoutClaims(), self.sort == "p"
        rows = select_claims(run, wanted, without, by_p=by_p)
        if self.as_json:
            print_json([table_row(row, run.task.words) for row in rows])
        else:
            shown = print_rows(rows, run.task, in_order=by_p)
            if message := without.summary(run.task.words.claim):
                Terminal().sentence(plain(in_flags(message)))
            elif not shown:
                print_text(f"No {run.task.words.claim}s to show.")
            if without.not_checked:
                Terminal().sentence(f"{without.not_checked}.")
        self._note(run.unfinished)


def _labels(name: str, task: Task[Any]) -> set[str | None]:
    """The labels that the task calls by that name."""
    called = {label for label, word in task.words.labels.items() if word == name.replace("_", " ")}
    return called or {None if name == "not_judged" else name}
