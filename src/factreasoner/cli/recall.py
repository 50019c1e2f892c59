"""`factreasoner recall`: which of the facts an answer should state it states."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import DryRun, RunOptions, takes_groups
from factreasoner.cli.running import (
    check_task_data,
    claims_shown,
    default_folder,
    print_rehearsal,
    refuse_json,
    refuse_own_source,
    run_task,
)

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "atomizer", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma"),
)
"""Settings of these panels that mean nothing here."""


@takes_settings(*PANELS, without=UNUSED)
@takes_groups
def recall(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records, JSONL, one a line, with 'facts' or a 'reference'; - for standard input.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder. (default: runs/<name of the file>-recall)")
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="YAML profile; FACTREASONER_<NAME> and flags override it."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="List the facts that answers do not state.")
    ] = False,
    dry_run: DryRun = False,
    *,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Judge which facts each answer states: those the record brings, or those made from its reference.

    The same command again resumes where the last one stopped.
    """
    from factreasoner.settings import load_settings
    from factreasoner.tasks.recall.task import TASK

    if explain:
        refuse_json(running)
    config = load_settings(profile, settings)
    folder = out or default_folder(data, TASK.name)
    refuse_own_source(folder, data, config)
    checked = check_task_data(TASK, data, config, running)
    if dry_run:
        print_rehearsal(TASK, checked, config, as_json=running.as_json)
        raise typer.Exit
    code = run_task(TASK, checked, config, folder, running, shown=partial(claims_shown, TASK))
    if explain:
        from factreasoner.cli.claim_tables import print_missed_facts

        print_missed_facts(folder, checked.ids)
    raise typer.Exit(code)
