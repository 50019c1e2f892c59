"""`factreasoner doctor`: what is installed, what can be reached, what is missing."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import AsJson
from factreasoner.report.terminal import say_json

MARKS = {"ok": "[green]ok[/]", "missing": "[yellow]-[/]", "wrong": "[red]wrong[/]"}


@takes_settings("Model", "Judging", "Verifier")
def doctor(
    call: Annotated[
        bool,
        typer.Option("--call/--no-call", help="With --model: ask it about known facts, in 4 calls or more."),
    ] = True,
    as_json: AsJson = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Check the installation, the keys, the cache and, with --model, how many facts a call it takes.

    With --verifier: check that it is installed and works; --verifier-download fetches its model.
    """
    from rich.markup import escape
    from rich.table import Column

    from factreasoner.cli.diagnosis import diagnose
    from factreasoner.report.console import Terminal
    from factreasoner.settings import load_settings

    if settings["verifier"] is not None:
        settings["judge"] = "verifier"
    checks = list(diagnose(load_settings(None, settings), call=call))
    if as_json:
        say_json([check._asdict() for check in checks])
    else:
        rows = ((MARKS[check.state], check.name, escape(check.detail)) for check in checks)
        Terminal(soft_wrap=True).columns(("", "", Column(overflow="fold")), rows, show_header=False)
    raise typer.Exit(1 if any(check.state == "wrong" for check in checks) else 0)
