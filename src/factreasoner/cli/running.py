"""What every command that runs a task over records does: read them, run, resume, tell how it ended."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.batches import BATCH_WAITS, say_unanswered
from factreasoner.cli.options import RunOptions
from factreasoner.report.terminal import say, say_json
from factreasoner.text.visible import one_line

if TYPE_CHECKING:
    from factreasoner.inputs.input import CheckedInput
    from factreasoner.inputs.parsing import Fits
    from factreasoner.runs.batch_rounds import RoundsReport
    from factreasoner.runs.plan import RunPlan
    from factreasoner.runs.replay import PastRecords
    from factreasoner.runs.runner import RunReport
    from factreasoner.runs.store import RunFolder
    from factreasoner.settings import Config
    from factreasoner.tasks.task import Task

Show = Callable[[Mapping[str, Any], "Config", Path], None]
"""Prints the table at the end of a run, from its summary, its settings and its folder."""
Shown = Callable[[], Show]
"""Imports what shows that table: while a model is waited for, it takes no time."""


def default_folder(data: Path, task: str = "") -> Path:
    """Where a run goes that is not told where."""
    from factreasoner.files import plain_name

    name = "stdin" if str(data) == "-" else plain_name(data).stem
    return Path("runs") / (f"{name}-{task}" if task else name)


def refuse_json(running: RunOptions) -> None:
    """Raise ConfigError where JSON is asked for beside --explain, which prints a table."""
    from factreasoner.errors import ConfigError

    if running.as_json:
        raise ConfigError("--explain prints a table: leave it out, or --json; `show --json` has every claim")


def refuse_own_source(folder: Path, data: Path, config: Config) -> None:
    """Raise ConfigError where a run would be written into what it reads from."""
    from factreasoner.errors import ConfigError
    from factreasoner.judges.recorded import recording_file

    for source in (data, config.relations):
        if source is not None and recording_file(source).resolve() == recording_file(folder).resolve():
            raise ConfigError(f"{folder}: this run reads from that folder; choose another one with --out")


def check_task_data(
    task: Task[Any], data: Path, config: Config, running: RunOptions
) -> CheckedInput | PastRecords:
    """The records for a run of `task`. Raises as `check_data` does."""
    return check_data(data, lambda record: task.problems(record, config), running)


def check_data(data: Path, fits: Fits, running: RunOptions) -> CheckedInput | PastRecords:
    """The records of a file, or of a finished run; lines that are skipped are said.

    Raises:
        InputError: every problem of every line.
        RunError: a folder that is no run, or a damaged one.
    """
    from factreasoner.errors import RunError
    from factreasoner.inputs.columns import parse_column_map
    from factreasoner.inputs.input import CheckedInput, check_input
    from factreasoner.inputs.wording import merged
    from factreasoner.runs.manifest import MANIFEST
    from factreasoner.runs.replay import PastRecords

    columns = parse_column_map(running.column_map or [])
    limit, skip_invalid = running.limit, running.skip_invalid
    checked: CheckedInput | PastRecords
    if data.is_dir():
        if not (data / MANIFEST).exists():
            raise RunError(f"{data}: a folder, and not of a run; name a file of records or a run's folder")
        checked = PastRecords(data, fits=fits, limit=limit, skip_invalid=skip_invalid)
    else:
        checked = check_input(data, column_map=columns, fits=fits, limit=limit, skip_invalid=skip_invalid)
    for problem in merged(checked.problems):
        say(f"skipped {problem}", err=True)
    if isinstance(checked, CheckedInput):
        for note in checked.notes:
            say(one_line(f"{checked.name}: {note}"), err=True)
    return checked


def print_rehearsal(
    task: Task[Any],
    checked: CheckedInput | PastRecords,
    config: Config,
    *,
    as_json: bool,
    further: str = "",
) -> None:
    """What a run of a task on claims would take; `further` says what is asked about those that fail."""
    from factreasoner.cli.plan_tables import print_plan
    from factreasoner.judges.probe import as_probed
    from factreasoner.runs.rehearsal import rehearsed

    counted = as_probed(config)
    planned = rehearsed(task, checked.records(), counted)
    if as_json:
        say_json(planned.content(len(checked.ids)))
        return
    print_plan(planned, config, len(checked.ids))
    if further and config.model:
        _print_further(planned, rehearsed(task, checked.records(), counted, borne_out=False), further)


def _print_further(planned: RunPlan, most: RunPlan, why: str) -> None:
    """What a run takes beyond what is planned where no claim is borne out; nothing where that is none."""
    from factreasoner.report.console import Terminal

    calls, prompt, reply = (
        sum(getattr(stage, name) for stage in most.stages) - sum(getattr(s, name) for s in planned.stages)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    )
    if calls > 0:
        tokens = f"~{prompt:,} prompt and ~{reply:,} completion tokens"
        Terminal(soft_wrap=True, highlight=False).sentence(
            f"Calls beyond these, where no claim is borne out: up to {calls:,} with {tokens} ({why})."
        )


def run_task(
    task: Task[Any],
    checked: CheckedInput | PastRecords,
    config: Config,
    path: Path,
    running: RunOptions,
    *,
    shown: Shown,
) -> int:
    """Run or resume; returns the exit code.

    Unless it is to be quiet, the claims to look at first are printed at the end, and what `shown` gives.
    """
    from factreasoner.runs.runner import opened
    from factreasoner.runs.store import RunFolder

    folder = RunFolder(path, task)
    try:
        with opened(folder, config, fresh=running.fresh):
            ended = _gone_through(checked, config, folder, running)
    except KeyboardInterrupt as error:
        for note in getattr(error, "__notes__", ()):
            _say_note(running.quiet, note)
        raise
    report = ended.last
    if ended.waiting or ended.cancelled:
        say_unanswered(ended)
        return BATCH_WAITS
    if running.as_json:
        say_json(report.summary)
    elif not running.quiet:
        from factreasoner.cli.atom_tables import print_worst

        print_worst(task, report.summary, path)
        shown()(report.summary, config, path)
    if not running.quiet:
        for model, capabilities in folder.manifest.models().items():
            say(f"{model}: {capabilities}.", err=True)
        if told := _without_claims(folder, checked.ids):
            say(one_line(told), err=True)
    if running.report and folder.entries:
        _write_report(path, quiet=running.quiet or running.as_json)
    return _ended(report, path)


def _gone_through(
    checked: CheckedInput | PastRecords, config: Config, folder: RunFolder[Any], running: RunOptions
) -> RoundsReport:
    """Go through the records by calls that are made at once, or in rounds of batches."""
    from factreasoner.report.progress import progress_for
    from factreasoner.runs.batch_rounds import RoundsReport, run_at_once, run_in_rounds
    from factreasoner.runs.runner import run as run_records
    from factreasoner.runs.searched import note_searched

    worker = folder.task.worker(config, folder.calls(config))
    for note in note_searched(folder, getattr(worker, "collections", ()), checked.ids):
        say(one_line(note), err=True)

    def run_round(as_set: Config = config) -> RunReport:
        able = worker if as_set is config else folder.task.worker(as_set, folder.calls(as_set))
        with progress_for(quiet=running.quiet) as progress:
            return run_records(able, folder, checked.ids, checked.records(), progress)

    told = partial(_say_note, running.quiet)
    if config.batch == "none":
        return RoundsReport(run_at_once(run_round, folder, config, told))
    return run_in_rounds(run_round, folder, config, told)


def claims_shown(task: Task[Any]) -> Show:
    """What shows the metrics of a task on claims."""
    from factreasoner.cli.claim_tables import print_claims

    return print_claims(task)


def _without_claims(folder: RunFolder[Any], ids: Sequence[str]) -> str:
    """In which records there was nothing to judge, and why; empty where there was in all."""
    from factreasoner.tasks.without_claims import WithoutClaims

    entries, without = folder.entries, WithoutClaims()
    for result in folder.results([i for i in ids if i in entries and entries[i].status == "no_atoms"]):
        without.add(result)
    return without.said(folder.task.claim_word)


def _ended(report: RunReport, path: Path) -> int:
    """The exit code of a run; says why it stopped where it did."""
    records: Any = report.summary["records"]
    if report.stopped:
        rest = f"{report.unfinished} of {report.total} records are not assessed."
        say(f"Stopped: {report.stopped}. {rest}", err=True)
    elif not report.complete:
        say("Something failed, see failures; the same command tries only that again.", err=True)
    elif report.total and records["no_atoms"] == report.total:
        told = shlex.join(["factreasoner", "show", str(path)])
        say(f"No record has anything to judge: `{told}` says why for each.", err=True)
        return 3
    return 0 if report.complete else 3


def _say_note(quiet: bool, note: str) -> None:
    if not quiet:
        say(one_line(note), err=True)


def _write_report(path: Path, *, quiet: bool) -> None:
    from factreasoner.report.page import default_page, write_report
    from factreasoner.runs.finished import FinishedRun

    written = write_report([FinishedRun.of_any_task(path)], default_page(path))
    if not quiet:
        say(str(written))
