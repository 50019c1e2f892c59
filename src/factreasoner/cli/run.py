"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import OF_CLAIMS, ExportUai, RunOptions, Target, takes_flags
from factreasoner.cli.running import Job, carry_out
from factreasoner.report.terminal import say


@takes_flags(without=OF_CLAIMS)
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records: JSONL, one a line, or CSV; - for standard input; "
            "or an earlier run's folder, for its atoms and contexts.",
        ),
    ],
    export_uai: ExportUai = None,
    *,
    target: Target,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Assess every record of DATA. The same command again resumes where the last one stopped."""
    from factreasoner.calibration.applying import misfits
    from factreasoner.runs.networks import check_export, export_networks
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    job = Job.of(TASK, data, target, running, settings)

    def export(folder: Path, ids: Sequence[str]) -> None:
        if export_uai is not None:
            exported = export_networks(RunFolder(folder, TASK).results(ids), job.config, export_uai)
            if not (running.quiet or running.as_json):
                say(str(exported))

    if not running.quiet:
        for note in misfits(job.config):
            say(note, err=True)
    if export_uai is not None and not target.dry_run:
        check_export(export_uai, job.config)
    raise typer.Exit(carry_out(job, dry_run=target.dry_run, at_end=export))
