"""`factreasoner explain`: why the atoms of a finished run have their posteriors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import AsJson, RunDir, takes_flags
from factreasoner.report.console import Terminal, label_cell, plain
from factreasoner.report.terminal import say, say_json

if TYPE_CHECKING:
    from factreasoner.errors import InputProblem
    from factreasoner.explanations import AtomExplanation, Dispute, Effect, Evidence, Explanation
    from factreasoner.models import Assessment
    from factreasoner.tasks.rows import ClaimRow

SHOWN = 3
"""Contexts named of each kind in the table."""
PASSAGE_LENGTH = 300


@takes_flags("Graph")
def explain(
    run_dir: RunDir,
    record: Annotated[str | None, typer.Option(help="Only the record of this id.")] = None,
    atom: Annotated[list[str] | None, typer.Option(help="Only this atom, in full; repeatable.")] = None,
    flip_size: Annotated[
        int,
        typer.Option(
            min=0,
            show_default=False,
            help="Try all sets of up to this many contexts for one that flips a label; 0: no search. "
            "(default: 3)",
        ),
    ] = 3,
    as_json: AsJson = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Say which contexts moved each atom, which would flip it, and where its evidence disagrees.

    "without c3: 0.88" says what P(true) would be if there were no context c3.

    Calls no model. Every other flag changes a setting of the run.
    """
    from factreasoner.analysis.explaining import explain_journal
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.factuality import TASK

    told: list[Explanation] = []
    problems: list[InputProblem] = []
    changes = {key: value for key, value in settings.items() if value is not None}
    for assessment, explanation, found in explain_journal(
        RunFolder(run_dir, TASK), changes, record=record, atom_ids=atom or (), search_size=flip_size
    ):
        problems += found
        if explanation is not None:
            told.append(explanation)
            if not as_json:
                _print_explanation(explanation, assessment, in_full=bool(atom))
    if as_json and (told or not problems):
        say_json([explanation.model_dump(mode="json") for explanation in told])
    elif not told and not problems:
        say("No atoms to explain.")
    for problem in problems:
        say(f"not explained: {problem}", err=True)
    raise typer.Exit(0 if not problems else 3 if told else 1)


def _print_explanation(explanation: Explanation, assessment: Assessment, *, in_full: bool) -> None:
    """One record: a table of its atoms, or each atom in sentences."""
    from factreasoner.tasks.factuality import atom_rows

    console = Terminal(soft_wrap=in_full)
    console.print(f"[bold]{plain(explanation.record_id)}[/bold]  [dim]{_how(explanation)}[/dim]")
    found = {row.claim: row for row in atom_rows(assessment)}
    rows = [
        (atom, found[atom.atom_id]._replace(label=atom.support), _quotes(atom, assessment))
        for atom in explanation.atoms
    ]
    if in_full:
        for atom, row, quotes in rows:
            console.sentence(_first_line(atom, row))
            for line in (*_sentences(atom), *_passages(atom, assessment, quotes)):
                console.sentence(line, indent=2)
    elif rows:
        cells = (
            (plain(atom.atom_id), f"{atom.p_true:.3f}", label_cell(row, {}), "\n".join(_lines(atom, quotes)))
            for atom, row, quotes in rows
        )
        console.columns(("atom", "P(true)", "", "why"), cells)
    if not in_full and (outcome := assessment.outcome):
        for words, ids in (("not judged", outcome.unjudged), ("judged in part", outcome.partly_judged)):
            if ids:
                console.print(f"[dim]{words}: {_listed(ids)}[/dim]")
    console.print()


def _how(explanation: Explanation) -> str:
    told = [plain(explanation.solver)]
    if explanation.stderr is not None:
        told.append(f"standard error {explanation.stderr:.2g}")
    elif not explanation.exact:
        told.append("approximate")
    if explanation.converged is False:
        told.append("not converged")
    if explanation.calibrated:
        told.append("calibrated")
    return ", ".join(told)


def _lines(atom: AtomExplanation, quotes: Mapping[str, str]) -> Iterator[str]:
    """An atom in the table: its text, the quote for its label, what moves it and what flips it."""
    if atom.text:
        yield f"[dim]{plain(atom.text)}[/dim]"
    against = atom.support in ("contradicted", "conflicting")
    for item in (atom.contradicting if against else atom.entailing)[:1]:
        if quote := quotes.get(item.context_id):
            yield f'{plain(item.context_id)}: "{plain(quote, PASSAGE_LENGTH)}"'
    if atom.belief:
        yield _believed(atom)
    if effects := _visible_effects(atom):
        shown = (f"{plain(e.context_id)}: {e.p_without:.3f}{_taking_over(e)}" for e in effects)
        yield f"without {_first(list(shown))}"
    if atom.untold:
        yield f"[yellow]{plain(atom.untold)}[/yellow]"
    if atom.flip is None:
        yield _no_flip(atom)
    else:
        least = "" if atom.flip.smallest else " (fewer may do)"
        then = f"{atom.flip.p_without:.3f} {atom.flip.support}"
        yield f"flips without {_listed(atom.flip.context_ids)}: {then}{least}"
    if atom.entailing and atom.contradicting:
        yield f"conflict: {_first(_named(atom.entailing))} against {_first(_named(atom.contradicting))}"
    if atom.disputes:
        yield f"conflict: {_first([_dispute(dispute) for dispute in atom.disputes])}"


def _first_line(atom: AtomExplanation, row: ClaimRow) -> str:
    label = label_cell(row, {}, between=", ")
    return f"{plain(atom.atom_id)}  {atom.p_true:.3f}  {label}  {plain(atom.text)}"


def _sentences(atom: AtomExplanation) -> Iterator[str]:
    """The same of an atom alone, with every context named."""
    if atom.belief:
        yield _believed(atom)
    effects = _visible_effects(atom)
    for effect in effects:
        yield (
            f"without {plain(effect.context_id)}, P({plain(atom.atom_id)}) would be {effect.p_without:.3f}, "
            f"not {atom.p_true:.3f}{_taking_over(effect)}"
        )
    if atom.untold:
        yield f"[yellow]{plain(atom.untold)}[/yellow]"
    if atom.tried and not effects:
        yield f"none of {atom.tried} contexts moved it alone"
    if atom.tried < atom.connected:
        yield f"[dim]{atom.tried} of {atom.connected} connected contexts were left out in turn[/dim]"
    yield _flip_sentence(atom)
    if atom.entailing:
        yield f"for it: {', '.join(_named(atom.entailing))}"
    if atom.contradicting:
        yield f"against it: {', '.join(_named(atom.contradicting))}"
    yield from map(_dispute, atom.disputes)


def _passages(atom: AtomExplanation, assessment: Assessment, quotes: Mapping[str, str]) -> Iterator[str]:
    """What the contexts say that are the atom's own evidence (the judge's quote; a passage's first words
    where it gave none), and for which others they stand."""
    contexts = {context.id: context for context in assessment.contexts}
    outcome = assessment.outcome
    sources = outcome.independence.sources if outcome and outcome.independence else ()
    others = {speaker: members for speaker, *members in sources}
    origin = outcome.prior_from or {} if outcome else {}
    nodes = outcome.graph.nodes if outcome and outcome.graph else ()
    priors = {node.id: node.prior for node in nodes if node.id in origin}
    own = dict.fromkeys(item.context_id for item in (*atom.entailing, *atom.contradicting))
    for context in (contexts[i] for i in own if i in contexts):
        name = plain(context.id)
        if context.id in others:
            name += f" (also for {_listed(others[context.id])})"
        if context.id in priors:
            name += f" (prior {priors[context.id]:.2f}, {origin[context.id]})"
        title = f"{plain(context.title, PASSAGE_LENGTH)}: " if context.title else ""
        quote = quotes.get(context.id)
        said = f'"{plain(quote)}"' if quote else plain(context.text, PASSAGE_LENGTH)
        yield f"[dim]{name}: {title}{said}[/dim]"


def _visible_effects(atom: AtomExplanation) -> list[Effect]:
    """The effects that are large enough to change P in the three digits that are printed."""
    return [effect for effect in atom.effects if f"{effect.p_without:.3f}" != f"{atom.p_true:.3f}"]


def _taking_over(effect: Effect) -> str:
    """What counts in place of the context's own guess, where that is the atom's prior."""
    then = effect.next_prior
    if then is None:
        return ""
    if then.context_id is None:
        return f" (the prior, {then.p_true:.2f}, replacing its guess)"
    return f" (the guess of {plain(then.context_id)}, {then.p_true:.2f}, replacing its own)"


def _quotes(atom: AtomExplanation, assessment: Assessment) -> dict[str, str]:
    """What the judge quoted from each context on that atom."""
    verdicts = assessment.outcome.verdicts if assessment.outcome else ()
    return {v.context_id: v.quote for v in verdicts if v.target_id == atom.atom_id and v.quote}


def _believed(atom: AtomExplanation) -> str:
    belief = atom.belief
    assert belief is not None, "asked only of atoms with a belief"
    nearest = f"guess of the nearest passage, {plain(belief.context_id)}: {belief.p_true:.2f}"
    return nearest if atom.entailing or atom.contradicting else f"no passage says so; {nearest}"


def _flip_sentence(atom: AtomExplanation) -> str:
    flip = atom.flip
    if flip is None:
        return _no_flip(atom)
    least = "no smaller set flips it" if flip.smallest else "a smaller set may flip it too"
    alone = "" if len(flip.context_ids) == 1 else f"; {least}"
    return (
        f"flips: without {_listed(flip.context_ids)} it would be {flip.support} ({flip.p_without:.3f}){alone}"
    )


def _no_flip(atom: AtomExplanation) -> str:
    if not atom.connected:
        return "no context is connected to it"
    if not atom.searched:
        return "not searched for what flips it"
    if atom.searched >= atom.connected:
        return "nothing flips it"
    if atom.searched == 1:
        return f"no single one of {atom.tried} contexts flips it"
    return f"no {atom.searched} of {atom.tried} contexts flip it"


def _first(items: Sequence[str]) -> str:
    rest = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + rest


def _named(evidence: Sequence[Evidence]) -> list[str]:
    return [f"{plain(item.context_id)} ({item.probability:.2f})" for item in evidence]


def _dispute(dispute: Dispute) -> str:
    return f"{plain(dispute.source)} contradicts {plain(dispute.target)} ({dispute.probability:.2f})"


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(map(plain, ids))
