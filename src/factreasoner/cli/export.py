"""`factreasoner export`: a finished run's atoms, claims, records or verdicts as a file for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from factreasoner.cli.options import Corrections, RunDir
from factreasoner.report.terminal import say, say_data


class Tables(StrEnum):
    """Which table of a run is exported."""

    atoms = "atoms"
    claims = "claims"
    records = "records"
    verdicts = "verdicts"


class Formats(StrEnum):
    """Which kind of file is written."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


def export(
    run_dir: RunDir,
    table: Annotated[
        Tables | None,
        typer.Option(
            help="atoms, claims, records or verdicts. "
            "(default: atoms of a run, claims of recall, rag and verify)"
        ),
    ] = None,
    form: Annotated[
        Formats | None,
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
    from factreasoner.analysis.exporting import export as write
    from factreasoner.analysis.exporting import text_lines
    from factreasoner.analysis.run_tables import claim_table_of, table_of
    from factreasoner.errors import ConfigError
    from factreasoner.runs.finished import FinishedRun

    run = FinishedRun.of_any_task(run_dir, corrections)
    wanted = table_of(run, table.value if table else claim_table_of(run.task))
    to_stdout = str(out) == "-"
    chosen = _format_of(out, form)
    if to_stdout and chosen is Formats.parquet:
        raise ConfigError("parquet is no text: name a file with --out")
    if run.unfinished:
        say(run.unfinished, err=True)
    if to_stdout:
        for line in text_lines(wanted, chosen.value):
            say_data(line)
        return
    path = out or run_dir / f"{wanted.name}.{chosen}"
    write(wanted, chosen.value, path)
    say(str(path))


ENDINGS = {
    ".csv": Formats.csv,
    ".jsonl": Formats.jsonl,
    ".ndjson": Formats.jsonl,
    ".parquet": Formats.parquet,
}
ANY_TEXT = ("", ".txt")
"""Endings that fit every text."""


def _format_of(out: Path | None, form: Formats | None) -> Formats:
    """The format that is asked for, else the one that the ending names (before .gz or .zst).

    A name without an ending is one of csv. Raises ConfigError for an ending of another format.
    """
    from factreasoner.errors import ConfigError
    from factreasoner.files import plain_name

    ending = plain_name(out).suffix.lower() if out else ""
    if ending in ANY_TEXT:
        return form or Formats.csv
    named = ENDINGS.get(ending)
    if named is None:
        of_spreadsheets = " (a spreadsheet opens .csv)" if ending in (".xlsx", ".xls", ".ods") else ""
        known = ", ".join(ENDINGS)
        raise ConfigError(f"{out}: no format here ends in {ending}; name it {known}{of_spreadsheets}")
    if form not in (None, named):
        raise ConfigError(f"{out}: its ending says {named}, and --format {form}; change one of them")
    return named
