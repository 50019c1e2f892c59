"""`factreasoner rag`: where a system that answers from retrieved contexts loses or invents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import argument, flag
from factreasoner.cli.running import Running
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


class Rag(Running, panels=PANELS, without=UNUSED):
    """Judge retrieval-augmented answers claim by claim, against their contexts and a reference.

    The same command again resumes where the last one stopped.
    """

    data: Path = argument(
        "DATA", "Records, JSONL, one a line, with 'contexts' or a 'reference'; - for standard input."
    )
    first: int | None = flag("Score retrieval at the first K contexts. (default: all)", "--k", min=1)
    explain: bool = flag("List what was lost or invented, claim by claim.")

    def _execute(self) -> int:
        from factreasoner.tasks.rag.task import TASK

        if self.explain:
            self.refuse_json()
        self.settings["k"] = self.first
        beyond = "an answer's claims that no single context supports are asked about all contexts together"
        return self.carry_out(TASK, self.data, beyond)

    def at_end(self, results: Iterable[Any]) -> None:
        """List claims of answers that nothing supports, and of references that answers do not state."""
        from factreasoner.tasks.rag.result import lines_of

        console = Terminal()
        for result in results if self.explain else ():
            said, wanted = lines_of(result)
            contexts = [context.id for context in result.contexts or ()]
            found = [("answer", _said(line, contexts), line) for line in said]
            found += [("reference", _wanted(line, contexts), line) for line in wanted]
            if rows := [(of, what, plain(line.claim.text)) for of, what, line in found if what]:
                console.print(f"\n{plain(result.record_id)}")
                console.columns(("claim of", "", "claim"), rows)


def _said(line: ClaimLine, contexts: Sequence[str]) -> str:
    """What is wrong with a claim of the answer, in words; empty: nothing."""
    retrieved = _by_contexts(line, contexts)
    if retrieved not in ("", FAILED) and line.other is not None and line.other.holds:
        return f"{retrieved}, but the reference has it"
    other = _by_other(line, "contradicted by the reference", "not in the reference")
    return "; ".join(dict.fromkeys(filter(None, (retrieved, other))))


def _wanted(line: ClaimLine, contexts: Sequence[str]) -> str:
    """How a claim of the reference is missing in the answer, in words; empty: it is not."""
    stated = _by_other(line, "contradicted by the answer", "not stated")
    if not stated or line.contexts is None:
        return stated
    ids = _holding(line.contexts, contexts)
    retrieved = f"in {ids}" if ids else _missing(line.contexts)
    return "; ".join(dict.fromkeys((stated, retrieved)))


def _by_contexts(line: ClaimLine, contexts: Sequence[str]) -> str:
    if line.contexts is None or line.contradicted is None:
        return ""
    against = _holding(line.contradicted, contexts)
    return f"contradicted by {against}" if against else _missing(line.contexts)


def _by_other(line: ClaimLine, denied: str, unsaid: str) -> str:
    if line.other is None or line.other.holds:
        return ""
    if line.other.holds is None:
        return FAILED
    return denied if line.other_contradicts and line.other_contradicts.holds else unsaid


def _missing(contexts: ContextEvidence) -> str:
    return {None: FAILED, True: "", False: "found in no context"}[contexts.any.holds]


def _holding(evidence: ContextEvidence, contexts: Sequence[str]) -> str:
    """The contexts that do it each alone, or all where a judge of all together named none."""
    ids = ", ".join(i for i, event in zip(contexts, evidence.each, strict=True) if event.holds)
    return plain(ids) or "the contexts" * (evidence.any.holds is True)
