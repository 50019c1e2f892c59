"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from factreasoner.cli.flags import EVERY, EXPORT_UAI, OF_CLAIMS, argument
from factreasoner.cli.running import Running
from factreasoner.report.terminal import say


class Run(Running, panels=EVERY, without=OF_CLAIMS):
    """Assess every record of DATA. The same command again resumes where the last one stopped."""

    data: Path = argument(
        "DATA",
        "Records: JSONL, one a line, or CSV; - for standard input; or an earlier run's folder, for its atoms "
        "and contexts.",
    )
    export_uai: Path | None = EXPORT_UAI

    def _execute(self) -> int:
        from factreasoner.calibration.applying import misfits
        from factreasoner.runs.scoring import check_export
        from factreasoner.tasks.factuality import TASK

        if not self.quiet:
            for note in misfits(self.config):
                say(note, err=True)
        if self.export_uai is not None and not self.dry_run:
            check_export(self.export_uai, self.config)
        return self.carry_out(TASK, self.data)

    def at_end(self, results: Iterable[Any]) -> None:
        """Write the records' networks, where that is asked for."""
        from factreasoner.runs.scoring import export_networks

        if self.export_uai is not None:
            exported = export_networks(results, self.config, self.export_uai)
            if not (self.quiet or self.as_json):
                say(str(exported))
