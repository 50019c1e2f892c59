"""A verified answer with other verdicts: its claims labelled anew, its text as it was corrected before."""

from __future__ import annotations

from factreasoner.models import Verdict
from factreasoner.tasks.rows import by_claim
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.holding import Holding
from factreasoner.tasks.verify.labelling import labelled
from factreasoner.tasks.verify.result import FAILED, VerifiedClaim, VerifiedText, VerifyResult


def relabelled(result: VerifyResult, verdicts: tuple[Verdict, ...]) -> VerifyResult:
    """The result with `verdicts`, one for each of its own; claims on which one changed get new labels.

    Sentences are not rewritten: what was changed stays changed, and a claim whose sentence stayed is flagged
    or kept by its new label.
    """
    changed = {new.target_id for new, old in zip(verdicts, result.verdicts, strict=True) if new != old}
    own = by_claim(verdicts)

    def anew(claim: VerifiedClaim, text: CitedText) -> VerifiedClaim:
        return _anew(claim, own[claim.id], text) if claim.id in changed else claim

    def text(verified: VerifiedText | None) -> VerifiedText | None:
        if verified is None:
            return None
        cited = CitedText(verified.text, result.contexts)
        return verified.model_copy(update={"claims": tuple(anew(claim, cited) for claim in verified.claims)})

    return result.model_copy(
        update={"verdicts": verdicts, "verified": text(result.verified), "revised": text(result.revised)}
    )


def _anew(claim: VerifiedClaim, verdicts: list[Verdict], text: CitedText) -> VerifiedClaim:
    held = [_holding(claim, verdict) for verdict in verdicts]
    judged = labelled(claim, held, text, complete=claim.label is not None)
    if judged.fate in ("rewritten", "removed"):
        return judged
    wrong = judged.label in FAILED or judged.label is None
    return judged.model_copy(update={"fate": "flagged" if wrong else "kept"})


def _holding(claim: VerifiedClaim, verdict: Verdict) -> Holding:
    """A verdict on its own source, or on all that the claim cites."""
    shown = (verdict.context_id,) if verdict.context_id in claim.cited else claim.cited
    quoted = claim.quoted if verdict.quote is not None and verdict.quote == claim.quote else None
    explanation = (
        f"{verdict.note[:1].upper()}{verdict.note[1:]}." if verdict.confidence == "corrected" else ""
    )
    return Holding(verdict, shown or (verdict.context_id,), explanation, quoted)
