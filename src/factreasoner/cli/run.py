"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import OF_CLAIMS, takes_settings
from factreasoner.cli.options import DryRun, RunOptions, takes_groups
from factreasoner.cli.running import Show, check_task_data, default_folder, refuse_own_source, run_task
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.inputs.input import CheckedInput
    from factreasoner.runs.replay import PastRecords
    from factreasoner.settings import Config


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
    profile: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="YAML profile; FACTREASONER_<NAME> and flags override it."),
    ] = None,
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
    from factreasoner.settings import load_settings
    from factreasoner.tasks.factuality import TASK

    config = load_settings(profile, settings)
    if not running.quiet:
        for note in misfits(config):
            say(note, err=True)
    folder = out or default_folder(data)
    refuse_own_source(folder, data, config)
    checked = check_task_data(TASK, data, config, running)
    if dry_run:
        _print_plan(checked, config, as_json=running.as_json)
        raise typer.Exit
    if export_uai is not None:
        from factreasoner.runs.networks import check_export

        check_export(export_uai, config)
    code = run_task(TASK, checked, config, folder, running, shown=_shown)
    if export_uai is not None:
        _export(folder, checked.ids, config, export_uai, quiet=running.quiet or running.as_json)
    raise typer.Exit(code)


def _shown() -> Show:
    from factreasoner.cli.tables import print_summary

    return print_summary


def _export(run_dir: Path, ids: Sequence[str], config: Config, folder: Path, *, quiet: bool) -> None:
    from factreasoner.runs.networks import export_networks
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    exported = export_networks(RunFolder(run_dir, TASK).results(ids), config, folder)
    if not quiet:
        say(str(exported))


def _print_plan(checked: CheckedInput | PastRecords, config: Config, *, as_json: bool) -> None:
    from factreasoner.cli.plan_tables import print_plan
    from factreasoner.judges.probe import as_probed
    from factreasoner.runs.plan import plan

    planned = plan(checked.records(), as_probed(config))
    if as_json:
        say_json(planned.content(len(checked.ids)))
    else:
        print_plan(planned, config, len(checked.ids))
