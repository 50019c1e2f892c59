"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import EVERY, EXPORT_UAI, OF_CLAIMS, argument
from factreasoner.cli.running import TaskCommand
from factreasoner.errors import InputProblem
from factreasoner.models import Record
from factreasoner.report.terminal import print_text

if TYPE_CHECKING:
    from factreasoner.inputs.input import CheckedInput
    from factreasoner.inputs.parsing import Fits
    from factreasoner.runs.finished import PastRecords


class RunCommand(TaskCommand, panels=EVERY, without=OF_CLAIMS):
    """Assess every record of DATA. Rerun the command to resume after an interruption."""

    data: Path = argument(
        "DATA",
        "Records as JSONL (one per line) or CSV; - for standard input; or an earlier run's folder, to reuse "
        "its atoms and contexts.",
    )
    export_uai: Path | None = EXPORT_UAI

    def _execute(self) -> int:
        from factreasoner.runs.scoring import check_export
        from factreasoner.tasks.factuality import TASK

        if self.config.calibration is not None:
            from factreasoner.judges.calibration import calibration_notes

            for note in calibration_notes(self.config):
                self._note(note)
        if self.export_uai is not None and not self.dry_run:
            check_export(self.export_uai, self.config)
        return self.run_task(TASK, self.data)

    def checked(self, data: Path, fits: Fits) -> CheckedInput | PastRecords:
        """The checked records; notes how many have contexts already, so that no search is needed."""
        brings: dict[str, bool] = {}

        def noted(record: Record) -> Sequence[InputProblem]:
            if not (problems := fits(record)):
                brings.setdefault(record.id, record.contexts is not None)
            return problems

        checked = super().checked(data, noted)
        brought = sum(brings[record_id] for record_id in checked.ids)
        if not self.config.part("retriever").takes_given and brought:
            self._note(
                f"--retriever {self.config.retriever} is ignored for {brought:,} of {len(checked.ids):,} "
                "records, which already have contexts."
            )
        return checked

    def at_end(self, results: Iterable[Any]) -> None:
        """Write the records' networks if requested."""
        from factreasoner.runs.scoring import export_networks

        if self.export_uai is not None:
            exported = export_networks(results, self.config, self.export_uai)
            if not (self.quiet or self.as_json):
                print_text(str(exported))
