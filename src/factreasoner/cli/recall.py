"""`factreasoner recall`: which of the facts an answer should state it states."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import RunOptions, Target, takes_flags
from factreasoner.cli.running import Job, carry_out, refuse_json

UNUSED = (
    *("assessor", "version", "atomizer", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma"),
)
"""Settings of these panels that mean nothing here."""


@takes_flags("Assessor", "Verifier", "Model", "Judging", "Calibration", "Scores", without=UNUSED)
def recall(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records, JSONL, one a line, with 'facts' or a 'reference'; - for standard input.",
        ),
    ],
    explain: Annotated[
        bool, typer.Option("--explain", help="List the facts that answers do not state.")
    ] = False,
    *,
    target: Target,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Judge which facts each answer states: those the record brings, or those made from its reference.

    The same command again resumes where the last one stopped.
    """
    from factreasoner.tasks.recall import TASK

    if explain:
        refuse_json(running)
    job = Job.of(TASK, data, target, running, settings)
    at_end = _print_missed_facts if explain else None
    raise typer.Exit(carry_out(job, dry_run=target.dry_run, at_end=at_end))


def _print_missed_facts(folder: Path, ids: Iterable[str]) -> None:
    """The facts that answers do not state, and those that stayed unanswered, record by record."""
    from factreasoner.cli.claim_tables import print_rows
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.recall import TASK

    results = RunFolder(folder, TASK).results(ids)
    rows = (row for result in results for row in TASK.rows(result) if row.label != "supported")
    print_rows(rows, TASK)
