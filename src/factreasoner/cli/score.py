"""`factreasoner score`: score a finished run again, without any model call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.options import RunDir
from factreasoner.cli.settings import takes_settings
from factreasoner.cli.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.config import Config
    from factreasoner.models import Assessment
    from factreasoner.runs.store import RunFolder


@takes_settings("Graph", "Calibration", "Scores")
def score(
    run_dir: RunDir,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the scores go. (default: RUN_DIR/rescored)")
    ] = None,
    export_uai: Annotated[
        Path | None, typer.Option(help="Write every record's network there, as a UAI file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Score a finished run with another K, prior, factor table, calibration or solver.

    The run itself is not changed.
    """
    from factreasoner.cli.tables import print_summary
    from factreasoner.plugins import SOLVER
    from factreasoner.rescoring import rebuilt, rescore
    from factreasoner.runs.networks import check_export, export_networks
    from factreasoner.runs.scoring import score_journal
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    folder = RunFolder(run_dir, TASK)
    config = _changed(folder, {key: value for key, value in settings.items() if value is not None})
    folder.read_journal()
    if export_uai is not None:
        check_export(export_uai, config)
    solver = SOLVER.make(config.solver, {"config": lambda: config})
    out = out or run_dir / "rescored"
    summary = score_journal(
        folder, folder.order(), config, again=lambda result: rescore(result, solver, config), out=out
    )
    if export_uai is not None:
        again = (rebuilt(assessment, config) for assessment in folder.results(folder.order()))
        say(str(export_networks(again, config, export_uai)), err=True)
    if as_json:
        say_json(summary)
    else:
        print_summary(summary, config, out)
    if summary["solver"]["not_converged"]:
        raise typer.Exit(3)


def _changed(folder: RunFolder[Assessment], changes: dict[str, Any]) -> Config:
    """The run's settings with `changes`, once it is said what of a calibration does not fit them."""
    from factreasoner.calibration.applying import fitted_config, misfits
    from factreasoner.config import parse_config
    from factreasoner.runs.fingerprints import refuse_changed_files

    config = parse_config(folder.config().model_dump() | changes, str(folder.manifest_path))
    refuse_changed_files(folder, named=changes)
    if "calibration" in changes:
        config = fitted_config(config, explicit=changes)
    for note in misfits(config):
        say(note, err=True)
    return config
