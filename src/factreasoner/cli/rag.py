"""`factreasoner rag`: where a retrieval-augmented system loses or invents claims."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from factreasoner.cli.flags import OF_RUN, argument, flag
from factreasoner.cli.running import TaskCommand
from factreasoner.report.console import Terminal, plain

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")


class RagCommand(TaskCommand, panels=PANELS, without=(*OF_RUN, "uncited", "rounds")):
    """Judge retrieval-augmented answers claim by claim, against their contexts and a reference.

    Rerun the command to resume after an interruption.
    """

    data: Path = argument(
        "DATA",
        "Records as JSONL (one per line) or CSV, with 'contexts' or a 'reference'; - for standard input.",
    )
    first: int | None = flag("Score retrieval at the first K contexts. (default: all)", "--k", min=1)
    explain: bool = flag("List what was lost or invented, claim by claim.")

    def _execute(self) -> int:
        from factreasoner.tasks.rag.task import TASK

        if self.explain:
            self.refuse_json()
        self.settings["k"] = self.first
        beyond = "claims that no single context supports are checked against all contexts together"
        return self.run_task(TASK, self.data, "" if self.config.premise == "joint" else beyond)

    def at_end(self, results: Iterable[Any]) -> None:
        """List unsupported claims of answers, and claims of references that answers omit."""
        from factreasoner.tasks.rag.losses import FAILED, lost_claims

        console = Terminal()
        for result in results if self.explain else ():
            if found := list(lost_claims(result)):
                failed = f"[red]{FAILED}[/red]"
                rows = [(of, plain(how).replace(FAILED, failed), plain(text)) for of, how, text in found]
                console.print(f"\n{plain(result.record_id)}")
                console.columns(("claim of", "", "claim"), rows)
