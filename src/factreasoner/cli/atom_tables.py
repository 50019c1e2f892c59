"""Atoms with their evidence in words: of one response, and the worst of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from factreasoner.cli.terminal import Terminal, plain
from factreasoner.graph.beliefs import beliefs
from factreasoner.models import Assessment, Atom, Context, Outcome
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK

STYLES = {"supported": "green", "contradicted": "red", "undecided": "yellow", "unverified": "blue"}
QUOTE_LENGTH = 90


def atom_row(atom: Atom, assessment: Assessment) -> tuple[str, str, str, str]:
    """P, label, text and evidence of an atom."""
    outcome = assessment.outcome
    if outcome is None or atom.id not in outcome.p_true:
        return "", "[red]not judged[/red]", plain(atom.text), ""
    support = outcome.support[atom.id]
    reason = next((answer.reasoning for answer in outcome.answers if answer.atom_id == atom.id), "")
    return (
        f"{outcome.p_true[atom.id]:.3f}",
        f"[{STYLES[support]}]{support}[/]",
        plain(atom.text) + _unresolved(atom),
        plain(_evidence(outcome, atom.id, assessment.contexts) or _short(reason)),
    )


def print_worst_atoms(summary: Mapping[str, Any], folder: Path) -> None:
    """The least likely atoms of a run that are not supported, each with what decided on it."""
    worst = summary["worst_atoms"]
    if not worst:
        return
    run = RunFolder(folder, TASK)
    run.read_journal()
    console = Terminal(highlight=False)
    table = Table("P(true)", Column(no_wrap=True), "least likely atoms", box=None, pad_edge=False)
    for item in worst:
        (assessment,) = run.results([item["record"]])
        atom = next(atom for atom in assessment.atoms if atom.id == item["atom"])
        p_true, label, text, evidence = atom_row(atom, assessment)
        place = f"[dim]{plain(item['record'])}:[/dim] " if summary["records"]["total"] > 1 else ""
        said = f"\n[dim]{evidence}[/dim]" if evidence else ""
        table.add_row(p_true, label, f"{place}{text}{said}")
    console.print(table)
    console.print()


def _unresolved(atom: Atom) -> str:
    return f" [yellow](unresolved: {plain(', '.join(atom.unresolved))})[/yellow]" if atom.unresolved else ""


def _evidence(outcome: Outcome, atom_id: str, contexts: tuple[Context, ...]) -> str:
    """The strongest verdict for an atom's label; else what is known where nothing decides it."""
    wanted = "contradiction" if outcome.support[atom_id] == "contradicted" else "entailment"
    own = [verdict for verdict in outcome.verdicts if verdict.target_id == atom_id]
    fitting = [verdict for verdict in own if verdict.label == wanted]
    source = {context.id: _source(context) for context in contexts}
    if fitting:
        best = max(fitting, key=lambda verdict: verdict.probability)
        quote = _short(best.quote or "")
        return f'{source[best.context_id]}: "{quote}"' if quote else source[best.context_id]
    if nearest := beliefs(own, {atom_id}).get(atom_id):
        return f"nothing decides it; nearest passage {source[nearest[0].context_id]}: {nearest[0].p_true:.2f}"
    return next((f"{source[verdict.context_id]}: {verdict.note}" for verdict in own if verdict.note), "")


def _source(context: Context) -> str:
    """How a passage is named: by its id, and its title or link."""
    name = context.title or context.link
    return f"{context.id} ({_short(name)})" if name else context.id


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTE_LENGTH else f"{line[:QUOTE_LENGTH].rsplit(' ', 1)[0]} …"
