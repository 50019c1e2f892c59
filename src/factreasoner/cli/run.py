"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import OF_CLAIMS, takes_settings
from factreasoner.cli.options import DryRun, Profile, RunOptions, takes_groups
from factreasoner.cli.running import Job, carry_out, default_folder
from factreasoner.report.terminal import say


@takes_settings(without=OF_CLAIMS)
@takes_groups
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records: JSONL, one a line, or CSV; - for standard input; "
            "or an earlier run's folder, for its atoms and contexts.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder. (default: runs/<name of the file>)")
    ] = None,
    profile: Profile = None,
    dry_run: DryRun = False,
    export_uai: Annotated[
        Path | None, typer.Option(help="Write every record's network there, as a UAI file.")
    ] = None,
    *,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Assess every record of DATA. The same command again resumes where the last one stopped."""
    from factreasoner.calibration.applying import misfits
    from factreasoner.runs.networks import check_export, export_networks
    from factreasoner.runs.store import RunFolder
    from factreasoner.settings import load_settings
    from factreasoner.tasks.factuality import TASK

    def export(folder: Path, ids: Sequence[str]) -> None:
        if export_uai is not None:
            exported = export_networks(RunFolder(folder, TASK).results(ids), config, export_uai)
            if not (running.quiet or running.as_json):
                say(str(exported))

    config = load_settings(profile, settings)
    if not running.quiet:
        for note in misfits(config):
            say(note, err=True)
    if export_uai is not None and not dry_run:
        check_export(export_uai, config)
    job = Job(TASK, data, config, out or default_folder(data), running)
    raise typer.Exit(carry_out(job, dry_run=dry_run, at_end=export))
