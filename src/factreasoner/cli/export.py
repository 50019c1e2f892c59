"""`factreasoner export`: a finished run's atoms, claims, records or verdicts as a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from factreasoner.cli.flags import Corrections, RunDir, format_of
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import say, say_data

Format = Literal["csv", "jsonl", "parquet"]
ENDINGS: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def export(
    run_dir: RunDir,
    table: Annotated[
        Literal["atoms", "claims", "records", "verdicts"] | None,
        typer.Option(
            help="atoms, claims, records or verdicts. "
            "(default: atoms of a run, claims of recall, rag and verify)"
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="csv, jsonl or parquet. (default: by the ending of --out, else csv)"),
    ] = None,
    corrections: Corrections = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The file, compressed where it ends in .gz or .zst; - for standard output. "
            "(default: RUN_DIR/<table>.<format>)",
        ),
    ] = None,
) -> None:
    """Write a table of a finished run to a file, row by row.

    In CSV an apostrophe goes before a text that a spreadsheet would take for a formula; jsonl and parquet
    have all texts as they are. parquet needs the extra `frames`.
    """
    from factreasoner.analysis.tables import claim_table_of, table_of, text_lines
    from factreasoner.analysis.tables import export as write
    from factreasoner.files import plain_name
    from factreasoner.runs.finished import FinishedRun

    run = FinishedRun.of_any_task(run_dir, corrections)
    wanted = table_of(run, table or claim_table_of(run.task))
    named = None if out is None else plain_name(out)
    chosen = format_of(named, form, ENDINGS | {".txt": form or "csv"}, "csv")
    if str(out) == "-" and chosen == "parquet":
        raise ConfigError("parquet is not text: name a file with --out")
    if run.unfinished:
        say(run.unfinished, err=True)
    if str(out) == "-":
        for line in text_lines(wanted, chosen):
            say_data(line)
        return
    path = out or run_dir / f"{wanted.name}.{chosen}"
    write(wanted, chosen, path)
    say(str(path))
