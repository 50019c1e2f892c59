"""What a person reads of one verified text: its claims with labels and quotes, then what was changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.markup import escape
from rich.table import Column, Table

from factreasoner.cli.advice import judging_notice
from factreasoner.cli.claim_tables import label_cell
from factreasoner.report.console import Terminal, plain
from factreasoner.settings import Config
from factreasoner.tasks.labels import nothing_in
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.verify.result import Scores, VerifiedClaim, VerifyResult, scored_verify, verified_rows

QUOTE_LENGTH = 160


def print_verified(result: VerifyResult, config: Config, out: Path | None) -> None:
    """Claims in the order of the text, the changes as a diff, and the scores before and after."""
    console = Terminal(highlight=False)
    if result.claims:
        rows = map(_row, result.claims, verified_rows(result))
        console.columns(("P", Column("", no_wrap=True), "claim", "cites", "why"), rows)
    elif not result.failures:
        console.print(f"No claims: {nothing_in(result.response)}.")
    for change in result.changes:
        console.print()
        for why in change.why:
            console.print(f"[dim]{plain(why)}[/dim]")
        sides = Table.grid(padding=(0, 1))
        sides.add_row("[red]-[/red]", f"[red]{plain(change.before)}[/red]")
        if change.after:
            sides.add_row("[green]+[/green]", f"[green]{plain(change.after)}[/green]")
        console.print(sides)
    for line in _closing(result):
        console.print(line)
    for failure in result.failures:
        console.failed(f"failed {failure.stage} {failure.item_id}: {failure.message}")
    if out is not None and result.corrected is not None:
        told = f"{escape(str(out))}: the text{' as corrected' if result.changes else ', unchanged'}"
        console.print(f"[dim]{told}[/dim]", soft_wrap=True)
    console.print(f"[dim]{escape(judging_notice(config))}[/dim]")


def _row(claim: VerifiedClaim, row: ClaimRow) -> tuple[str, ...]:
    fate = "" if claim.fate == "kept" else f", {claim.fate}"
    cites = [f"[{name}]" for name in claim.cited] + [f"[{name}]?" for name in claim.unknown]
    why = claim.explanation
    if claim.quote and " ".join(claim.quote.split()) not in why:
        why = f"{why} “{claim.quote}”"
    if claim.by == "paragraph":
        why = f"{why} (by the marker that closes its paragraph)"
    return (
        "" if claim.p is None else f"{claim.p:.3f}",
        label_cell(row, {}) + fate,
        plain(claim.text),
        escape(" ".join(cites)),
        plain(why, QUOTE_LENGTH),
    )


def _closing(result: VerifyResult) -> Iterator[str]:
    scored = scored_verify(result)
    if result.claims:
        yield ""
        yield f"citation recall, precision, uncited: {_scores(scored.before)}"
        if result.changes:
            yield f"as corrected:                        {_scores(scored.after)}"
        if any(claim.fate == "flagged" for claim in result.claims):
            yield "Flagged claims stay in the text; see why above."
    for note in result.verified.notes if result.verified else ():
        yield f"[yellow]note[/yellow] {plain(note)}"


def _scores(scores: Scores) -> str:
    return ", ".join("-" if value is None else f"{value:.3f}" for value in scores)
