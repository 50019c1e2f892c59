"""`factreasoner calibrate`: fit probabilities to labels, for `run --calibration`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from factreasoner.cli.options import RunDir, takes_groups
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.report.terminal import say, say_json
from factreasoner.settings.choices import CalibrationMethod, Unlisted

if TYPE_CHECKING:
    from factreasoner.calibration.applying import Calibration


class FitOptions(NamedTuple):
    """What is fitted, how, and to which labels."""

    relations: Annotated[
        Path | None,
        typer.Option(
            help="Calibrate verdicts by the labels in this file, JSONL as the recorded judge reads it, "
            "or another run's folder."
        ),
    ] = None
    corrections: Annotated[
        Path | None,
        typer.Option(
            help="Calibrate verdicts by a reader's corrections, as for `score`; the other verdicts of the "
            "records they name count as right. Labels of all pairs (--relations) are better."
        ),
    ] = None
    unlisted: Annotated[
        Unlisted | None,
        typer.Option(
            help="The label of verdicts that --relations does not list. (default: missing: left out)"
        ),
    ] = None
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Labels of atoms to use instead of the run's own, as for `evaluate`. (default: the run's)"
        ),
    ] = None
    method: Annotated[
        CalibrationMethod | None,
        typer.Option(help="Shape of the map of posteriors. (default: platt)"),
    ] = None
    seed: Annotated[
        int, typer.Option(help="Seed of folds and intervals. (default: 0)", show_default=False)
    ] = 0


@takes_groups
def calibrate(
    run_dir: RunDir,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The calibration file; reliability diagrams go next to it."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the calibration as JSON.")] = False,
    *,
    learning: FitOptions,
) -> None:
    """Fit verdicts (--relations, --corrections) or posteriors to labels.

    Calls no model. What is said of the fit is measured on records that were held out of it. To calibrate
    both, do so in this order, the posteriors of a run made with the verdicts' file.
    """
    from factreasoner.cli.calibration_tables import print_calibration

    _refuse_mixtures(learning)
    calibration = _calibration(run_dir, learning)
    part = "posteriors" if learning.relations is None and learning.corrections is None else "verdicts"
    source = calibration.source[part]
    figures = _write(calibration, part, out)
    if as_json:
        say_json(calibration.model_dump(mode="json"))
    else:
        print_calibration(source, out, figures)
    for note in source["notes"]:
        say(note, err=True)


def _refuse_mixtures(learning: FitOptions) -> None:

    of_verdicts = {"--relations": learning.relations, "--corrections": learning.corrections}
    given = [flag for flag, file in of_verdicts.items() if file is not None]
    if len(given) > 1:
        raise ConfigError("--relations and --corrections: both say which verdicts are right; leave one out")
    if given and learning.gold is not None:
        raise ConfigError(
            f"{given[0]} and --gold: one is about verdicts, the other about atoms; fit one first"
        )
    if learning.unlisted is not None and learning.relations is None:
        raise ConfigError("--unlisted: is about --relations, which is not given")
    if given and learning.method is not None:
        raise ConfigError(f"--method: is about posteriors, and {given[0]} fits none; leave one out")


def _calibration(run_dir: Path, learning: FitOptions) -> Calibration:
    from factreasoner.analysis.posterior_fitting import Fitting, calibrate_posteriors
    from factreasoner.analysis.verdict_fitting import calibrate_by_corrections, calibrate_verdicts
    from factreasoner.inputs.gold_labels import GoldFile
    from factreasoner.runs.corrections import Corrections
    from factreasoner.runs.finished import FinishedRun
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    run, folder, seed = FinishedRun(run_dir, TASK), RunFolder(run_dir, TASK), learning.seed
    folder.refuse_changed_files()
    if learning.relations is not None:
        return calibrate_verdicts(run, learning.relations, unlisted=learning.unlisted or "missing", seed=seed)
    if learning.corrections is not None:
        return calibrate_by_corrections(run, Corrections(learning.corrections, folder), seed=seed)
    labels = None if learning.gold is None else GoldFile(learning.gold)
    return calibrate_posteriors(run, labels, Fitting(learning.method or "platt", seed))


def _write(calibration: Calibration, part: str, out: Path) -> list[Path]:
    """The file, and where they can be drawn the reliability diagrams beside it; returns these."""
    from factreasoner.metrics.reliability import Bin
    from factreasoner.report.figures import Reliability, reliability_figure
    from factreasoner.runs.replacing import replace_file

    diagrams = [
        Reliability(name, *([Bin(**part) for part in found[when]["bins"]] for when in ("before", "after")))
        for name, found in calibration.source[part]["fits"].items()
    ]
    what = "verdicts that are right, atoms labelled S" if part == "verdicts" else "atoms labelled S"
    out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(out, [calibration.model_dump_json(indent=2)])
    try:
        return reliability_figure(diagrams, out.with_suffix(""), what=what)
    except MissingExtraError as error:
        say(f"No figure: {error}", err=True)
        return []
