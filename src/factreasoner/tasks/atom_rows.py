"""The atoms of an assessment as rows."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.models import Assessment, Atom, judged_atoms
from factreasoner.tasks.rows import Basis, ClaimRow, Judgement, by_claim, claim_row
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS


def atom_rows(result: Assessment) -> Iterator[ClaimRow]:
    """Every atom, in the order of the response; those that could not be judged too."""
    outcome = result.outcome
    verdicts = by_claim(outcome.verdicts if outcome else ())
    contexts = {context.id: context for context in result.contexts}
    judged = {item.atom.id: item for item in judged_atoms(result)}
    partly = frozenset(outcome.partly_judged if outcome else ())
    said = (
        {answer.atom_id: " ".join(answer.reasoning.split()) for answer in outcome.answers} if outcome else {}
    )
    unheld = "" if said else _nothing_to_judge_by(result)
    for atom in result.atoms:
        item = judged.get(atom.id)
        judgement = Judgement(None, None, "no")
        if item is not None:
            judgement = Judgement(item.p_true, item.support, "partly" if atom.id in partly else "fully")
        basis = Basis(CONTEXTS, contexts, verdicts.get(atom.id, ()))
        alone = unheld if item is not None and not basis.verdicts else ""
        note = "; ".join(filter(None, (alone, _note(atom, said))))
        row = claim_row(result.record_id, ANSWER, atom, judgement, basis, note=note)
        yield row if atom.span is not None else _placed(row, atom, result.response)


def _placed(row: ClaimRow, atom: Atom, response: str) -> ClaimRow:
    """The row with the atom's place in the response where that stands there once."""
    words = atom.original or atom.text
    start = response.find(words)
    if start < 0 or response.find(words, start + len(words)) >= 0:
        return row
    return row._replace(start=start, end=start + len(words))


def _nothing_to_judge_by(result: Assessment) -> str:
    """Why an atom was judged by nothing, of those that have a probability all the same."""
    if not result.contexts:
        return "no context"
    if all(context.dropped for context in result.contexts):
        return "no context: all were dropped"
    linked = any(context.atom_ids for context in result.contexts)
    return "no context of its own" if linked else ""


def _note(atom: Atom, said: dict[str, str]) -> str:
    unresolved = f"unresolved: {', '.join(atom.unresolved)}" if atom.unresolved else ""
    return "; ".join(filter(None, (unresolved, said.get(atom.id))))
