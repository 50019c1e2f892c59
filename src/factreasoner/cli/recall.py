"""`factreasoner recall`: which of the expected facts an answer states."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from factreasoner.cli.flags import OF_RUN, argument, flag
from factreasoner.cli.running import TaskCommand

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Calibration", "Scores")


class RecallCommand(TaskCommand, panels=PANELS, without=(*OF_RUN, "atomizer")):
    """Check which facts each answer states; the record gives the facts, or a reference to make them from.

    Rerun the command to resume after an interruption.
    """

    data: Path = argument(
        "DATA", "Records as JSONL (one per line) or CSV, with 'facts' or a 'reference'; - for standard input."
    )
    explain: bool = flag("List the facts that answers do not state.")

    def _execute(self) -> int:
        from factreasoner.tasks.recall import TASK

        if self.explain:
            self.refuse_json()
        return self.run_task(TASK, self.data)

    def at_end(self, results: Iterable[Any]) -> None:
        """List omitted and unanswered facts, record by record."""
        from factreasoner.cli.claim_tables import print_rows
        from factreasoner.tasks.recall import TASK

        if self.explain:
            rows = (row for result in results for row in result.rows() if row.label != "supported")
            print_rows(rows, TASK)
