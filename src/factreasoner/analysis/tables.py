"""The tables of a run: columns, rows read one record at a time, and export to files.

In CSV, text that a spreadsheet would read as a formula gets an apostrophe. Source: OWASP, "CSV Injection".
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.errors import ConfigError
from factreasoner.files import TableFormat, make_folder_of, replace_file, uncompressed_name
from factreasoner.models import Result
from factreasoner.models.frames import Columns
from factreasoner.models.rows import ClaimRow, claim_columns, table_row
from factreasoner.plugins.table import extras_named
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.evidence_text import WithoutClaims
from factreasoner.tasks.task import Task
from factreasoner.text.markdown import markdown_lines

Row = dict[str, Any]
RECORDS, VERDICTS = "records", "verdicts"

VERDICT_COLUMNS: Columns = {
    **dict.fromkeys(("record", "premise", "claim", "label"), str),
    "probability": float,
    "confidence": str,
    "uncalibrated": float,
    "uncalibrated_label": str,
    **dict.fromkeys(("label_mass", "p_entailment", "p_contradiction", "p_neutral"), float),
    "quote": str,
    "quote_by": str,
    "citation": str,
    "rests_on": list,
    "note": str,
}
FIELDS = {"premise": "context_id", "claim": "target_id"}
_BEFORE: Columns = dict.fromkeys(("record", "status", "input", "output", "topic", "model_name"), str)
_USAGE: Columns = {
    **dict.fromkeys(("calls", "cached_calls", "prompt_tokens", "completion_tokens"), int),
    "cost": float,
}
_AFTER: Columns = {"num_failures": int, **_USAGE, "elapsed_seconds": float, "metadata": dict}

FORMULA_SIGNS = "=+-@＝＋－＠"
"""Characters with which a spreadsheet formula begins, full-width forms included."""
ROWS_AT_ONCE = 2000


class RunTable(NamedTuple):
    """A table of a run; `rows` reads them again on each call."""

    name: str
    columns: Columns
    rows: Callable[[], Iterator[Row]]


def claim_table_of(task: Task[Any]) -> str:
    """The name of a task's claim table: `atoms` for a run, else `claims`."""
    return f"{task.words.claim}s"


def table_of(run: FinishedRun[Any], name: str) -> RunTable:
    """The table of that name.

    Raises ConfigError: this task has no such table; the known ones are named.
    """
    task = run.task
    tables: dict[str, tuple[Columns, Callable[[], Iterator[Row]]]] = {
        claim_table_of(task): (
            claim_columns(task.words),
            lambda: (row for result in run.results() for row in claim_rows(task, result)),
        ),
        RECORDS: (_record_columns(task), lambda: _records(run)),
        VERDICTS: (VERDICT_COLUMNS, lambda: _verdicts(run)),
    }
    if name not in tables:
        raise ConfigError(f"a run of `{task.name}` has no table {name!r}; it has: {', '.join(tables)}")
    return RunTable(name, *tables[name])


def claim_rows(task: Task[Any], result: Result) -> Iterator[Row]:
    """The claim rows of one result."""
    return (table_row(row, task.words) for row in result.rows())


def _verdicts(run: FinishedRun[Any]) -> Iterator[Row]:
    fields = {name: FIELDS.get(name, name) for name in VERDICT_COLUMNS if name != "record"}
    for result in run.results():
        for verdict in run.task.verdicts(result):
            p = {f"p_{label}": value for label, value in verdict.p._asdict().items()}
            row = {name: getattr(verdict, field) for name, field in fields.items() if name not in p} | p
            yield {"record": result.record_id} | row | {"rests_on": list(verdict.rests_on)}


def _record_columns(task: Task[Any]) -> Columns:
    names = [metric.line_name for metric in task.table.metrics_at("line")]
    metrics = {name: int if name.startswith("num_") else float for name in names}
    return {**_BEFORE, **metrics, **task.counts, **_AFTER}


def _records(run: FinishedRun[Any]) -> Iterator[Row]:
    """The fields of results.jsonl for each record, computed with the run's own settings."""
    columns = _record_columns(run.task)
    tally = run.tally(run.config)
    for result in run.results():
        line = tally.add(result)
        line |= line["usage"] | {
            "record": line["id"],
            "num_failures": len(line["failures"]),
            "metadata": json.dumps(line["metadata"], ensure_ascii=False),
        }
        yield {name: line.get(name) for name in columns}


Place = tuple[int, ClaimRow]


class ClaimFilter(NamedTuple):
    """Which claims to show: record, labels, cautions and maximum number.

    Without labels and cautions, all claims match. The label None means not judged.
    """

    record: str | None = None
    labels: frozenset[str | None] = frozenset()
    cautions: frozenset[str] = frozenset()
    limit: int | None = None

    def has(self, row: ClaimRow) -> bool:
        """Whether the row matches, whatever its record."""
        named = row.label in self.labels or not self.cautions.isdisjoint(row.cautions)
        return named or not (self.labels or self.cautions)


def select_claims(
    run: FinishedRun[Any], wanted: ClaimFilter, without: WithoutClaims, *, by_p: bool = False
) -> Iterator[ClaimRow]:
    """The matching rows in record order, or by probability; `without` collects records without any."""
    found = _matching(run, wanted, without)
    rows = _least_likely(run, wanted.limit, found) if by_p else (row for _, row in found)
    for count, row in enumerate(rows):
        if count == wanted.limit:
            return
        yield row


def _matching(run: FinishedRun[Any], wanted: ClaimFilter, without: WithoutClaims) -> Iterator[Place]:
    for result in run.results(None if wanted.record is None else (wanted.record,)):
        rows = list(result.rows())
        without.count(result)
        if rows:
            without.add_unjudged(result, rows)
        else:
            without.add(result)
        yield from ((index, row) for index, row in enumerate(rows) if wanted.has(row))


def _least_likely(run: FinishedRun[Any], limit: int | None, found: Iterable[Place]) -> Iterator[ClaimRow]:
    """The matching rows sorted by P, then by `best_support`; rows without P come last.

    Only positions are kept in memory; each row is read again.
    """
    p, best, records, indices = array("d"), array("d"), list[str](), array("L")
    for index, row in found:
        p.append(math.inf if row.p_true is None else row.p_true)
        best.append(math.inf if row.best_support is None else row.best_support)
        records.append(row.record)
        indices.append(index)
    for place in np.lexsort((best, p))[:limit]:
        (result,) = run.results((records[place],))
        yield list(result.rows())[indices[place]]


def export(table: RunTable, form: TableFormat, out: Path) -> None:
    """Write a table to a file, replacing it only when complete; .gz and .zst are compressed.

    Raises:
        MissingExtraError: the package for parquet is not installed.
        ConfigError: the folder can't be made, or a parquet file would be compressed twice.
    """
    make_folder_of(out)
    if form == "parquet":
        if uncompressed_name(out) != out:
            raise ConfigError(
                f"{out}: parquet files are already compressed; name it {uncompressed_name(out).name}"
            )
        _write_parquet(table, out)
    else:
        replace_file(out, text_lines(table, form))


def text_lines(table: RunTable, form: TableFormat) -> Iterator[str]:
    """The table as lines of CSV with a header, of Markdown, or of JSON.

    A line of CSV may hold line ends in quotes.
    """
    if form == "csv":
        return _csv_lines(table)
    if form == "md":
        sides = "".join("r" if kind in (int, float) else "l" for kind in table.columns.values())
        rows = (
            ["" if row[name] is None else _text(row[name]) for name in table.columns] for row in table.rows()
        )
        return markdown_lines(list(table.columns), rows, sides)
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows())


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
    """A value in CSV: empty for None, JSON for a list, and formulas escaped."""
    if value is None or kind in (int, float):
        return value
    text = _text(value)
    begin = text.lstrip().lstrip("\ufeff\u200b")
    return f"'{text}" if text.startswith(("\t", "\r")) or begin.startswith(tuple(FORMULA_SIGNS)) else text


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


def _write_parquet(table: RunTable, out: Path) -> None:
    with extras_named():
        import pyarrow
        from pyarrow import parquet
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    types |= {list: pyarrow.list_(pyarrow.string()), dict: pyarrow.string()}
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
