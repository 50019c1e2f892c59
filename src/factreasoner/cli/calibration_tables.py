"""What a person reads of a calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from factreasoner.cli.score_tables import console

MEASURES = {
    "brier": "Brier",
    "log_loss": "log loss",
    "ece": "ECE",
    "reliability": "reliability",
    "resolution": "resolution",
    "uncertainty": "uncertainty",
}
LABEL_MEASURES = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "recall_entailment": "recall of entailment",
    "recall_contradiction": "recall of contradiction",
    "recall_neutral": "recall of neutral",
    "auroc": "AUROC",
    "log_loss": "log loss",
    "brier": "Brier",
    "ece": "ECE",
}
"""What is shown of verdicts' labels and, where there are labelled atoms, of these."""
HELD_OUT = (
    "after: on records held out of the fit. gain: better by so much, with its 95 % interval over records "
    "(jackknife-t)."
)
WHAT_IT_MEANS = (
    "Brier = reliability - resolution + uncertainty, but for what the ten bins' width leaves: reliability is "
    "0 when calibrated, resolution the more the better."
)


def print_calibration(source: Mapping[str, Any], out: Path, figures: Sequence[Path]) -> None:
    """How good probabilities were before and after, fit by fit."""
    shown = console()
    of_labels = "verdicts" in source["fits"]
    for name, found in source["fits"].items():
        shown.sentence(f"{name}: {_of_labels(found) if of_labels else _of_posteriors(found)}")
        rows = _rows(found, LABEL_MEASURES if of_labels else MEASURES)
        shown.columns(("", "before", "after", "gain", "95 %"), rows)
        shown.print()
    for sentence in (HELD_OUT,) if of_labels else (HELD_OUT, WHAT_IT_MEANS):
        shown.sentence(f"[dim]{sentence}[/dim]")
    files = ", ".join(str(path) for path in (out, *figures))
    shown.print(f"[dim]{escape(files)}[/dim]")


def _of_labels(found: Mapping[str, Any]) -> str:
    """In words: the temperature and the offsets, or how many atoms there are."""
    if "labels" not in found:
        return f"{found['n']} labelled, their posteriors of the verdicts before and after"
    of_each = ", ".join(f"{count} {label}" for label, count in found["labels"].items())
    return (
        f"temperature {found['temperature']:.3g}, offsets {found['contradiction']:+.2f} of contradiction, "
        f"{found['neutral']:+.2f} of neutral; fitted to {found['n']} ({of_each}) in {found['records']} "
        "records"
    )


def _of_posteriors(found: Mapping[str, Any]) -> str:
    """In words: the calibrator with its parameters, and what it was fitted to."""
    fitted = f"fitted to {found['n']} ({found['positives']} positive) in {found['records']} records"
    match found["method"]:
        case "identity":
            return f"as it is, since nothing helps; the table shows {found['tried']}; {fitted}"
        case "temperature":
            return f"temperature {found['temperature']:.3g}; {fitted}"
    return f"Platt, slope {found['slope']:.3g}, intercept {found['intercept']:.3g}; {fitted}"


def _rows(found: Mapping[str, Any], measures: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for measure, caption in measures.items():
        if measure not in found["before"]:
            continue
        gain = found["gain"].get(measure, {"value": None, "interval_95": None})
        change = "" if gain["value"] is None else f"{gain['value']:+.3f}"
        values = (found[when][measure] for when in ("before", "after"))
        numbers = ("-" if value is None else f"{value:.3f}" for value in values)
        low_high = ", ".join(f"{end:.3f}" for end in gain["interval_95"] or ())
        yield (caption, *numbers, change, low_high and f"[{low_high}]")
