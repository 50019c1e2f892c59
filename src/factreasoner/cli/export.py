"""`factreasoner export`: a finished run's atoms, claims, records or verdicts as a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from factreasoner.cli.flags import Corrections, RunDir
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import say, say_data

Format = Literal["csv", "jsonl", "parquet"]


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
    from factreasoner.runs.finished import FinishedRun

    run = FinishedRun.of_any_task(run_dir, corrections)
    wanted = table_of(run, table or claim_table_of(run.task))
    chosen = _format_of(out, form)
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


def _format_of(out: Path | None, form: Format | None) -> Format:
    """The format that is asked for, else the one that the ending names (before .gz or .zst).

    A name without an ending is one of csv. Raises ConfigError for an ending of another format.
    """
    from factreasoner.files import plain_name

    endings: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
    ending = plain_name(out).suffix.lower() if out else ""
    if ending in ("", ".txt"):
        return form or "csv"
    named = endings.get(ending)
    if named is None:
        of_spreadsheets = " (a spreadsheet opens .csv)" if ending in (".xlsx", ".xls", ".ods") else ""
        known = ", ".join(endings)
        raise ConfigError(f"{out}: no format here ends in {ending}; name it {known}{of_spreadsheets}")
    if form not in (None, named):
        raise ConfigError(f"{out}: its ending says {named}, and --format {form}; change one of them")
    return named
