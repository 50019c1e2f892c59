"""Several contexts in one premise, and one verdict of those on the pieces of a text."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.models import Context, Premise, Verdict
from factreasoner.tasks.pieces import in_calls
from factreasoner.tasks.verdicts import CONTEXTS


def premises_together(contexts: Sequence[Context], record_id: str, tokens: int) -> list[Premise]:
    """The contexts in their order, as few premises as show at most `tokens` tokens each.

    One premise is named `contexts`, several `contexts:1`, `contexts:2` and so on.
    """
    groups = in_calls(contexts, tokens)
    names = [CONTEXTS] if len(groups) == 1 else [f"{CONTEXTS}:{n}" for n in range(1, len(groups) + 1)]
    return [
        Premise(name, "\n\n".join(part.text for part in group), record_id=record_id, parts=tuple(group))
        for name, group in zip(names, groups, strict=True)
    ]


def merged(verdicts: Sequence[Verdict], pieces_asked: int) -> Verdict | None:
    """One verdict on a claim from those of the pieces of a text; None where missing ones leave it open.

    A piece that bears the claim out decides, else one that contradicts it; it is neutral where all are, and
    as sure as the least sure of them.
    """
    for label in ("entailment", "contradiction"):
        found = [verdict for verdict in verdicts if verdict.label == label]
        if found and (label == "entailment" or len(verdicts) == pieces_asked):
            return max(found, key=lambda verdict: (verdict.probability, verdict.quote or ""))
    if not verdicts or len(verdicts) < pieces_asked:
        return None
    return min(verdicts, key=lambda verdict: verdict.probability)
