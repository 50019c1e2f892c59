"""`factreasoner calibrate`: fit a judge's verdicts to labels, for `run --calibration`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import AS_JSON, RUN_DIR, Command, flag
from factreasoner.errors import ConfigError
from factreasoner.files import make_folder_of, replace_file
from factreasoner.judges.settings import Unlisted
from factreasoner.report.console import Terminal

if TYPE_CHECKING:
    from factreasoner.judges.calibration import Calibration

MEASURES = (
    *("accuracy", "macro_f1", "recall_entailment", "recall_contradiction", "recall_neutral", "auroc"),
    *("log_loss", "brier", "ece"),
)
"""Metrics shown for labels of verdicts and, if there are labelled atoms, of atoms."""
NAMES = {"brier": "Brier", "ece": "ECE", "auroc": "AUROC", "macro_f1": "macro-F1"}
HELD_OUT = (
    "after: on records held out of the fit. gain: the improvement, with its 95 % interval over records "
    "(jackknife-t)."
)


class CalibrateCommand(Command):
    """Fit a judge's verdicts to labels of the same pairs (--relations) or to corrections (--corrections).

    No model is called. Scores come from records held out of the fit.
    """

    run_dir: Path = RUN_DIR
    out: Path = flag("The calibration file.", "--out", "-o", default=...)
    as_json: bool = AS_JSON
    relations: Path | None = flag(
        "The right labels: a file (JSONL, as for the recorded judge) or another run's folder."
    )
    corrections: Path | None = flag(
        "Corrections of verdicts, as for `score`; other verdicts of the same records count as right. "
        "Labels of all pairs (--relations) are better."
    )
    unlisted: Unlisted | None = flag(
        "The label of verdicts that --relations does not list. (default: missing, so excluded)"
    )
    seed: int = flag("Seed of folds and intervals. (default: 0)", default=0)

    def _execute(self) -> None:
        if self.relations and self.corrections:
            raise ConfigError(
                "--relations and --corrections: both say which verdicts are right; remove one of them"
            )
        if self.unlisted is not None and self.relations is None:
            raise ConfigError("--unlisted: applies to --relations, which is not given")
        calibration = self._calibration()
        source = calibration.source["verdicts"]
        make_folder_of(self.out)
        replace_file(self.out, [calibration.model_dump_json(indent=2)])
        table = partial(_print_calibration, source, self.out)
        self.present(calibration.model_dump(mode="json"), table, source["notes"])

    def _calibration(self) -> Calibration:
        from factreasoner.analysis.fitting import calibrate_by_corrections, calibrate_verdicts
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
        raise ConfigError("no labels of verdicts to fit to: add --relations FILE or --corrections FILE")


def _print_calibration(source: Mapping[str, Any], out: Path) -> None:
    """Print the metrics before and after, fit by fit."""
    shown = Terminal(soft_wrap=True)
    for name, found in source["fits"].items():
        shown.sentence(f"{name}: {_fit(found)}")
        shown.columns(("", "before", "after", "gain", "95 %"), _rows(found))
        shown.print()
    shown.sentence(f"[dim]{HELD_OUT}[/dim]")
    shown.aside(str(out))


def _fit(found: Mapping[str, Any]) -> str:
    """A fit as text: temperature and offsets, or the number of atoms."""
    if "labels" not in found:
        return f"{found['n']} labelled, with P(true) from the verdicts before and after"
    of_each = ", ".join(f"{count} {label}" for label, count in found["labels"].items())
    offsets = f"offset {found['neutral']:+.2f} of neutral"
    if "contradiction" in found["labels"]:
        offsets = (
            f"offsets {found['contradiction']:+.2f} of contradiction, {found['neutral']:+.2f} of neutral"
        )
    return (
        f"temperature {found['temperature']:.3g}, {offsets}; "
        f"fitted to {found['n']} ({of_each}) in {found['records']} records"
    )


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for measure in MEASURES:
        if measure not in found["before"]:
            continue
        gain = found["gain"].get(measure, {"value": None, "interval_95": None, "reason": ""})
        change = "" if gain["value"] is None else f"{gain['value']:+.3f}"
        values = (found[when][measure] for when in ("before", "after"))
        numbers = ("-" if value is None else f"{value:.3f}" for value in values)
        low_high = ", ".join(f"{end:.3f}" for end in gain["interval_95"] or ())
        caption = NAMES.get(measure, measure.replace("recall_", "recall of ").replace("_", " "))
        yield (caption, *numbers, change, f"[{low_high}]" if low_high else gain["reason"])
