"""Options of `factreasoner compare`, whatever is compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer


class CompareOptions(NamedTuple):
    """Options of what is compared: the run to subtract, whether only shared records count, whose labels."""

    baseline: Annotated[
        str | None, typer.Option(help="The run whose scores are subtracted. (default: the first)")
    ] = None
    intersect: Annotated[
        bool, typer.Option("--intersect", help="Compare the records that every run scores, if these differ.")
    ] = False
    gold: Annotated[
        Path | None, typer.Option(help="Labels in the place of the runs' own, as for `evaluate`.")
    ] = None
    task: Annotated[
        str | None, typer.Option(help="What --modes run on DATA: recall. (default: that of the run folders)")
    ] = None
    modes: Annotated[
        str | None,
        typer.Option(help="With --task recall: run these on DATA, as prompt-tf,tf,tfn,tf_citation."),
    ] = None
    by: Annotated[
        str, typer.Option(help="With --modes: columns for each value of topic or of a metadata key.")
    ] = "variant"


class OutputFiles(NamedTuple):
    """Options of the files that hold the comparison: a folder for all, or one file a format."""

    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for comparison.* and, with --assessors, the run folders."),
    ] = None
    markdown: Annotated[Path | None, typer.Option(help="Write the tables as Markdown.")] = None
    csv: Annotated[Path | None, typer.Option(help="Write every number as CSV.")] = None
    plot: Annotated[Path | None, typer.Option(help="Draw the scores: a PNG and an SVG.")] = None

    def write(self, out: Path | None, name: str, texts: Mapping[str, str]) -> None:
        """Write the texts, by the endings of their files, that were asked for, and all of them into `out`."""
        from factreasoner.runs.replacing import replace_file

        named = {"md": self.markdown, "csv": self.csv}
        for ending, text in texts.items():
            for path in filter(None, (named.get(ending), out and out / f"{name}.{ending}")):
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, [text.rstrip("\n")])
