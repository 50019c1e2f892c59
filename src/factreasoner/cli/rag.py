"""`factreasoner rag`: where a system that answers from retrieved contexts loses or invents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import RunOptions, Target, takes_flags
from factreasoner.cli.running import Job, carry_out, refuse_json
from factreasoner.report.console import Terminal, plain

if TYPE_CHECKING:
    from factreasoner.tasks.rag.result import ClaimLine, ContextEvidence

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("calls", "premise_tokens", "audit_share", "k", "gamma", "uncited", "rounds"),
)
"""Settings of these panels that mean nothing here, or something of their own."""
FAILED = "[red]a verdict failed[/red]"


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
    from factreasoner.tasks.rag.result import lines_of
    from factreasoner.tasks.rag.task import TASK

    console = Terminal()
    for result in RunFolder(folder, TASK).results(ids):
        said, wanted = lines_of(result)
        contexts = [context.id for context in result.contexts or ()]
        found = [("answer", _said(line, contexts), line) for line in said]
        found += [("reference", _wanted(line, contexts), line) for line in wanted]
        if rows := [(whose, what, plain(line.claim.text)) for whose, what, line in found if what]:
            console.print(f"\n{plain(result.record_id)}")
            console.columns(("claim of", "", "claim"), rows)


def _said(line: ClaimLine, contexts: Sequence[str]) -> str:
    """What is wrong with a claim of the answer, in words; empty: nothing."""
    retrieved, reference = _by_contexts(line, contexts), _by_reference(line)
    if retrieved not in ("", FAILED) and line.other is not None and line.other.holds:
        return f"{retrieved}, but the reference has it"
    return "; ".join(dict.fromkeys(filter(None, (retrieved, reference))))


def _by_contexts(line: ClaimLine, contexts: Sequence[str]) -> str:
    if line.contexts is None or line.contradicted is None:
        return ""
    if against := _holding(line.contradicted, contexts):
        return f"contradicted by {against}"
    return {None: FAILED, True: "", False: "in no context"}[line.contexts.any.holds]


def _by_reference(line: ClaimLine) -> str:
    if line.other is None or line.other.holds:
        return ""
    if line.other.holds is None:
        return FAILED
    return "contradicted by the reference" if _denied(line) else "not in the reference"


def _wanted(line: ClaimLine, contexts: Sequence[str]) -> str:
    """How a claim of the reference is missing in the answer, in words; empty: it is not."""
    if line.other is None or line.other.holds:
        return ""
    if line.other.holds is None:
        return FAILED
    stated = "contradicted by the answer" if _denied(line) else "not stated"
    if line.contexts is None:
        return stated
    ids = _holding(line.contexts, contexts)
    return f"{stated}; {f'in {ids}' if ids else 'in no context'}"


def _denied(line: ClaimLine) -> bool:
    """Whether the other text contradicts the claim."""
    return line.other_contradicts is not None and line.other_contradicts.holds is True


def _holding(evidence: ContextEvidence, contexts: Sequence[str]) -> str:
    """The contexts that do it each alone."""
    return plain(", ".join(i for i, event in zip(contexts, evidence.each, strict=True) if event.holds))
