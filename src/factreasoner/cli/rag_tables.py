"""What a person reads at the end of `rag`: metrics, where the loss is, and what was lost claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from factreasoner.cli.claim_tables import print_claims
from factreasoner.cli.console import Terminal, plain
from factreasoner.config import Config
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.rag.claim_lines import ClaimLine, lines_of
from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.task import TASK

Row = tuple[str, str, str]


def print_rag(summary: Mapping[str, Any], config: Config, folder: Path) -> None:
    """The short table at the end of a run, and where the loss is."""
    print_claims(TASK)(summary, config, folder)
    values = {name: found["value"] for name, found in summary["metrics"].items()}
    console = Terminal(highlight=False)
    for sentence in losses(values):
        console.print(plain(sentence))


def print_lost_claims(folder: Path, ids: Iterable[str]) -> None:
    """Claims of answers that nothing bears out, and claims of references that answers do not state."""
    run = RunFolder(folder, TASK)
    run.read_journal()
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
    found = line.contexts.any.holds if line.contexts else None
    right = line.other.holds if line.other else None
    words = list(_against(line, contexts))
    if (line.contexts and found is None) or (line.other and right is None):
        words.append("[red]a verdict failed[/red]")
    elif found is False and right is not True:
        silent = line.other is not None and not _denied(line)
        words.append("in no context, not in the reference" if silent else "in no context")
    elif found is False:
        words.append("in no context; the reference has it")
    elif right is False and not _denied(line):
        words.append("not in the reference")
    return ("answer", "; ".join(words), line.claim.text) if words else None


def _against(line: ClaimLine, contexts: list[str]) -> Iterator[str]:
    if line.denied is not None:
        ids = [i for i, event in zip(contexts, line.denied.each, strict=True) if event.holds]
        if ids:
            yield f"contradicted by {plain(', '.join(ids))}"
    if _denied(line):
        yield "contradicted by the reference"


def _denied(line: ClaimLine) -> bool:
    """Whether the other text contradicts the claim."""
    return line.other_denies is not None and line.other_denies.holds is True


def _wanted(line: ClaimLine, contexts: list[str]) -> Row | None:
    """A claim of the reference that the answer does not state, in words."""
    if line.other is None or line.other.holds is True:
        return None
    if line.other.holds is None:
        return "reference", "[red]a verdict failed[/red]", line.claim.text
    stated = "contradicted by the answer" if _denied(line) else "not stated"
    if line.contexts is None:
        return "reference", stated, line.claim.text
    ids = [i for i, event in zip(contexts, line.contexts.each, strict=True) if event.holds]
    where = f"in {plain(', '.join(ids))}" if ids else "in no context"
    return "reference", f"{stated}; {where}", line.claim.text
