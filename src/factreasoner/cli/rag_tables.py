"""What `rag --explain` lists: claims that answers invent or lose, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from factreasoner.report.console import Terminal, plain
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.rag.result import ClaimLine, lines_of
from factreasoner.tasks.rag.task import TASK

Row = tuple[str, str, str]
FAILED = "[red]a verdict failed[/red]"


def print_lost_claims(folder: Path, ids: Iterable[str]) -> None:
    """Claims of answers that nothing bears out, and claims of references that answers do not state."""
    console = Terminal(highlight=False)
    for result in RunFolder(folder, TASK).results(ids):
        said, wanted = lines_of(result)
        contexts = [context.id for context in result.contexts or ()]
        found = [*(_said(line, contexts) for line in said), *(_wanted(line, contexts) for line in wanted)]
        if rows := [row for row in found if row is not None]:
            console.print(f"\n{plain(result.record_id)}")
            console.columns(
                ("claim of", "", "claim"), [(whose, what, plain(text)) for whose, what, text in rows]
            )


def _said(line: ClaimLine, contexts: list[str]) -> Row | None:
    """A claim of the answer that something is wrong with, in words."""
    retrieved, reference = _by_contexts(line, contexts), _by_reference(line)
    words = "; ".join(dict.fromkeys(filter(None, (retrieved, reference))))
    if retrieved and retrieved != FAILED and line.other is not None and line.other.holds:
        words = f"{retrieved}, but the reference has it"
    return ("answer", words, line.claim.text) if words else None


def _by_contexts(line: ClaimLine, contexts: list[str]) -> str:
    """What is wrong with a claim of the answer as the contexts have it; empty: nothing."""
    if line.contexts is None or line.denied is None:
        return ""
    against = [i for i, event in zip(contexts, line.denied.each, strict=True) if event.holds]
    if against:
        return f"contradicted by {plain(', '.join(against))}"
    if line.contexts.any.holds is None:
        return FAILED
    return "" if line.contexts.any.holds else "in no context"


def _by_reference(line: ClaimLine) -> str:
    if line.other is None or line.other.holds:
        return ""
    if line.other.holds is None:
        return FAILED
    return "contradicted by the reference" if _denied(line) else "not in the reference"


def _denied(line: ClaimLine) -> bool:
    """Whether the other text contradicts the claim."""
    return line.other_denies is not None and line.other_denies.holds is True


def _wanted(line: ClaimLine, contexts: list[str]) -> Row | None:
    """A claim of the reference that the answer does not state, in words."""
    if line.other is None or line.other.holds is True:
        return None
    if line.other.holds is None:
        return "reference", FAILED, line.claim.text
    stated = "contradicted by the answer" if _denied(line) else "not stated"
    if line.contexts is None:
        return "reference", stated, line.claim.text
    ids = [i for i, event in zip(contexts, line.contexts.each, strict=True) if event.holds]
    where = f"in {plain(', '.join(ids))}" if ids else "in no context"
    return "reference", f"{stated}; {where}", line.claim.text
