"""`factreasoner compare DATA --task recall --modes ...`: the modes of factual recall on the same facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.options import RunOptions
from factreasoner.cli.running import check_data, default_folder
from factreasoner.errors import ConfigError
from factreasoner.report.console import plain
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.cli.compare import CompareOptions, OutputFiles

FILES = "modes"
"""The name of the files in --out."""
IN_GROUP = 3
"""Columns of a group of records, and of what judging took."""


def compare_modes(
    targets: Sequence[Path],
    profile: Path | None,
    comparing: CompareOptions,
    files: OutputFiles,
    running: RunOptions,
    settings: Mapping[str, Any],
) -> int:
    """Run the modes and print their table; returns the exit code.

    Raises:
        ConfigError: something is missing or does not go with the rest.
        RunError: the budget is used up before all modes are run.
    """
    from factreasoner.analysis.by_mode import mode_notes, mode_rows, modes_content, parse_modes, run_modes
    from factreasoner.report.comparison_tables import csv_lines, json_text
    from factreasoner.report.markdown_tables import markdown_table
    from factreasoner.report.progress import named_progress
    from factreasoner.runs.finished import FinishedRun
    from factreasoner.tasks.recall.task import TASK

    _check(targets, comparing, files, settings)
    contenders = parse_modes(str(comparing.modes).split(","), settings, profile)
    out = files.out or default_folder(targets[0], "modes")
    source = check_data(targets[0], lambda record: TASK.problems(record, contenders[0].config), running)
    progress = named_progress(quiet=running.quiet)
    complete = run_modes(contenders, source, out, fresh=running.fresh, progress=progress)
    runs = {contender.name: FinishedRun(out / contender.name, TASK) for contender in contenders}
    content = modes_content(runs, comparing.by)
    rows = mode_rows(content)
    texts = {"md": markdown_table(rows[0], rows[1:]), "csv": csv_lines(rows), "json": json_text(content)}
    files.write(out, FILES, texts)
    if running.as_json:
        say_json(content)
    elif not running.quiet:
        _print(rows)
    for note in mode_notes(content):
        say(note, err=True)
    if not contenders[0].config.model:
        say("Modes are ways to ask a model; what judges here has none: add --model.", err=True)
    return 0 if complete else 3


def _check(
    targets: Sequence[Path], comparing: CompareOptions, files: OutputFiles, settings: Mapping[str, Any]
) -> None:

    if comparing.task != "recall":
        raise ConfigError("--modes are those of factual recall: add --task recall")
    if comparing.modes is None:
        raise ConfigError(
            "--task recall compares modes: add --modes prompt-tf,tf,tfn,tf_citation,tfn_citation"
        )
    if len(targets) != 1 or targets[0].is_dir():
        raise ConfigError(
            "--modes run on one data file; finished runs are compared without --task and --modes"
        )
    flags = {"--baseline": comparing.baseline, "--intersect": comparing.intersect, "--gold": comparing.gold}
    flags |= {"--plot": files.plot, "--mode": settings["mode"], "--assessor": settings["assessor"]}
    if given := [flag for flag, value in flags.items() if value]:
        raise ConfigError(f"{', '.join(given)}: has no effect with --modes; leave it out")


def _print(rows: Sequence[Sequence[str]]) -> None:
    """A table a group, one below the other, and one of what judging took."""
    from factreasoner.cli.score_tables import console, print_scores

    groups, captions, *modes = rows
    out = console()
    for start in range(1, len(groups), IN_GROUP):
        cells = slice(start, start + IN_GROUP)
        last = start + IN_GROUP == len(groups)
        out.print(f"[bold]{'judging' if last else plain(groups[start])}[/bold]")
        print_scores(out, [captions[0], *captions[cells]], [[row[0], *row[cells]] for row in modes])
        out.print()
    out.print(
        "[dim]N/A: facts that stayed unanswered. Error rate: share of the answered, labelled facts where "
        "judge and people differ. F1 of False: over all labelled facts; one that people call False and that "
        "stayed unanswered counts as missed. JSON has intervals. Calls, tokens and cost are of judging the "
        "whole run.[/dim]"
    )
