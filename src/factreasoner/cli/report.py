"""`factreasoner report`: finished runs as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factreasoner.cli.options import Corrections
from factreasoner.cli.terminal import say

PAGES = (".html", ".htm", "")
"""Endings of a page's name."""


def report(
    run_dirs: Annotated[
        list[Path], typer.Argument(metavar="RUN_DIR...", help="Run folders; several stand side by side.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The page, an HTML file. (default: report.html in RUN_DIR; of several runs, "
            "side-by-side.html in the first)",
        ),
    ] = None,
    corrections: Corrections = None,
) -> None:
    """Write finished runs as one HTML page: which sentences to distrust, why, with the quotes.

    The page opens from disk and asks nothing of any network. Where there is much to show, a folder
    beside it, named as it is with _files, belongs to it. Several runs of one task are shown side by side,
    what differs first.
    """
    from factreasoner.errors import ConfigError
    from factreasoner.report.page import default_page, write_report
    from factreasoner.runs.finished import FinishedRun

    if out is not None and out.is_dir():
        raise ConfigError(f"{out}: a folder; name the page in it: {out / 'report.html'}")
    if out is not None and out.suffix.lower() not in PAGES:
        raise ConfigError(f"{out}: a report is an HTML page; name it {out.with_suffix('.html')}")
    if corrections is not None and len(run_dirs) > 1:
        raise ConfigError("--corrections: they are of one run's verdicts; name that run alone")
    runs = [FinishedRun.of_any_task(path, corrections) for path in run_dirs]
    written = write_report(runs, out or default_page(*run_dirs))
    say(str(written))
