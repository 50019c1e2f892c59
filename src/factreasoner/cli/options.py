"""Arguments and flags that mean the same in several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunDir = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run folder.")]
ColumnMap = Annotated[
    list[str] | None, typer.Option("--column-map", help="theirs=ours, as text=output; repeatable.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first N records.")]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Go on without the lines that are wrong.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Start over instead of resuming.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
