"""`factreasoner compare`: compare finished runs, or run assessors or recall modes and compare them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import EVERY, argument, flag
from factreasoner.cli.mixups import refuse_text_as_data
from factreasoner.cli.running import RecordsCommand, default_folder
from factreasoner.errors import ConfigError, InputProblem
from factreasoner.files import make_folder_of, replace_file
from factreasoner.models import Record
from factreasoner.report.terminal import print_text
from factreasoner.settings.sources import flag_of

if TYPE_CHECKING:
    from factreasoner.analysis.side_by_side import Contender

ENDINGS = (".md", ".csv", ".json")


class CompareCommand(RecordsCommand, panels=EVERY):
    """Compare runs over the same records: scores, paired intervals of differences, tests, cost.

    With --assessors, this command makes the runs itself, on the same atoms and contexts; versions of
    FactReasoner share the verdicts too. Runs that do not score the same records are refused.

    With --modes, it runs modes of `recall` on the same facts and compares them with human labels.
    """

    targets: list[Path] = argument("RUN_DIR...|DATA", "Run folders; for --assessors, an input of `run`.")
    assessors: str | None = flag(
        "Methods to run on DATA first, separated by commas: fr1, fr2, fr3, factscore, veriscore, factverify, "
        "prompt-tf or a profile's path."
    )
    profile: Path | None = flag("With --assessors: YAML profile for all of them.", "--config", "-c")
    baseline: str | None = flag("The run to compare the others with. (default: the first)")
    intersect: bool = flag("If runs score different records, compare those that every run scores.")
    gold: Path | None = flag("Labels to use instead of the runs' own, as for `evaluate`.")
    modes: str | None = flag("Modes of `recall` to run on DATA, such as prompt-tf,tf,tfn,tf_citation.")
    by: str = flag("With --modes: a column for each value of topic or of a metadata key.", default="variant")
    out: Path | None = flag(
        "A file, NAME.md, NAME.csv or NAME.json; or a folder for all three and, with --assessors or --modes, "
        "the run folders.",
        "--out",
        "-o",
    )
    report: bool = flag("Also write a report, side-by-side.html, into --out or the first run folder.")

    def _execute(self) -> int:
        folder = None if self._file else self.out
        of_modes = self.modes is not None
        if not of_modes and self.assessors is None:
            given = {key: value for key, value in self.settings.items() if key not in ("k", "seed")}
            given |= {"config": self.profile, "column_map": self.column_map, "limit": self.limit}
            why = "finished runs are compared as they are; --assessors makes new ones"
            _refuse(why, **given, fresh=self.fresh or None, skip_invalid=self.skip_invalid or None)
            self.continues = False
            self._show_runs(self.targets, folder)
            self._write_page(self.targets, folder)
            return 0
        contenders = self._modes() if of_modes else self._assessors()
        out = folder or default_folder(self.targets[0], "modes" if of_modes else "compared")
        complete = self._run(contenders, out)
        folders = [out / contender.name for contender in contenders]
        if of_modes:
            self._show_modes(contenders, out)
        else:
            self._show_runs(folders, out)
        self._write_page(folders, out)
        return 0 if complete else 3

    @cached_property
    def _file(self) -> Path | None:
        """The value of --out if it is a file."""
        return self.out if self.out is not None and self.out.suffix.lower() in ENDINGS else None

    def _assessors(self) -> list[Contender]:
        from factreasoner.analysis.side_by_side import parse_assessors

        decided = {key: self.settings[key] for key in ("assessor", "version")}
        _refuse("--assessors says which, as fr1,fr2,factscore", **decided)
        contenders = parse_assessors(str(self.assessors).split(","), self.settings, self.profile)
        if len(self.targets) != 1:
            raise ConfigError("--assessors runs on one data file, or one run folder's atoms and contexts")
        return contenders

    def _modes(self) -> list[Contender]:
        from factreasoner.analysis.side_by_side import parse_modes

        _refuse("it compares methods of `run`; remove --modes", assessors=self.assessors)
        if len(self.targets) != 1 or self.targets[0].is_dir():
            raise ConfigError("--modes run on one data file; finished runs are compared without --modes")
        idle = {name: getattr(self, name) or None for name in ("baseline", "intersect", "gold")}
        idle |= {key: self.settings[key] for key in ("mode", "assessor")}
        _refuse("has no effect with --modes; remove it", **idle)
        return parse_modes(str(self.modes).split(","), self.settings, self.profile)

    def _run(self, contenders: list[Contender], out: Path) -> bool:
        """Run them on the same records, each into a folder in `out`; returns whether all are complete."""
        from factreasoner.analysis.side_by_side import run_side_by_side
        from factreasoner.report.progress import progress_for

        def fits(record: Record) -> list[InputProblem]:
            found = (problem for one in contenders for problem in one.task.problems(record, one.config))
            return list(dict.fromkeys(found))

        refuse_text_as_data(self.targets[0], "compare")
        source = self.checked(self.targets[0], fits)
        progress = partial(progress_for, quiet=self.quiet)
        return run_side_by_side(contenders, source, out, fresh=self.fresh, progress=progress)

    def _show_runs(self, folders: list[Path], out: Path | None) -> None:
        """Print the comparison of finished runs, and write it to the file or folder."""
        from factreasoner.analysis.comparison import ComparisonSettings, compare_runs, named_runs
        from factreasoner.cli.score_tables import print_comparison
        from factreasoner.report.comparison_tables import comparison_csv, comparison_markdown, same_runs

        how = ComparisonSettings(self.settings["k"], self.settings["seed"] or 0, self.gold, self.intersect)
        content = compare_runs(named_runs(folders), baseline=self.baseline, settings=how)
        self._write("comparison", out, content, comparison_markdown(content), comparison_csv(content))
        notes = content["notes"]
        if same_runs(content) and not self.as_json:
            notes = [
                note for note in notes if note.startswith(tuple(f"{name}: " for name in content["runs"]))
            ]
        self.present(content, partial(print_comparison, content), notes)

    def _show_modes(self, contenders: list[Contender], out: Path) -> None:
        """Print the table of recall modes, and write it."""
        from factreasoner.analysis.evaluation import modes_content
        from factreasoner.cli.score_tables import print_modes
        from factreasoner.report.comparison_tables import csv_text, mode_notes, mode_rows
        from factreasoner.runs.finished import FinishedRun
        from factreasoner.text.markdown import markdown_table

        runs = {contender.name: FinishedRun(out / contender.name, contender.task) for contender in contenders}
        content = modes_content(runs, self.by)
        rows = mode_rows(content)
        self._write("modes", out, content, markdown_table(rows[0], rows[1:]), csv_text(rows))
        self.present(content, partial(print_modes, rows), mode_notes(content))
        if not contenders[0].config.first_model:
            self._note("Modes need a model; add --model NAME.")

    def _write_page(self, folders: list[Path], out: Path | None) -> None:
        """Write the page of --report."""
        from factreasoner.report.page import default_page, write_report
        from factreasoner.runs.finished import FinishedRun

        if self.report:
            page = default_page(*folders)
            written = write_report(
                list(map(FinishedRun.of_any_task, folders)), out / page.name if out else page
            )
            if not (self.quiet or self.as_json):
                print_text(str(written))

    def _write(self, name: str, out: Path | None, content: Mapping[str, Any], md: str, csv: str) -> None:
        """Write the --out file, or all formats into the folder `out`."""
        from factreasoner.report.comparison_tables import json_text

        for ending, text in zip(ENDINGS, (md, csv, json_text(content)), strict=True):
            named = self._file if self._file and self._file.suffix.lower() == ending else None
            for path in filter(None, (named, out and out / f"{name}{ending}")):
                make_folder_of(path)
                replace_file(path, [text.rstrip("\n")])


def _refuse(why: str, **given: object) -> None:
    """Raise ConfigError for those flags that are given."""
    if names := [flag_of(key) for key, value in given.items() if value is not None]:
        raise ConfigError(f"{', '.join(names)}: {why}")
