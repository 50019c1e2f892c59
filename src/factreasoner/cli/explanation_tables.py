"""What a person reads of an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from factreasoner.cli.plain import plain
from factreasoner.cli.tables import STYLES
from factreasoner.explanations import AtomExplanation, Dispute, Effect, Evidence, Explanation
from factreasoner.models import Assessment

EFFECTS_SHOWN = 3
ATOM_WIDTH = 24
TEXT_LENGTH = 60
PASSAGE_LENGTH = 100


def print_explanation(explanation: Explanation, assessment: Assessment, *, in_full: bool) -> None:
    """One record: a table of its atoms, or each atom in sentences."""
    console = Console(soft_wrap=in_full, highlight=False)
    console.print(f"[bold]{plain(explanation.record_id)}[/bold]  [dim]{_how(explanation)}[/dim]")
    if in_full:
        for atom in explanation.atoms:
            for line in (*_sentences(atom), *_passages(atom, assessment)):
                console.print(line)
    else:
        table = Table(box=None, pad_edge=False)
        table.add_column("atom", min_width=ATOM_WIDTH)
        for name in ("P(true)", "", "without", "flips without", "conflict"):
            table.add_column(name)
        for atom in explanation.atoms:
            table.add_row(*_row(atom))
        console.print(table)
    unjudged = assessment.outcome.unjudged if assessment.outcome else ()
    if unjudged and not in_full:
        console.print(f"[dim]not judged: {_listed(unjudged)}[/dim]")
    console.print()


def _how(explanation: Explanation) -> str:
    name = plain(explanation.solver)
    if explanation.exact:
        return name
    if explanation.stderr is None:
        return f"{name}, approximate"
    return f"{name}, standard error {explanation.stderr:.2g}"


def _row(atom: AtomExplanation) -> tuple[str, ...]:
    text = plain(atom.text, TEXT_LENGTH)
    return (
        f"{plain(atom.atom_id)}\n[dim]{text}[/dim]" if text else plain(atom.atom_id),
        f"{atom.p_true:.3f}",
        f"[{STYLES[atom.support]}]{atom.support}[/]",
        "\n".join(_effect_lines(atom.effects)),
        _flip(atom),
        "\n".join(_conflict_lines(atom)),
    )


def _effect_lines(effects: Sequence[Effect]) -> Iterator[str]:
    for effect in effects[:EFFECTS_SHOWN]:
        yield f"{plain(effect.context_id)}: {effect.p_without:.3f}"
    if len(effects) > EFFECTS_SHOWN:
        yield f"[dim]{len(effects) - EFFECTS_SHOWN} more moved it[/dim]"


def _flip(atom: AtomExplanation) -> str:
    flip = atom.flip
    if flip is None:
        return f"[dim]{_no_flip(atom)}[/dim]"
    least = "" if flip.smallest else "\n[dim]fewer may do[/dim]"
    return f"{_listed(flip.context_ids)}: {flip.p_without:.3f}{least}"


def _no_flip(atom: AtomExplanation) -> str:
    if not atom.connected:
        return "no context bears on it"
    if not atom.searched:
        return "not searched"
    if atom.searched >= atom.connected:
        return "nothing flips it"
    return f"no {atom.searched} of {atom.tried}" if atom.searched > 1 else f"no single one of {atom.tried}"


def _conflict_lines(atom: AtomExplanation) -> Iterator[str]:
    if atom.entailing and atom.contradicting:
        yield f"{_named(atom.entailing)} against {_named(atom.contradicting)}"
    for dispute in atom.disputes:
        yield _dispute(dispute)


def _sentences(atom: AtomExplanation) -> Iterator[str]:
    name = plain(atom.atom_id)
    yield f"{name}  {atom.p_true:.3f}  [{STYLES[atom.support]}]{atom.support}[/]  {plain(atom.text)}"
    for effect in atom.effects:
        yield (
            f"  without {plain(effect.context_id)}, P({name}) would be {effect.p_without:.3f}, "
            f"not {atom.p_true:.3f}"
        )
    if atom.connected and not atom.effects:
        yield f"  none of {atom.tried} contexts moved it alone"
    if atom.tried < atom.connected:
        yield f"  [dim]{atom.tried} of {atom.connected} connected contexts were left out[/dim]"
    yield f"  {_flip_sentence(atom)}"
    if atom.entailing:
        yield f"  for it: {_named(atom.entailing)}"
    if atom.contradicting:
        yield f"  against it: {_named(atom.contradicting)}"
    for dispute in atom.disputes:
        yield f"  {_dispute(dispute)}"


def _passages(atom: AtomExplanation, assessment: Assessment) -> Iterator[str]:
    """What the contexts say that are the atom's own evidence, and for which others they stand."""
    contexts = {context.id: context for context in assessment.contexts}
    outcome = assessment.outcome
    sources = outcome.independence.sources if outcome and outcome.independence else ()
    others = {speaker: members for speaker, *members in sources}
    own = dict.fromkeys(item.context_id for item in (*atom.entailing, *atom.contradicting))
    for context in (contexts[i] for i in own if i in contexts):
        name = plain(context.id)
        if context.id in others:
            name += f" (also for {_listed(others[context.id])})"
        title = f"{plain(context.title, PASSAGE_LENGTH)}: " if context.title else ""
        yield f"  [dim]{name}: {title}{plain(context.text, PASSAGE_LENGTH)}[/dim]"


def _flip_sentence(atom: AtomExplanation) -> str:
    flip = atom.flip
    if flip is None:
        return f"flips: {_no_flip(atom)}"
    least = "no smaller set flips it" if flip.smallest else "a smaller set may flip it too"
    alone = "" if len(flip.context_ids) == 1 else f"; {least}"
    return (
        f"flips: without {_listed(flip.context_ids)} it would be {flip.support} ({flip.p_without:.3f}){alone}"
    )


def _named(evidence: Sequence[Evidence]) -> str:
    return ", ".join(f"{plain(item.context_id)} ({item.probability:.2f})" for item in evidence)


def _dispute(dispute: Dispute) -> str:
    return f"{plain(dispute.source)} contradicts {plain(dispute.target)} ({dispute.probability:.2f})"


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(map(plain, ids))
