"""`factreasoner rag`: where a system that answers from retrieved contexts loses or invents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import RunOptions, Target, takes_flags
from factreasoner.cli.running import Job, carry_out, refuse_json
from factreasoner.report.console import Terminal, plain

if TYPE_CHECKING:
    from factreasoner.tasks.rows import ClaimRow

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma", "uncited", "rounds"),
)
"""Settings of these panels that mean nothing here, or something of their own."""
RETRIEVED = ("reference", "contexts")
"""A reference's claims are held against contexts as well; one that the answer states is not lost."""
PLACES = {"answer": "the answer", "reference": "the reference", "contexts": "the contexts"}
NOT_FOUND = {"answer": "not stated", "reference": "not in the reference", "contexts": "in no context"}
"""By what a claim is held against."""


@takes_flags(*PANELS, without=UNUSED)
def rag(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records, JSONL, one a line, with 'contexts' or a 'reference'; - for standard input.",
        ),
    ],
    k: Annotated[
        int | None, typer.Option(min=1, help="Score retrieval at the first K contexts. (default: all)")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="List what was lost or invented, claim by claim.")
    ] = False,
    *,
    target: Target,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Judge retrieval-augmented answers claim by claim, against their contexts and a reference.

    The same command again resumes where the last one stopped.
    """
    from factreasoner.tasks.rag.task import TASK

    if explain:
        refuse_json(running)
    job = Job.of(TASK, data, target, running, settings | {"k": k})
    beyond = "an answer's claims that no single context supports are asked about all contexts together"
    at_end = _print_lost_claims if explain else None
    raise typer.Exit(carry_out(job, dry_run=target.dry_run, beyond=beyond, at_end=at_end))


def _print_lost_claims(folder: Path, ids: Iterable[str]) -> None:
    """Claims of answers that nothing supports, and claims of references that answers do not state."""
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.rag.task import TASK

    console = Terminal()
    for result in RunFolder(folder, TASK).results(ids):
        claims: dict[tuple[str, str], list[ClaimRow]] = {}
        for row in TASK.rows(result):
            claims.setdefault((row.of, row.claim), []).append(row)
        rows = [
            (of, plain("; ".join(dict.fromkeys(map(_found, held)))), plain(held[0].text))
            for (of, _), held in claims.items()
            if any(row.label != "supported" for row in held if (of, row.against) != RETRIEVED)
        ]
        if rows:
            console.print(f"\n{plain(result.record_id)}")
            console.columns(("claim of", "", "claim"), rows)


def _found(row: ClaimRow) -> str:
    """What became of a claim where it was looked for, in words."""
    place = PLACES.get(str(row.context), row.context)
    if row.label is None:
        return "a verdict failed"
    if row.label == "supported":
        return f"in {place}"
    return f"contradicted by {place}" if row.label == "contradicted" else NOT_FOUND[row.against]
