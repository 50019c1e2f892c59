"""What a person reads of a calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from factreasoner.cli.score_tables import bounds, console, number

MEASURES = {
    "brier": "Brier",
    "log_loss": "log loss",
    "ece": "ECE",
    "reliability": "reliability",
    "resolution": "resolution",
    "uncertainty": "uncertainty",
}
WHAT_IT_MEANS = (
    "after: on records held out of the fit. gain: before less after, with its 95 % interval over records "
    "(jackknife-t).",
    "Brier = reliability - resolution + uncertainty, but for what the ten bins' width leaves: reliability is "
    "0 when calibrated, resolution the more the better.",
)


def print_calibration(source: Mapping[str, Any], out: Path, figures: Sequence[Path]) -> None:
    """How good probabilities were before and after, fit by fit."""
    shown = console()
    for name, found in source["fits"].items():
        if "refused" in found:
            continue
        shown.sentence(
            f"{name}: {_choice(found)}; fitted to {found['n']} ({found['positives']} positive) in "
            f"{found['records']} records"
        )
        table = Table("", "before", "after", "gain", "95 %", box=None, pad_edge=False)
        for row in _rows(found):
            table.add_row(*row)
        shown.print(table)
        shown.print()
    for sentence in WHAT_IT_MEANS:
        shown.sentence(f"[dim]{sentence}[/dim]")
    files = ", ".join(str(path) for path in (out, *figures))
    shown.print(f"[dim]{escape(files)}[/dim]")


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for measure, caption in MEASURES.items():
        gain = found["gain"].get(measure, {"value": None, "interval_95": None})
        change = "" if gain["value"] is None else f"{gain['value']:+.3f}"
        values = (number(found[when][measure]) for when in ("before", "after"))
        yield (caption, *values, change, bounds(gain["interval_95"]))


def _choice(found: Mapping[str, Any]) -> str:
    """In words: the calibrator with its parameters."""
    match found:
        case {"method": "identity", "tried": tried}:
            return f"as it is, since nothing helps; the table shows {tried}"
        case {"method": "temperature", "temperature": temperature}:
            return f"temperature {temperature:.3g}"
    return f"Platt, slope {found['slope']:.3g}, intercept {found['intercept']:.3g}"
