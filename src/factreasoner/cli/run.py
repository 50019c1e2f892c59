"""`factreasoner run`: assess every record of a JSONL file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.options import RunOptions, takes_groups
from factreasoner.cli.settings import takes_settings
from factreasoner.cli.terminal import say

if TYPE_CHECKING:
    from factreasoner.config import Config
    from factreasoner.errors import InputProblem
    from factreasoner.inputs.input import CheckedInput, Fits
    from factreasoner.models import Record
    from factreasoner.runs.replay import PastRecords


@takes_settings()
@takes_groups
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records, JSONL, one a line; - for standard input; "
            "or an earlier run's folder, for its atoms and contexts.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder. (default: runs/<name of the file>)")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option("--config", "-c", help="YAML profile; flags override it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what it would take, and call nothing.")
    ] = False,
    export_uai: Annotated[
        Path | None, typer.Option(help="Write every record's network there, as a UAI file.")
    ] = None,
    *,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Assess every record of DATA. The same command again resumes where the last one stopped."""
    from factreasoner.calibration.applying import fitted_config, misfits
    from factreasoner.config import load_config

    config = fitted_config(load_config(profile, settings))
    if not running.quiet:
        for note in misfits(config):
            say(note, err=True)
    folder = out or Path("runs") / ("stdin" if str(data) == "-" else data.stem)
    _refuse_own_source(folder, data, config)
    checked = _checked(data, config, running)
    if dry_run:
        _print_plan(checked, config)
        raise typer.Exit
    if export_uai is not None:
        from factreasoner.runs.networks import check_export

        check_export(export_uai, config)
    code = _run(checked, config, folder, running)
    if export_uai is not None:
        _export(folder, checked.ids, config, export_uai, quiet=running.quiet)
    raise typer.Exit(code)


def _export(run_dir: Path, ids: Sequence[str], config: Config, folder: Path, *, quiet: bool) -> None:
    from factreasoner.runs.networks import export_networks
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    run_folder = RunFolder(run_dir, TASK)
    run_folder.read_journal()
    exported = export_networks(run_folder.results(ids), config, folder)
    if not quiet:
        say(str(exported))


def _refuse_own_source(folder: Path, data: Path, config: Config) -> None:
    from factreasoner.errors import ConfigError
    from factreasoner.judges.recorded import recording_file

    for source in (data, config.relations):
        if source is not None and recording_file(source).resolve() == recording_file(folder).resolve():
            raise ConfigError(f"{folder}: this run reads from that folder; choose another one with --out")


def _checked(data: Path, config: Config, running: RunOptions) -> CheckedInput | PastRecords:
    from factreasoner.inputs.input import check_fits

    def fits(record: Record) -> list[InputProblem]:
        return check_fits(record, config)

    return check_data(data, fits, running)


def check_data(data: Path, fits: Fits, running: RunOptions) -> CheckedInput | PastRecords:
    """The records of a file, or of a finished run; lines that are skipped are said.

    Raises:
        InputError: every problem of every line.
        RunError: a folder that is no run, or a damaged one.
    """
    from factreasoner.inputs.columns import parse_column_map
    from factreasoner.inputs.input import check_input
    from factreasoner.runs.replay import PastRecords

    columns = parse_column_map(running.column_map or [])
    limit, skip_invalid = running.limit, running.skip_invalid
    checked: CheckedInput | PastRecords
    if data.is_dir():
        checked = PastRecords(data, fits=fits, limit=limit, skip_invalid=skip_invalid)
    else:
        checked = check_input(data, column_map=columns, fits=fits, limit=limit, skip_invalid=skip_invalid)
    for problem in checked.problems:
        say(f"skipped {problem}", err=True)
    return checked


def _run(checked: CheckedInput | PastRecords, config: Config, path: Path, running: RunOptions) -> int:
    from factreasoner.cli.progress import progress_for
    from factreasoner.cli.tables import print_summary
    from factreasoner.pipeline import build_pipeline
    from factreasoner.runs.fingerprints import file_fingerprints, prompt_fingerprints
    from factreasoner.runs.runner import run as run_records
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    folder = RunFolder(path, TASK)
    folder.start(config, prompt_fingerprints(config), files=file_fingerprints(config), fresh=running.fresh)
    try:
        pipeline = build_pipeline(config, spent=folder.spent, paid=folder.ledger.add, memory=folder)
        with progress_for(quiet=running.quiet) as progress:
            report = run_records(pipeline, folder, checked.ids, checked.records(), progress)
    finally:
        folder.close()
    if not running.quiet:
        print_summary(report.summary, config, path)
        if (abilities := folder.abilities()) is not None:
            say(f"{config.model}: {abilities}.", err=True)
    if report.stopped:
        say(
            f"Stopped: {report.stopped}. {report.unfinished} of {report.total} records are not assessed.",
            err=True,
        )
    return 0 if report.complete else 3


def _print_plan(checked: CheckedInput | PastRecords, config: Config) -> None:
    from factreasoner.cli.tables import print_plan
    from factreasoner.runs.plan import plan

    print_plan(plan(checked.records(), config), config, len(checked.ids))
