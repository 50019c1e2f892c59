"""`factreasoner report`: finished runs as a page, or one of them as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from factreasoner.cli.flags import Corrections, format_of
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import say, say_data

Format = Literal["html", "md"]
ENDINGS: dict[str, Format] = {".html": "html", ".htm": "html", ".md": "md"}


def report(
    run_dirs: Annotated[
        list[Path], typer.Argument(metavar="RUN_DIR...", help="Run folders; several are shown side by side.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The file. (default: report.html in RUN_DIR, of several runs side-by-side.html in the "
            "first; Markdown goes to standard output)",
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="html, or md: short, for a pull request or an issue. (default: html)"),
    ] = None,
    corrections: Corrections = None,
) -> None:
    """Write finished runs as one HTML page: which sentences to distrust, why, with the quotes.

    The page opens from disk and asks nothing of any network. Where there is much to show, a folder
    beside it, named as it is with _files, belongs to it. Several runs of one task are shown side by side,
    what differs first. Markdown is a summary of one run: counts, and the worst claims with quotes.
    """
    from factreasoner.files import replace_file
    from factreasoner.report.markdown import markdown
    from factreasoner.report.page import default_page, write_report
    from factreasoner.runs.finished import FinishedRun

    if out is not None and out.is_dir():
        raise ConfigError(f"{out}: a folder; name the file in it: {out / 'report.html'}")
    to_stdout = str(out) == "-"
    chosen = format_of(out, form, ENDINGS, "md" if to_stdout else "html")
    if to_stdout and chosen == "html":
        raise ConfigError("--format html: a page is a file; name it with --out")
    if corrections is not None and len(run_dirs) > 1:
        raise ConfigError("--corrections: they correct one run's verdicts; name that run alone")
    if chosen == "md" and len(run_dirs) > 1:
        raise ConfigError(
            "--format md: it describes one run; name that run alone, or use `compare --markdown`"
        )
    runs = [FinishedRun.of_any_task(path, corrections) for path in run_dirs]
    if chosen == "html":
        say(str(write_report(runs, out or default_page(*run_dirs))))
    elif out is None or to_stdout:
        say_data(markdown(runs[0]))
    else:
        replace_file(out, [markdown(runs[0])])
        say(f"Report: {out}")
