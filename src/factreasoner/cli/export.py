"""`factreasoner export`: a finished run's atoms, claims, records or verdicts as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from factreasoner.cli.flags import CORRECTIONS, RUN_DIR, Command, flag, format_of
from factreasoner.errors import ConfigError
from factreasoner.files import TableFormat, uncompressed_name
from factreasoner.report.terminal import print_data, print_text

ENDINGS: dict[str, TableFormat] = {f".{form}": form for form in get_args(TableFormat)} | {".ndjson": "jsonl"}


class ExportCommand(Command):
    """Write a table of a finished run to a file, row by row.

    In CSV, text that a spreadsheet would read as a formula gets an apostrophe in front; jsonl and parquet
    keep all text as it is. parquet needs the extra `frames`.
    """

    run_dir: Path = RUN_DIR
    table: Literal["atoms", "claims", "records", "verdicts"] | None = flag(
        "What a row holds. (default: atoms of a run, claims of recall, rag and verify)"
    )
    form: TableFormat | None = flag("File format. (default: by the ending of --out, else csv)", "--format")
    corrections: Path | None = CORRECTIONS
    out: Path | None = flag(
        "Output file, compressed if its name ends in .gz or .zst; - for standard output. "
        "(default: RUN_DIR/<table>.<format>)",
        *("--out", "-o"),
    )

    def _execute(self) -> None:
        from factreasoner.analysis.tables import claim_table_of, export, table_of, text_lines
        from factreasoner.runs.finished import FinishedRun

        run, to_stdout = FinishedRun.of_any_task(self.run_dir, self.corrections), str(self.out) == "-"
        wanted = table_of(run, self.table or claim_table_of(run.task))
        named = None if self.out is None else uncompressed_name(self.out)
        endings = ENDINGS | ({} if self.form is None else {".txt": self.form})
        form = format_of(named, self.form, endings, "csv")
        if to_stdout and form == "parquet":
            raise ConfigError("parquet is not text: name a file with --out")
        self._note(run.unfinished)
        if to_stdout:
            for line in text_lines(wanted, form):
                print_data(line, is_json=form == "jsonl")
            return
        path = self.out or self.run_dir / f"{wanted.name}.{form}"
        export(wanted, form, path)
        print_text(str(path))
