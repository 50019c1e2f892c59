"""`factreasoner explain`: why the atoms of a finished run have their posteriors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import AS_JSON, RUN_DIR, Command, flag
from factreasoner.errors import InputProblem
from factreasoner.models import Assessment, Verdict
from factreasoner.models.formatting import first_of
from factreasoner.models.rows import NEAREST
from factreasoner.report.console import Terminal, error_text, label_cell, plain
from factreasoner.report.terminal import print_json, print_text

if TYPE_CHECKING:
    from factreasoner.explanations.models import AtomExplanation, Explanation

SHOWN = 3
PASSAGE_LENGTH = 300


class ExplainCommand(Command, panels=("Graph",)):
    """Show which contexts moved each atom, and where its evidence disagrees.

    "without c3: 0.88" is P(true) without context c3.

    No model is called. Every other flag changes a setting of the run.
    """

    run_dir: Path = RUN_DIR
    record: str | None = flag("Only the record with this id.")
    atom: list[str] | None = flag("Only this atom, in full; repeatable.")
    as_json: bool = AS_JSON

    def _execute(self) -> int:
        from factreasoner.analysis.explaining import explain_journal
        from factreasoner.runs.finished import unfinished
        from factreasoner.runs.store import RunFolder
        from factreasoner.tasks.factuality import TASK

        message: list[Explanation] = []
        problems: list[InputProblem] = []
        chosen: dict[str, Any] = {"record": self.record, "atom_ids": self.atom or ()}
        folder = RunFolder(self.run_dir, TASK)
        found = explain_journal(folder, self.changes, **chosen)
        for assessment, explanation, unexplained in found:
            problems += unexplained
            if explanation is not None:
                message.append(explanation)
                if not self.as_json:
                    _print_explanation(explanation, assessment, in_full=bool(self.atom))
        if self.as_json and (message or not problems):
            print_json([explanation.model_dump(mode="json") for explanation in message])
        elif not message and not problems:
            print_text("No atoms to explain.")
        self._note(unfinished(folder, self.run_dir, len(folder.assessed())))
        for problem in problems:
            print_text(f"not explained: {problem}", err=True)
        return 0 if not problems else 3 if message else 1


def _print_explanation(explanation: Explanation, assessment: Assessment, *, in_full: bool) -> None:
    """One record: a table of its atoms, or each atom with all its contexts."""

    console = Terminal(soft_wrap=in_full)
    console.print(f"[bold]{plain(explanation.record_id)}[/bold]  [dim]{_how(explanation)}[/dim]")
    found = {row.claim: row for row in assessment.rows()}
    rows = []
    for atom in explanation.atoms:
        row = replace(found[atom.atom_id], label=atom.support)
        label = label_cell(row, {}, between=", " if in_full else "\n")
        head = (plain(atom.atom_id), f"{atom.p_true:.3f}", label)
        if in_full:
            console.sentence("  ".join((*head, plain(atom.text))), hanging=4)
            for line in (*_effect_lines(atom, None), *_passages(atom, assessment)):
                console.sentence(line, indent=2, hanging=4)
        else:
            text = [f"[dim]{plain(atom.text)}[/dim]"] if atom.text else []
            rows.append((*head, "\n".join((*text, *_quoted(atom, assessment), *_effect_lines(atom, SHOWN)))))
    if rows:
        console.columns(("atom", "P(true)", "", "why"), rows)
    if not in_full and (outcome := assessment.outcome):
        for words, ids in (("not judged", outcome.unjudged), ("judged in part", outcome.partly_judged)):
            if ids:
                console.print(f"[dim]{words}: {_listed(ids)}[/dim]")
    console.print()


def _how(explanation: Explanation) -> str:
    parts = [plain(explanation.solver)]
    if explanation.stderr is not None:
        parts.append(f"standard error {error_text(explanation.stderr)}")
    elif not explanation.exact:
        parts.append("approximate")
    if explanation.converged is False:
        parts.append("not converged")
    return ", ".join(parts)


def _effect_lines(atom: AtomExplanation, most: int | None) -> Iterator[str]:
    """The contexts that move an atom, and its conflicting evidence.

    At most `most` contexts of each kind are named.
    """
    # P is printed with three digits: a smaller effect would not be seen.
    effects = [effect for effect in atom.effects if f"{effect.p_without:.3f}" != f"{atom.p_true:.3f}"]
    if effects:
        shown = [f"{plain(e.context_id)}: {e.p_without:.3f}" for e in effects]
        rest = atom.tried - len(effects)
        others = f"; without any other of {atom.tried} contexts: no change" if rest and most is None else ""
        yield f"without {first_of(shown, most)}{others}"
    elif atom.tried and most is None:
        yield f"none of {atom.tried} contexts moved it alone"
    if atom.tried < atom.connected and most is None:
        yield f"[dim]{atom.tried} of {atom.connected} connected contexts were removed one by one[/dim]"
    if atom.not_computed:
        yield f"[yellow]{plain(atom.not_computed)}[/yellow]"
    if not atom.connected:
        yield "no context decides it"
    if atom.entailing and atom.contradicting:
        pro, con = (
            first_of([f"{plain(item.context_id)} ({item.probability:.2f})" for item in side], most)
            for side in (atom.entailing, atom.contradicting)
        )
        yield f"conflict: {pro} vs {con}"
    if atom.disputes:
        message = [
            f"{plain(d.source)} contradicts {plain(d.target)} ({d.probability:.2f})" for d in atom.disputes
        ]
        yield f"conflict: {first_of(message, most)}"


def _quoting(atom: AtomExplanation, assessment: Assessment) -> dict[str, Verdict]:
    """The verdicts on that atom with a quote, by context."""
    verdicts = assessment.outcome.verdicts if assessment.outcome else ()
    return {v.context_id: v for v in verdicts if v.target_id == atom.atom_id and v.quote}


def _quote(verdict: Verdict, longest: int | None = None) -> str:
    """A verdict's quote, and whether it is only the nearest sentence."""
    wording = f'"{plain(verdict.quote or "", longest)}"'
    return f"{NEAREST}: {wording}" if verdict.quote_by == "nearest" else wording


def _quoted(atom: AtomExplanation, assessment: Assessment) -> Iterator[str]:
    """The quote of the strongest context that agrees with the atom's label, if any."""
    against = atom.support in ("contradicted", "conflicting")
    for item in (atom.contradicting if against else atom.entailing)[:1]:
        if verdict := _quoting(atom, assessment).get(item.context_id):
            yield f"{plain(item.context_id)}: {_quote(verdict, PASSAGE_LENGTH)}"


def _passages(atom: AtomExplanation, assessment: Assessment) -> Iterator[str]:
    """The contexts for and against the atom, with the judge's quote or the first words."""
    contexts = {context.id: context for context in assessment.contexts}
    outcome, quoting = assessment.outcome, _quoting(atom, assessment)
    sources = outcome.independence.sources if outcome and outcome.independence else ()
    others = {speaker: members for speaker, *members in sources}
    origin = outcome.prior_from or {} if outcome else {}
    nodes = outcome.graph.nodes if outcome and outcome.graph else ()
    priors = {node.id: node.prior for node in nodes if node.id in origin}
    for side, evidence in (("for it", atom.entailing), ("against it", atom.contradicting)):
        for item in evidence:
            if (context := contexts.get(item.context_id)) is None:
                yield f"{side}: {plain(item.context_id)} ({item.probability:.2f})"
                continue
            about = [f"{item.probability:.2f}"]
            if context.id in others:
                about.append(f"also for {_listed(others[context.id])}")
            if context.id in priors:
                about.append(f"prior {priors[context.id]:.2f}, {origin[context.id]}")
            title = f"{plain(context.title, PASSAGE_LENGTH)}: " if context.title else ""
            verdict = quoting.get(context.id)
            wording = _quote(verdict) if verdict else plain(context.text, PASSAGE_LENGTH)
            yield f"{side}: {plain(context.id)} ({'; '.join(about)}): [dim]{title}{wording}[/dim]"


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(map(plain, ids))
