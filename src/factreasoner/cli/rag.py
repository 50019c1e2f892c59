"""`factreasoner rag`: where a system that answers from retrieved contexts loses or invents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import DryRun, Profile, RunOptions, takes_groups
from factreasoner.cli.running import Job, carry_out, default_folder, refuse_json

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma", "uncited", "rounds"),
)
"""Settings of these panels that mean nothing here, or something of their own."""


class Showing(NamedTuple):
    """What is shown beside the table, or in the place of a run."""

    explain: Annotated[
        bool, typer.Option("--explain", help="List what was lost or invented, claim by claim.")
    ] = False
    dry_run: DryRun = False


@takes_settings(*PANELS, without=UNUSED)
@takes_groups
def rag(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records, JSONL, one a line, with 'contexts' or a 'reference'; - for standard input.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder. (default: runs/<name of the file>-rag)")
    ] = None,
    profile: Profile = None,
    k: Annotated[
        int | None,
        typer.Option(min=1, help="Score retrieval at the first K contexts. (default: all)"),
    ] = None,
    *,
    showing: Showing,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Judge retrieval-augmented answers claim by claim, against their contexts and a reference.

    The same command again resumes where the last one stopped.
    """
    from factreasoner.cli.rag_tables import print_lost_claims
    from factreasoner.settings import load_settings
    from factreasoner.tasks.rag.task import TASK

    if showing.explain:
        refuse_json(running)
    config = load_settings(profile, settings | {"k": k})
    job = Job(TASK, data, config, out or default_folder(data, TASK.name), running)
    beyond = "an answer's claims that no context bears out alone are asked about all contexts together"
    at_end = print_lost_claims if showing.explain else None
    raise typer.Exit(carry_out(job, dry_run=showing.dry_run, beyond=beyond, at_end=at_end))
