"""A table of a run as a file: CSV, JSON lines or parquet, written row by row.

In CSV a text that a spreadsheet would take for a formula gets an apostrophe before it. Source: OWASP, "CSV
Injection".
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from factreasoner.analysis.run_tables import Row, RunTable
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.files import plain_name
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.runs.replacing import replace_file

Format = Literal["csv", "jsonl", "parquet"]
FORMULA_SIGNS = "=+-@＝＋－＠"
"""What a cell begins with that a spreadsheet takes for a formula, full width signs included."""
ROWS_AT_ONCE = 2000


def export(table: RunTable, form: Format, out: Path) -> None:
    """Write a table to a file, which is replaced when the new one is whole; .gz and .zst are compressed.

    Raises:
        MissingExtraError: parquet needs a package that is not installed.
        ConfigError: the file's folder does not exist, or parquet would be compressed twice.
    """
    if not out.parent.is_dir():
        raise ConfigError(f"{out}: there is no folder {out.parent}; make it, or choose another --out")
    if form == "parquet":
        if plain_name(out) != out:
            raise ConfigError(f"{out}: parquet files are already compressed; name it {plain_name(out).name}")
        _write_parquet(table, out)
    else:
        replace_file(out, text_lines(table, form))


def text_lines(table: RunTable, form: Format) -> Iterator[str]:
    """The table as lines of CSV, with a header, or of JSON; a line of CSV may hold line ends in quotes."""
    return _csv_lines(table) if form == "csv" else _json_lines(table)


def _json_lines(table: RunTable) -> Iterator[str]:
    for row in table.rows():
        yield json.dumps(row, ensure_ascii=False, allow_nan=False)


def _csv_lines(table: RunTable) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line)
    header: list[object] = list(table.columns)
    rows = ([_cell(row[name], kind) for name, kind in table.columns.items()] for row in table.rows())
    for cells in chain([header], rows):
        writer.writerow(cells)
        yield line.getvalue().removesuffix("\r\n")
        line.seek(0)
        line.truncate()


def _cell(value: object, kind: type) -> object:
    """A value as CSV has it: nothing for None, a list as JSON, and no text that is a formula."""
    if value is None or kind in (int, float):
        return value
    text = str(value) if kind is str else json.dumps(value, ensure_ascii=False)
    begin = text.lstrip().lstrip("\ufeff\u200b")
    return f"'{text}" if text.startswith(("\t", "\r")) or begin.startswith(tuple(FORMULA_SIGNS)) else text


def _write_parquet(table: RunTable, out: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError(*EXTRA_OF_MODULE["pyarrow"]) from error
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    types[list] = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema([(name, types[kind]) for name, kind in table.columns.items()])
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    rows: Iterator[Row] = table.rows()
    try:
        with parquet.ParquetWriter(temporary, schema) as writer:
            while chunk := list(islice(rows, ROWS_AT_ONCE)):
                writer.write_batch(pyarrow.RecordBatch.from_pylist(chunk, schema=schema))
        temporary.replace(out)
    finally:
        temporary.unlink(missing_ok=True)
