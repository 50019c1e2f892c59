"""`factreasoner report`: finished runs as a page, or one of them as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from factreasoner.cli.flags import CORRECTIONS, Command, argument, flag, format_of
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import print_data, print_text

Format = Literal["html", "md"]
ENDINGS: dict[str, Format] = {".html": "html", ".htm": "html", ".md": "md"}


class ReportCommand(Command):
    """Write an HTML page that shows which sentences of finished runs to distrust, and why.

    The page opens from disk and needs no network. A long page has a folder next to it, with the same name
    and _files at the end; keep the two together. Several runs of one task are shown side by side,
    differences first. Markdown is a summary of one run: counts, and the worst claims with quotes.
    """

    run_dirs: list[Path] = argument("RUN_DIR...", "Run folders; several are shown side by side.")
    out: Path | None = flag(
        "Output file. (default: report.html in RUN_DIR; for several runs, side-by-side.html in the first; "
        "Markdown goes to standard output)",
        *("--out", "-o"),
    )
    form: Format | None = flag(
        "File format; md is short, for a pull request or an issue. (default: html)", "--format"
    )
    corrections: Path | None = CORRECTIONS

    def _execute(self) -> None:
        from factreasoner.files import make_folder_of, replace_file
        from factreasoner.report.markdown import markdown
        from factreasoner.report.page import default_page, write_report
        from factreasoner.runs.finished import FinishedRun

        out, several = self.out, len(self.run_dirs) > 1
        if out is not None and out.is_dir():
            raise ConfigError(f"{out}: a folder; name the file in it: {out / 'report.html'}")
        to_stdout = str(out) == "-"
        form = format_of(out, self.form, ENDINGS, "md" if to_stdout else "html")
        if to_stdout and form == "html":
            raise ConfigError("--format html: the page is written to a file: name it with --out")
        if self.corrections is not None and several:
            raise ConfigError("--corrections: they belong to one run: name only that run")
        if form == "md" and several:
            raise ConfigError("--format md: it describes one run: name only one, or use `compare --out F.md`")
        runs = [FinishedRun.of_any_task(path, self.corrections) for path in self.run_dirs]
        for run in runs:
            self._note(run.unfinished)
        if form == "html":
            print_text(str(write_report(runs, out or default_page(*self.run_dirs))))
        elif out is None or to_stdout:
            print_data(markdown(runs[0]))
        else:
            make_folder_of(out)
            replace_file(out, [markdown(runs[0])])
            print_text(f"Report: {out}")
