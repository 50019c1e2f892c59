"""Shared by commands over records: read, run, resume, report how it ended."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import AS_JSON, PROFILE, QUIET, Command, flag
from factreasoner.cli.mixups import refuse_prose_file, refuse_text_as_data
from factreasoner.errors import ConfigError, InputError, InputProblem, RunError
from factreasoner.files import uncompressed_name
from factreasoner.inputs.columns import parse_column_map
from factreasoner.models import Record
from factreasoner.models.formatting import number_of
from factreasoner.pipeline.config import Config
from factreasoner.report.terminal import print_json, print_text

if TYPE_CHECKING:
    from factreasoner.inputs.input import CheckedInput
    from factreasoner.inputs.parsing import Fits
    from factreasoner.judges.relation_lines import UsedLines
    from factreasoner.runs.finished import PastRecords
    from factreasoner.runs.runner import RunReport
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.task import Task

BATCH_WAITS = 5
"""Exit code if a batch is pending or was cancelled."""


class RecordsCommand(Command):
    """Flags of commands over records."""

    continues = True
    column_map: list[str] | None = flag("Rename a key: theirs=ours (text=output); repeatable.")
    limit: int | None = flag("Use only the first N records.", min=1)
    skip_invalid: bool = flag("Skip invalid lines.")
    fresh: bool = flag("Start over instead of resuming.")
    quiet: bool = QUIET
    as_json: bool = AS_JSON

    def checked(self, data: Path, fits: Fits) -> CheckedInput | PastRecords:
        """The records of a file or finished run; skipped lines are reported on standard error.

        Raises:
            InputError: every problem of every line.
            RunError: a folder that is not a run, or a damaged one.
        """
        from factreasoner.inputs.input import CheckedInput
        from factreasoner.inputs.problems import by_place, merged
        from factreasoner.runs.finished import PastRecords
        from factreasoner.runs.manifest import MANIFEST

        command = self.command
        columns = parse_column_map(self.column_map or [])
        how: dict[str, Any] = {"fits": fits, "limit": self.limit, "skip_invalid": self.skip_invalid}
        if data.is_dir() and not (data / MANIFEST).exists():
            raise RunError(f"{data}: a folder, but not a run folder; name a file of records or a run folder")
        try:
            checked = (
                PastRecords(data, **how) if data.is_dir() else CheckedInput(data, column_map=columns, **how)
            )
        except InputError as error:
            refuse_prose_file(data, command, error)
            if error.valid is not None:
                error.add_note(_skipping(error.valid))
            raise
        for problem in by_place(merged(checked.problems)):
            print_text(f"skipped {problem}", err=True)
        if skipped := len({problem.where for problem in checked.problems}):
            print_text(f"Skipped {skipped} of {skipped + len(checked.ids)} records.", err=True)
        for note in checked.notes:
            self._note(note)
        return checked


class TaskCommand(RecordsCommand):
    """A command that runs a task over the records of DATA into a run folder."""

    out: Path | None = flag("Run folder. (default: in runs/, named after DATA)", "--out", "-o")
    profile: Path | None = PROFILE
    dry_run: bool = flag("Print the estimated calls, tokens and cost, and exit.")
    report: bool = flag("Also write the report, RUN_DIR/report.html.")

    def run_task(self, task: Task[Any], data: Path, beyond: str = "") -> int:
        """Run, resume, or print the plan; returns the exit code.

        `beyond` describes the extra calls for unsupported claims.

        Raises:
            ConfigError: a setting is wrong, or the output folder is the input.
            InputError: every problem of every line.
            RunError: a folder that is not a run, or a damaged one.
        """
        from factreasoner.models.journal import journal_of
        from factreasoner.runs.store import RunFolder
        from factreasoner.tasks.task import FACTUALITY

        if not os.path.lexists(data):
            refuse_text_as_data(data, self.command)
        config, self.continues = self.config, not self.dry_run
        out = self.out or default_folder(data, "" if task.name == FACTUALITY else task.name)
        for source in (data, config.relations):
            if source is not None and realpath(journal_of(source)) == realpath(journal_of(out)):
                raise ConfigError(f"{out}: this run reads from it; name another folder with --out")
        lines = _used_lines(config)

        def fits(record: Record) -> Sequence[InputProblem]:
            if lines is not None:
                lines.note(record, pairs=task.has_graph)
            return task.problems(record, config)

        checked = self.checked(data, fits)
        if lines is not None:
            self._note(lines.unused(whole=self.limit is None and not checked.problems))
        if self.dry_run:
            from factreasoner.cli.summary_tables import show_plan

            show_plan(task, config, checked.records, beyond, as_json=self.as_json)
            return 0
        folder = RunFolder(out, task)
        code = self._run(folder, checked)
        self.at_end(folder.results(checked.ids))
        for note in checked.notes:  # now a screenful above
            self._note(note)
        return code

    def refuse_json(self) -> None:
        """Raise ConfigError for JSON together with --explain, which prints a table."""
        if self.as_json:
            raise ConfigError("--explain prints a table: remove it or --json; `show --json` has every claim")

    def at_end(self, results: Iterable[Any]) -> None:
        """Print or write what the command adds to the results."""

    def _run(self, folder: RunFolder[Any], checked: CheckedInput | PastRecords) -> int:
        """Run or resume; then print the claims to review first and the scores, unless quiet."""
        from factreasoner.runs.runner import open_run

        try:
            with open_run(folder, self.config, fresh=self.fresh):
                report = self._process_records(checked, folder)
        except KeyboardInterrupt as error:
            for note in getattr(error, "__notes__", ()):
                self._note(note)
            raise
        if report.waiting or report.cancelled:
            for line in _unanswered(report):
                print_text(line, err=True)
            return BATCH_WAITS
        if self.as_json:
            print_json(report.summary)
        elif not self.quiet:
            from factreasoner.cli.claim_tables import print_worst
            from factreasoner.cli.summary_tables import print_summary

            print_worst(folder, report.summary)
            print_summary(folder.task, report.summary, self.config, folder.path)
        usage: Any = report.summary["usage"]
        if not self.quiet and usage["total"]["calls"] + usage["total"]["cached_calls"]:
            for model, capabilities in folder.manifest.models().items():
                print_text(f"{model}: {capabilities}.", err=True)
        self._note(_without_claims(folder, checked.ids))
        self._note(_not_in_input(report, folder.path))
        self._report(folder)
        return _ended(report, folder.path, self.config)

    def _process_records(self, checked: CheckedInput | PastRecords, folder: RunFolder[Any]) -> RunReport:
        """Process the records with direct calls, or in rounds of batches."""
        from factreasoner.report.progress import progress_for
        from factreasoner.runs.runner import run as run_records
        from factreasoner.runs.runner import run_at_once, run_in_rounds

        config, task = self.config, folder.task
        worker = task.worker(config, folder.calls(config))

        def run_round(as_set: Config = config) -> RunReport:
            able = worker if as_set is config else task.worker(as_set, folder.calls(as_set))
            with progress_for(quiet=self.quiet) as progress:
                return run_records(able, folder, checked.ids, checked.records(), progress)

        if config.batch == "none":
            return run_at_once(run_round, folder, config, self._note)
        return run_in_rounds(run_round, folder, config, self._note)

    def _report(self, folder: RunFolder[Any]) -> None:
        """Write the requested page, or note that an existing one is out of date."""
        if self.report and folder.entries:
            from factreasoner.report.page import write_report
            from factreasoner.runs.finished import FinishedRun

            written = write_report([FinishedRun.of_any_task(folder.path)], folder.page_path)
            if not (self.quiet or self.as_json):
                print_text(str(written))
        elif folder.page_is_old:
            again = shlex.join(["factreasoner", "report", str(folder.path)])
            self._note(f"{folder.page_path} is older than these results; `{again}` updates it.")


def _skipping(valid: int) -> str:
    """What `--skip-invalid` would do with a file that has so many valid records."""
    if not valid:
        return "Nothing was done. Correct the input: no record is valid."
    left = number_of(valid, "valid record")
    return f"Nothing was done. Correct the input, or add --skip-invalid to use only the {left}."


def _used_lines(config: Config) -> UsedLines | None:
    """Records which recorded verdicts the input uses; None without such a file."""
    if config.relations is None:
        return None
    from factreasoner.judges.recorded import used_lines

    return used_lines(config)


def default_folder(data: Path, task: str = "") -> Path:
    """The default run folder."""
    name = "stdin" if str(data) == "-" else uncompressed_name(data).stem
    return Path("runs") / (f"{name}-{task}" if task else name)


def _without_claims(folder: RunFolder[Any], ids: Sequence[str]) -> str:
    """The records without claims, and why; empty if all have some."""
    from factreasoner.tasks.evidence_text import WithoutClaims

    entries, without = folder.entries, WithoutClaims()
    for result in folder.results([i for i in ids if i in entries and entries[i].status == "no_atoms"]):
        without.add(result)
    return without.summary(folder.task.words.claim)


def _not_in_input(report: RunReport, path: Path) -> str:
    """How many records of the folder came from another input; empty if none."""
    records: Any = report.summary["records"]
    if not (count := records["not_in_input"]):
        return ""
    strange = f"{number_of(count, 'record')} of another input"
    return f"{path} has {strange}: kept in its journal, excluded from results and scores."


def _ended(report: RunReport, path: Path, config: Config) -> int:
    """The exit code of a run; prints why it stopped."""
    records: Any = report.summary["records"]
    failures: Any = report.summary["failures"]
    if report.stopped:
        rest = f"{report.unfinished} of {report.total} records are not assessed."
        print_text(f"Stopped: {report.stopped}. {rest}", err=True)
    elif not report.complete:
        again, judge = "Run the same command again to retry them.", config.part("judge")
        if judge.replays and failures["by_stage"].keys() == {"judge"}:
            again = (
                "The same recorded verdicts would fail again: add the missing ones and use --fresh, "
                "or choose another --judge."
            )
        elif judge.classifies and config.is_bundled and failures["by_stage"].keys() == {"judge"}:
            again = "With the bundled judge they would fail again; results.jsonl names the fix."
        print_text(f'Some items failed (see "failures" above). {again}', err=True)
    elif report.total and records["no_atoms"] == report.total:
        message = shlex.join(["factreasoner", "show", str(path)])
        print_text(f"No record has anything to judge. `{message}` gives the reasons.", err=True)
        return 3
    return 0 if report.complete else 3


def _unanswered(ended: RunReport) -> Iterator[str]:
    """A note on pending or cancelled batches, and how to continue."""
    total, unfinished = ended.total, ended.unfinished
    yield f"{total - unfinished} of {total} records are assessed; the others wait for these requests:"
    for batch in ended.cancelled or ended.waiting:
        state = batch.state
        end = f"; its batch {state['batch_id']} was cancelled" if ended.cancelled else ""
        yield f"  {batch.requests_path}: {state['requests']:,} to {state['model']}{end}"
    if ended.cancelled:
        yield (
            "The answers so far are kept. Run the same command again to send the rest as a new batch,\n"
            "or without --batch to ask at once."
        )
        return
    first = ended.waiting[0]
    yield "Have each file answered by a batch service or an offline engine, put the results next to it as"
    yield f"  {first.results_path}"
    yield "and run the same command again: it continues from there. With vLLM, for example:"
    yield f"  vllm run-batch -i {first.requests_path} -o {first.results_path} --model NAME"
