"""`factreasoner metrics`: what every metric is computed from, and what it means."""

from __future__ import annotations

from typing import Annotated

import typer

from factreasoner.cli.terminal import Terminal, say_json


def metrics(
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """List every metric: its name in summaries and rules, which way is better, what it needs and means."""
    from rich.table import Column, Table

    from factreasoner.metrics.factuality_table import FACTUALITY
    from factreasoner.metrics.table import ARROWS

    if as_json:
        say_json([metric.content() for metric in FACTUALITY])
        return
    table = Table(Column("metric", no_wrap=True), "needs", "meaning", box=None, pad_edge=False)
    for metric in FACTUALITY:
        table.add_row(metric.name + ARROWS[metric.better], metric.needs.words, metric.meaning)
    Terminal(highlight=False).print(table)
