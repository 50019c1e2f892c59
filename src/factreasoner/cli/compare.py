"""`factreasoner compare`: finished runs side by side, or assessors or modes of recall that are run here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from factreasoner.cli.flags import RunOptions, takes_flags
from factreasoner.cli.running import check_data, default_folder
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.errors import InputProblem
    from factreasoner.models import Record


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
        from factreasoner.files import replace_file

        named = {"md": self.markdown, "csv": self.csv}
        for ending, text in texts.items():
            for path in filter(None, (named.get(ending), out and out / f"{name}.{ending}")):
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, [text.rstrip("\n")])


class _Asked(NamedTuple):
    """What is compared, and how."""

    targets: list[Path]
    profile: Path | None
    comparing: CompareOptions
    files: OutputFiles
    running: RunOptions
    settings: Mapping[str, Any]


@takes_flags()
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
    from factreasoner.report.figures import require_matplotlib

    asked = _Asked(targets, profile, comparing, files, running, settings)
    if files.plot is not None:
        require_matplotlib()
    if comparing.modes is not None or comparing.task is not None:
        if assessors is not None:
            raise ConfigError("--assessors: they are those of `run`; leave out --task and --modes")
        raise typer.Exit(_compare_modes(asked))
    if assessors is None:
        _refuse_run_flags(asked)
        _compare_runs(asked, targets, files.out)
        return
    out = files.out or default_folder(targets[0], "compared")
    folders, complete = _run_assessors(asked, assessors.split(","), out)
    _compare_runs(asked, folders, out)
    raise typer.Exit(0 if complete else 3)


def _compare_runs(asked: _Asked, folders: list[Path], out: Path | None) -> None:
    """Print the comparison of finished runs; write the files that were asked for, all of them into `out`."""
    from factreasoner.analysis.comparison import ComparisonSettings, compare_runs, named_runs
    from factreasoner.cli.score_tables import print_comparison
    from factreasoner.report.comparison_tables import comparison_csv, comparison_markdown
    from factreasoner.report.figures import comparison_figure
    from factreasoner.report.tables import json_text

    settings, comparing, files, running = asked.settings, asked.comparing, asked.files, asked.running
    how = ComparisonSettings(settings["k"], settings["seed"] or 0, comparing.gold, comparing.intersect)
    content = compare_runs(named_runs(folders), baseline=comparing.baseline, settings=how)
    texts = {"md": comparison_markdown(content), "csv": comparison_csv(content), "json": json_text(content)}
    files.write(out, "comparison", texts)
    for path in filter(None, (files.plot, out and out / "comparison.png")):
        try:
            comparison_figure(content, path)
        except MissingExtraError as error:
            say(f"No figure: {error}", err=True)
    if running.as_json:
        say_json(content)
    elif not running.quiet:
        print_comparison(content)
    for note in content["notes"]:
        say(note, err=True)


def _refuse_run_flags(asked: _Asked) -> None:
    given = {key: value for key, value in asked.settings.items() if key not in ("k", "seed")}
    given |= {"config": asked.profile, "column_map": asked.running.column_map, "limit": asked.running.limit}
    given |= {"fresh": asked.running.fresh or None}
    if names := ", ".join(f"--{key.replace('_', '-')}" for key, value in given.items() if value is not None):
        raise ConfigError(f"{names}: finished runs are compared as they are; --assessors makes new ones")


def _run_assessors(asked: _Asked, names: list[str], out: Path) -> tuple[list[Path], bool]:
    """Run them on one file of records; returns their folders, and whether all of them are complete."""
    from factreasoner.analysis.side_by_side import parse_assessors, run_side_by_side
    from factreasoner.report.progress import named_progress
    from factreasoner.tasks.factuality import check_fits

    for key in ("assessor", "version"):
        if asked.settings[key] is not None:
            raise ConfigError(f"--{key}: --assessors says which, as fr1,fr2,factscore")
    contenders = parse_assessors(names, asked.settings, asked.profile)
    if len(asked.targets) != 1:
        raise ConfigError("--assessors runs on one data file, or one run folder's atoms and contexts")

    def fits(record: Record) -> list[InputProblem]:
        found = (problem for one in contenders for problem in check_fits(record, one.config))
        return list(dict.fromkeys(found))

    source = check_data(asked.targets[0], fits, asked.running)
    progress = named_progress(quiet=asked.running.quiet)
    complete = run_side_by_side(contenders, source, out, fresh=asked.running.fresh, progress=progress)
    return [out / contender.name for contender in contenders], complete


def _compare_modes(asked: _Asked) -> int:
    """Run the modes of factual recall on the same facts, and print their table; returns the exit code."""
    from factreasoner.analysis.by_mode import mode_notes, mode_rows, modes_content
    from factreasoner.analysis.side_by_side import parse_modes, run_side_by_side
    from factreasoner.cli.score_tables import print_modes
    from factreasoner.report.progress import named_progress
    from factreasoner.report.tables import csv_text, json_text, markdown_table
    from factreasoner.runs.finished import FinishedRun
    from factreasoner.tasks.recall import TASK

    (data, *_), running, comparing, files = asked.targets, asked.running, asked.comparing, asked.files
    _check_modes(asked)
    contenders = parse_modes(str(comparing.modes).split(","), asked.settings, asked.profile)
    config = contenders[0].config
    out = files.out or default_folder(data, "modes")
    source = check_data(data, lambda record: TASK.problems(record, config), running)
    progress = named_progress(quiet=running.quiet)
    complete = run_side_by_side(contenders, source, out, fresh=running.fresh, progress=progress)
    runs = {contender.name: FinishedRun(out / contender.name, TASK) for contender in contenders}
    content = modes_content(runs, comparing.by)
    rows = mode_rows(content)
    texts = {"md": markdown_table(rows[0], rows[1:]), "csv": csv_text(rows), "json": json_text(content)}
    files.write(out, "modes", texts)
    if running.as_json:
        say_json(content)
    elif not running.quiet:
        print_modes(rows)
    for note in mode_notes(content):
        say(note, err=True)
    if not config.model:
        say("Modes are ways to ask a model; what judges here has none: add --model.", err=True)
    return 0 if complete else 3


def _check_modes(asked: _Asked) -> None:
    comparing, settings = asked.comparing, asked.settings
    if comparing.task != "recall":
        raise ConfigError("--modes are those of factual recall: add --task recall")
    if comparing.modes is None:
        raise ConfigError(
            "--task recall compares modes: add --modes prompt-tf,tf,tfn,tf_citation,tfn_citation"
        )
    if len(asked.targets) != 1 or asked.targets[0].is_dir():
        raise ConfigError(
            "--modes run on one data file; finished runs are compared without --task and --modes"
        )
    flags = {"--baseline": comparing.baseline, "--intersect": comparing.intersect, "--gold": comparing.gold}
    flags |= {"--plot": asked.files.plot, "--mode": settings["mode"], "--assessor": settings["assessor"]}
    if given := [flag for flag, value in flags.items() if value]:
        raise ConfigError(f"{', '.join(given)}: has no effect with --modes; leave it out")
