"""`factreasoner recall`: which of the facts an answer should state it states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import DryRun, Profile, RunOptions, takes_groups
from factreasoner.cli.running import Job, carry_out, default_folder, refuse_json

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
    profile: Profile = None,
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
    from factreasoner.cli.claim_tables import print_missed_facts
    from factreasoner.settings import load_settings
    from factreasoner.tasks.recall.task import TASK

    if explain:
        refuse_json(running)
    config = load_settings(profile, settings)
    job = Job(TASK, data, config, out or default_folder(data, TASK.name), running)
    raise typer.Exit(carry_out(job, dry_run=dry_run, at_end=print_missed_facts if explain else None))
