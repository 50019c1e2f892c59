"""`factreasoner calibrate`: fit probabilities to labels, for `run --calibration`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import AS_JSON, RUN_DIR, Command, flag
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.report.console import Terminal
from factreasoner.report.terminal import say
from factreasoner.settings.values import CalibrationMethod, Unlisted

if TYPE_CHECKING:
    from factreasoner.calibration.applying import Calibration

MEASURES = ("brier", "log_loss", "ece", "reliability", "resolution", "uncertainty", "macro_f1")
LABEL_MEASURES = (
    *("accuracy", "macro_f1", "recall_entailment", "recall_contradiction", "recall_neutral", "auroc"),
    *("log_loss", "brier", "ece"),
)
"""What is shown of verdicts' labels and, where there are labelled atoms, of these."""
NAMES = {"brier": "Brier", "ece": "ECE", "auroc": "AUROC", "macro_f1": "macro-F1"}
HELD_OUT = (
    "after: on records held out of the fit. gain: the improvement, with its 95 % interval over records "
    "(jackknife-t)."
)
WHAT_IT_MEANS = (
    "Brier is about reliability - resolution + uncertainty; ten bins of probabilities make it approximate. "
    "Reliability is 0 when calibrated. A higher resolution is better."
)


class Calibrate(Command):
    """Fit verdicts (--relations, --corrections) or posteriors to labels.

    Calls no model. A fit is scored on records that were held out of it. To calibrate both, fit the verdicts
    first, then the posteriors of a run that uses that file.
    """

    run_dir: Path = RUN_DIR
    out: Path = flag("The calibration file; reliability diagrams go next to it.", "--out", "-o", default=...)
    as_json: bool = AS_JSON
    relations: Path | None = flag(
        "Calibrate verdicts by the labels in this file (JSONL, as for the recorded judge) or in another "
        "run's folder."
    )
    corrections: Path | None = flag(
        "Calibrate verdicts by a reader's corrections, as for `score`; the other verdicts of the records "
        "they name count as right. Labels of all pairs (--relations) are better."
    )
    unlisted: Unlisted | None = flag(
        "The label of verdicts that --relations does not list. (default: missing: left out)"
    )
    gold: Path | None = flag("Labels of atoms, as for `evaluate`. (default: the run's own)")
    method: CalibrationMethod | None = flag("How posteriors are mapped. (default: platt)")
    seed: int = flag("Seed of folds and intervals. (default: 0)", default=0)

    def _execute(self) -> None:
        self._refuse_mixtures()
        calibration = self._calibration()
        part = "posteriors" if self.relations is None and self.corrections is None else "verdicts"
        source = calibration.source[part]
        figures = _write(calibration, part, self.out)
        table = partial(_print_calibration, source, self.out, figures)
        self.tell(calibration.model_dump(mode="json"), table, source["notes"])

    def _refuse_mixtures(self) -> None:
        of_verdicts = {"--relations": self.relations, "--corrections": self.corrections}
        given = [flag for flag, file in of_verdicts.items() if file is not None]
        if len(given) > 1:
            raise ConfigError(f"{' and '.join(given)}: both say which verdicts are right; leave one out")
        if given and self.gold is not None:
            about = "one is for verdicts, the other for atoms; fit one first"
            raise ConfigError(f"{given[0]} and --gold: {about}")
        if self.unlisted is not None and self.relations is None:
            raise ConfigError("--unlisted: applies to --relations, which is not given")
        if given and self.method is not None:
            raise ConfigError(f"--method: is about posteriors, and {given[0]} fits none; leave one out")

    def _calibration(self) -> Calibration:
        from factreasoner.analysis.posterior_fitting import calibrate_posteriors
        from factreasoner.analysis.verdict_fitting import calibrate_by_corrections, calibrate_verdicts
        from factreasoner.inputs.gold_labels import GoldFile
        from factreasoner.runs.corrections import Corrections
        from factreasoner.runs.finished import FinishedRun
        from factreasoner.runs.store import RunFolder
        from factreasoner.tasks.factuality import TASK

        run, folder, seed = FinishedRun(self.run_dir, TASK), RunFolder(self.run_dir, TASK), self.seed
        folder.refuse_changed_files()
        if self.relations is not None:
            return calibrate_verdicts(run, self.relations, unlisted=self.unlisted or "missing", seed=seed)
        if self.corrections is not None:
            return calibrate_by_corrections(run, Corrections(self.corrections, folder), seed=seed)
        labels = None if self.gold is None else GoldFile(self.gold)
        return calibrate_posteriors(run, labels, method=self.method or "platt", seed=seed)


def _write(calibration: Calibration, part: str, out: Path) -> list[Path]:
    """The file, and where they can be drawn the reliability diagrams beside it; returns these."""
    from factreasoner.files import make_folder_of, replace_file
    from factreasoner.report.figures import reliability_figure

    what = "verdicts that are right, atoms labelled S" if part == "verdicts" else "atoms labelled S"
    make_folder_of(out)
    replace_file(out, [calibration.model_dump_json(indent=2)])
    try:
        return reliability_figure(calibration.source[part]["fits"], out.with_suffix(""), what=what)
    except MissingExtraError as error:
        say(f"No figure: {error}", err=True)
        return []


def _print_calibration(source: Mapping[str, Any], out: Path, figures: Sequence[Path]) -> None:
    """How good probabilities were before and after, fit by fit."""
    shown = Terminal(soft_wrap=True)
    of_labels = "verdicts" in source["fits"]
    for name, found in source["fits"].items():
        shown.sentence(f"{name}: {_of_labels(found) if of_labels else _of_posteriors(found)}")
        rows = _rows(found, LABEL_MEASURES if of_labels else MEASURES)
        shown.columns(("", "before", "after", "gain", "95 %"), rows)
        shown.print()
    for sentence in (HELD_OUT,) if of_labels else (HELD_OUT, WHAT_IT_MEANS):
        shown.sentence(f"[dim]{sentence}[/dim]")
    shown.aside(", ".join(map(str, (out, *figures))))


def _of_labels(found: Mapping[str, Any]) -> str:
    """In words: the temperature and the offsets, or how many atoms there are."""
    if "labels" not in found:
        return f"{found['n']} labelled, their posteriors of the verdicts before and after"
    of_each = ", ".join(f"{count} {label}" for label, count in found["labels"].items())
    offsets = f"offset {found['neutral']:+.2f} of neutral"
    if found["contradiction"] is not None:
        offsets = (
            f"offsets {found['contradiction']:+.2f} of contradiction, {found['neutral']:+.2f} of neutral"
        )
    return (
        f"temperature {found['temperature']:.3g}, {offsets}; "
        f"fitted to {found['n']} ({of_each}) in {found['records']} records"
    )


def _of_posteriors(found: Mapping[str, Any]) -> str:
    """In words: the calibrator with its parameters, and what it was fitted to."""
    fitted = f"fitted to {found['n']} ({found['positives']} positive) in {found['records']} records"
    match found["method"]:
        case "identity":
            return f"unchanged, because nothing helps; the table shows {found['tried']}; {fitted}"
        case "temperature":
            return f"temperature {found['temperature']:.3g}; {fitted}"
    return f"Platt, slope {found['slope']:.3g}, intercept {found['intercept']:.3g}; {fitted}"


def _rows(found: Mapping[str, Any], measures: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for measure in measures:
        if measure not in found["before"]:
            continue
        gain = found["gain"].get(measure, {"value": None, "interval_95": None, "reason": ""})
        change = "" if gain["value"] is None else f"{gain['value']:+.3f}"
        values = (found[when][measure] for when in ("before", "after"))
        numbers = ("-" if value is None else f"{value:.3f}" for value in values)
        low_high = ", ".join(f"{end:.3f}" for end in gain["interval_95"] or ())
        caption = NAMES.get(measure, measure.replace("recall_", "recall of ").replace("_", " "))
        yield (caption, *numbers, change, f"[{low_high}]" if low_high else gain["reason"])
