"""`factreasoner compare`: assessors side by side, from finished runs or run here on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from factreasoner.cli.compare_modes import compare_modes
from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import RunOptions, takes_groups
from factreasoner.cli.running import check_data, default_folder
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.analysis.side_by_side import Contender
    from factreasoner.errors import InputProblem
    from factreasoner.models import Record

FILES = "comparison"
"""The name of the files in --out."""


class CompareOptions(NamedTuple):
    """Options of what is compared: the run to subtract, whether only shared records count, whose labels."""

    baseline: Annotated[
        str | None, typer.Option(help="The run whose scores are subtracted. (default: the first)")
    ] = None
    intersect: Annotated[
        bool, typer.Option("--intersect", help="Compare the records that every run scores, if these differ.")
    ] = False
    gold: Annotated[
        Path | None, typer.Option(help="Labels to use instead of the runs' own, as for `evaluate`.")
    ] = None
    task: Annotated[
        str | None, typer.Option(help="What --modes run on DATA: recall. (default: that of the run folders)")
    ] = None
    modes: Annotated[
        str | None,
        typer.Option(help="With --task recall: run these on DATA, as prompt-tf,tf,tfn,tf_citation."),
    ] = None
    by: Annotated[
        str, typer.Option(help="With --modes: columns for each value of topic or of a metadata key.")
    ] = "variant"


class OutputFiles(NamedTuple):
    """Options of the files that hold the comparison: a folder for all, or one file a format."""

    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for comparison.* and, with --assessors, the run folders."),
    ] = None
    markdown: Annotated[Path | None, typer.Option(help="Write the tables as Markdown.")] = None
    csv: Annotated[Path | None, typer.Option(help="Write every number as CSV.")] = None
    plot: Annotated[Path | None, typer.Option(help="Draw the scores: a PNG and an SVG.")] = None

    def write(self, out: Path | None, name: str, texts: Mapping[str, str]) -> None:
        """Write the texts, by the endings of their files, that were asked for, and all of them into `out`."""
        from factreasoner.runs.replacing import replace_file

        named = {"md": self.markdown, "csv": self.csv}
        for ending, text in texts.items():
            for path in filter(None, (named.get(ending), out and out / f"{name}.{ending}")):
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, [text.rstrip("\n")])


@takes_settings()
@takes_groups
def compare(
    targets: Annotated[
        list[Path],
        typer.Argument(metavar="RUN_DIR...|DATA", help="Run folders; or what `run` takes, for --assessors."),
    ],
    assessors: Annotated[
        str | None,
        typer.Option(
            help="Run these on DATA first, with commas: fr1, fr2, fr3, factscore, veriscore, factverify, "
            "prompt-tf or a profile's path."
        ),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option("--config", "-c", help="With --assessors: YAML profile of them all.")
    ] = None,
    *,
    comparing: CompareOptions,
    files: OutputFiles,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Compare runs over the same records: scores, paired intervals of differences, tests, cost.

    With --assessors the runs are made here, on the same atoms and contexts; versions of FactReasoner share
    the verdicts too. Runs that do not score the same records are refused.

    With --task recall --modes the modes of factual recall are run on the same facts, against people's labels.
    """
    from factreasoner.analysis.comparison import ComparisonSettings, compare_runs, named_runs
    from factreasoner.report.figures import require_matplotlib

    if files.plot is not None:
        require_matplotlib()
    if comparing.modes is not None or comparing.task is not None:
        if assessors is not None:
            raise ConfigError("--assessors: they are those of `run`; leave out --task and --modes")
        raise typer.Exit(compare_modes(targets, profile, comparing, files, running, settings))
    out, complete = files.out, True
    if assessors is None:
        _refuse_run_flags(settings, profile, running)
    else:
        out = out or default_folder(targets[0], "compared")
        targets, complete = _run(_contenders(assessors, settings, profile), targets, out, running)
    how = ComparisonSettings(settings["k"], settings["seed"] or 0, comparing.gold, comparing.intersect)
    content = compare_runs(named_runs(targets), baseline=comparing.baseline, settings=how)
    _write(content, files, out)
    _show(content, running)
    raise typer.Exit(0 if complete else 3)


def _show(content: Mapping[str, Any], running: RunOptions) -> None:
    from factreasoner.cli.score_tables import print_comparison

    if running.as_json:
        say_json(content)
    elif not running.quiet:
        print_comparison(content)
    for note in content["notes"]:
        say(note, err=True)


def _refuse_run_flags(settings: Mapping[str, Any], profile: Path | None, running: RunOptions) -> None:

    given = {key: value for key, value in settings.items() if value is not None and key not in ("k", "seed")}
    given |= {"config": profile, "column_map": running.column_map, "limit": running.limit}
    given |= {"fresh": running.fresh or None}
    if names := ", ".join(f"--{key.replace('_', '-')}" for key, value in given.items() if value is not None):
        raise ConfigError(f"{names}: finished runs are compared as they are; --assessors makes new ones")


def _contenders(names: str, settings: Mapping[str, Any], profile: Path | None) -> list[Contender]:
    from factreasoner.analysis.side_by_side import parse_contenders

    for key in ("assessor", "version"):
        if settings[key] is not None:
            raise ConfigError(f"--{key}: --assessors says which, as fr1,fr2,factscore")
    return parse_contenders(names.split(","), settings, profile)


def _run(
    contenders: list[Contender], targets: list[Path], out: Path, running: RunOptions
) -> tuple[list[Path], bool]:
    """Run them on one file of records; returns their folders, and whether all of them are complete."""
    from factreasoner.analysis.side_by_side import run_side_by_side
    from factreasoner.report.progress import named_progress
    from factreasoner.tasks.factuality import check_fits

    if len(targets) != 1:
        raise ConfigError("--assessors runs on one data file, or one run folder's atoms and contexts")

    def fits(record: Record) -> list[InputProblem]:
        found = (problem for _, config in contenders for problem in check_fits(record, config))
        return list(dict.fromkeys(found))

    source = check_data(targets[0], fits, running)
    progress = named_progress(quiet=running.quiet)
    complete = run_side_by_side(contenders, source, out, fresh=running.fresh, progress=progress)
    return [out / contender.name for contender in contenders], complete


def _write(content: dict[str, Any], files: OutputFiles, out: Path | None) -> None:
    """The files that were asked for, and all of them into `out`."""
    from factreasoner.report.comparison_tables import csv_text, json_text, markdown
    from factreasoner.report.figures import comparison_figure

    texts = {"md": markdown(content), "csv": csv_text(content), "json": json_text(content)}
    files.write(out, FILES, texts)
    for path in filter(None, (files.plot, out and out / f"{FILES}.png")):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            comparison_figure(content, path)
        except MissingExtraError as error:
            say(f"No figure: {error}", err=True)
