"""What verdicts on claims against sources come to: does a premise bear a claim out?"""

from __future__ import annotations

from factreasoner.models import Label, Verdict

ANSWER, REFERENCE, CONTEXTS = "answer", "reference", "contexts"
"""Ids of premises that are no context: the answer, the reference, and all passages together."""


def p_borne_out(verdict: Verdict) -> float:
    """P(the premise bears the claim out).

    With p raised to 0.5: p for an entailment, 1 - p for a contradiction. For a neutral verdict it is the
    judge's belief where it has one, else (1 - p) / 2: what the verdict leaves open goes to both sides alike.
    """
    if verdict.label == "neutral" and verdict.belief is not None:
        return verdict.belief
    return _p_of("entailment", verdict)


def p_denied(verdict: Verdict) -> float:
    """P(the premise contradicts the claim), likewise; a belief has no part in it."""
    return _p_of("contradiction", verdict)


def _p_of(label: Label, verdict: Verdict) -> float:
    p = max(verdict.probability, 0.5)
    if verdict.label == label:
        return p
    return (1.0 - p) / 2 if verdict.label == "neutral" else 1.0 - p


def guessed(verdict: Verdict) -> str:
    """A belief in words: where it is from, and it; it ranks what to read first and is no evidence."""
    assert verdict.belief is not None, "asked only of a verdict with a belief"
    by = "by words in common" if verdict.confidence == "words" else "the judge's guess"
    return f"{by} {verdict.belief:.2f}"


def known_verdict(premise_id: str, claim_id: str, label: Label, note: str) -> Verdict:
    """A verdict that needs no judge, as that nothing is borne out by an empty text; `note` says why."""
    return Verdict(context_id=premise_id, target_id=claim_id, label=label, probability=1.0, note=note)
