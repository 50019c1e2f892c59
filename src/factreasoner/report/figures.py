"""Figures, each written as PNG and SVG. Matplotlib is imported when one is drawn, and no window is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factreasoner.errors import MissingExtraError
from factreasoner.files import make_folder_of
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.report.tables import caption, records_of, table_of

BEFORE, AFTER = "#b0532b", "#2b6cb0"


def require_matplotlib() -> None:
    """Raise MissingExtraError where figures can't be drawn."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError(*EXTRA_OF_MODULE["matplotlib"])


def comparison_figure(content: Mapping[str, Any], path: Path) -> list[Path]:
    """A panel for each score with the value of every run and its 95 % interval over records.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    runs = content["runs"]
    scores = next(iter(runs.values()))["scores"]
    shown = [metric.name for metric in table_of(content).shown_in("figure")]
    panels = [name for name in shown if name in scores and _worth_showing(content, name)]
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(3 * columns, 1.1 + 0.35 * len(runs) * rows + 0.7 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis, score in zip(axes, panels, strict=False):
        for place, run in enumerate(runs.values()):
            _point(axis, place, run["scores"][score])
        axis.set_title(caption(score, content), fontsize=10)
        axis.set_yticks(range(len(runs)), list(runs))
        axis.set_ylim(len(runs) - 0.5, -0.5)
        axis.grid(axis="x", alpha=0.3)
    figure.suptitle(f"{records_of(content)}, 95 % intervals", fontsize=10)
    return _written(figure, path)


def _worth_showing(content: Mapping[str, Any], score: str) -> bool:
    """Whether a run has the score at all; usage of nothing is not shown."""
    values = [run["scores"][score]["value"] for run in content["runs"].values()]
    usage = table_of(content)[score].usage
    return any(values) if usage else any(value is not None for value in values)


def _point(axis: Any, place: int, found: Mapping[str, Any]) -> None:
    if found["value"] is None:
        return
    if found["interval_95"] is not None:
        axis.plot(found["interval_95"], [place, place], color=AFTER, linewidth=2)
    axis.plot([found["value"]], [place], "o", color=AFTER, markersize=5)


def reliability_figure(fits: Mapping[str, Any], path: Path, *, what: str) -> list[Path]:
    """Share of positives against probability, bin by bin with Wilson intervals, and the bins' sizes below.

    `fits` are those of a calibration file, a diagram each. `what` says what a positive is ("atoms labelled
    S").

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 * len(fits), 4.8), layout="constrained")
    axes = figure.subplots(2, len(fits), squeeze=False, sharex=True, height_ratios=[4, 1])
    for (upper, lower), (title, fit) in zip(axes.T, fits.items(), strict=True):
        upper.plot([0, 1], [0, 1], color="#888888", linewidth=1, linestyle="--")
        for name, when, colour, shift in (
            ("before", "before", BEFORE, -0.01),
            ("after, held out", "after", AFTER, 0.01),
        ):
            bins = fit[when]["bins"]
            _bins(upper, bins, colour, name)
            at = [part["mean_p"] + shift for part in bins]
            lower.bar(at, [part["size"] for part in bins], width=0.02, color=colour)
        upper.set(title=title, xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), ylabel=f"share of {what}")
        lower.set(xlabel="probability", ylabel="number")
        upper.legend(loc="upper left", fontsize=8)
        upper.grid(alpha=0.3)
    return _written(figure, path)


def _bins(axis: Any, bins: Sequence[Mapping[str, Any]], colour: str, name: str) -> None:
    at, shares = [part["mean_p"] for part in bins], [part["share"] for part in bins]
    axis.plot(at, shares, "o-", color=colour, markersize=4, label=name)
    for part in bins:
        if part["interval"] is not None:
            axis.plot([part["mean_p"]] * 2, part["interval"], color=colour, linewidth=1, alpha=0.7)


def _written(figure: Any, path: Path) -> list[Path]:
    """The figure as PNG and SVG, under the name of `path` less such an ending."""
    stem = path.with_suffix("") if path.suffix.lower() in (".png", ".svg") else path
    make_folder_of(stem)
    files = [stem.with_name(stem.name + ending) for ending in (".png", ".svg")]
    for file in files:
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else {})
    return files
