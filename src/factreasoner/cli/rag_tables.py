"""What a person reads at the end of `rag`: metrics, where the loss is, and what was lost claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from factreasoner.cli.claim_tables import print_claims
from factreasoner.report.console import Terminal, plain
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.rag.evidence import ClaimLine, lines_of
from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.task import TASK

Row = tuple[str, str, str]
FAILED = "[red]a verdict failed[/red]"


def print_rag(summary: Mapping[str, Any], config: Config, folder: Path) -> None:
    """The short table at the end of a run, and where the loss is."""
    print_claims(TASK)(summary, config, folder)
    values = {name: found["value"] for name, found in summary["metrics"].items()}
    records = {name: found["records"] for name, found in summary["metrics"].items()}
    console = Terminal(highlight=False)
    if isinstance(config.k, int) and values["retrieval_recall"] is not None:
        console.print(f"Retrieval precision and recall are of the first {config.k} contexts (--k).")
    for sentence in losses(values, records):
        console.print(plain(sentence))


def print_lost_claims(folder: Path, ids: Iterable[str]) -> None:
    """Claims of answers that nothing bears out, and claims of references that answers do not state."""
    run = RunFolder(folder, TASK)
    console = Terminal(highlight=False)
    for result in run.results(ids):
        said, wanted = lines_of(result)
        ids_of = [context.id for context in result.contexts or ()]
        rows = [row for line in said if (row := _said(line, ids_of))]
        rows += [row for line in wanted if (row := _wanted(line, ids_of))]
        if rows:
            console.print(f"\n{plain(result.record_id)}")
            table = Table("claim of", "", "claim", box=None, pad_edge=False)
            for whose, what, text in rows:
                table.add_row(whose, what, plain(text))
            console.print(table)


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
