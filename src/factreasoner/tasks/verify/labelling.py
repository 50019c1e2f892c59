"""What the verdicts on a claim amount to: its label, its quote, and why in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factreasoner.models import P_DIGITS, Verdict, side_of
from factreasoner.tasks.rows import by_claim, guessed, label_of, p_borne_out
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.holding import Holding
from factreasoner.tasks.verify.result import FAILED, VerifiedClaim, VerifiedText, VerifyResult
from factreasoner.text.language import tells_incomparable


def labelled(
    claim: VerifiedClaim, holdings: Sequence[Holding], text: CitedText, *, complete: bool
) -> VerifiedClaim:
    """The claim with what its sources say of it.

    Of several verdicts that decide it the most probable one counts; where one as probable says the
    contrary, the claim is conflicting. Where none decides it, that on its nearest source counts. Where it was
    not held against all its sources (`complete`), or was not compared with half of them or more, as they are
    in another language, only support is known; where it was compared with none, nothing. Sources are named
    as in `text`.
    """
    unread = [h for h in holdings if tells_incomparable(h.verdict.note)]
    compared = [h for h in holdings if h not in unread]
    told = "".join(f" {_in_words(h, holdings, 0.5, text)}" for h in unread)
    if unread:
        claim = claim.model_copy(update={"explanation": told.strip()})
    if not compared:
        return claim
    telling = [h for h in compared if h.verdict.supports or h.verdict.contradicts]
    best = max(telling, key=lambda h: h.verdict.probability, default=None)
    if best is None:
        best = max(compared, key=lambda h: (h.verdict.nearness, p_borne_out(h.verdict)))
    rivals = [h.verdict for h in telling if h.verdict.probability == best.verdict.probability]
    split = len({verdict.label for verdict in rivals}) > 1
    p = 0.5 if split else round(p_borne_out(best.verdict), P_DIGITS)
    label = label_of(p, rivals)
    if label != "supported" and not (complete and 2 * len(compared) > len(holdings)):
        return claim
    support = (source for h in telling if h.verdict.supports for source in h.rests_on)
    return claim.model_copy(
        update={
            "label": label,
            "p": p,
            "borne_out_by": tuple(dict.fromkeys(support)) if label == "supported" else (),
            "explanation": _explanation(best, compared, p, text) + told,
            "quote": best.verdict.quote,
            "quoted": best.quoted,
        }
    )


def relabelled(result: VerifyResult, verdicts: tuple[Verdict, ...]) -> VerifyResult:
    """The result with `verdicts`, one for each of its own; claims on which one changed get new labels.

    Sentences are not rewritten: what was changed stays changed, and a claim whose sentence stayed is flagged
    or kept by its new label.
    """
    changed = {new.target_id for new, old in zip(verdicts, result.verdicts, strict=True) if new != old}
    own = by_claim(verdicts)

    def text(verified: VerifiedText | None) -> VerifiedText | None:
        if verified is None:
            return None
        cited = CitedText(verified.text, result.contexts)
        claims = (
            _anew(claim, own[claim.id], cited) if claim.id in changed else claim for claim in verified.claims
        )
        return verified.model_copy(update={"claims": tuple(claims)})

    update = {"verdicts": verdicts, "verified": text(result.verified), "revised": text(result.revised)}
    return result.model_copy(update=update)


def _anew(claim: VerifiedClaim, verdicts: Iterable[Verdict], text: CitedText) -> VerifiedClaim:
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
    corrected = verdict.confidence == "corrected"
    explanation = f"{verdict.note[:1].upper()}{verdict.note[1:]}." if corrected else ""
    return Holding(verdict, shown or (verdict.context_id,), explanation, quoted)


def _explanation(best: Holding, holdings: Sequence[Holding], p: float, text: CitedText) -> str:
    """The judge's own words, else what the verdicts come to; and what speaks for the contrary."""
    said = best.explanation or _in_words(best, holdings, p, text)
    for other in holdings:
        if other.verdict.label == "contradiction" != best.verdict.label:
            said += f" {_said(other.rests_on, 'contradicts it', 'contradict it', text)}{_quote(other)}"
        elif other.verdict.label == "entailment" != best.verdict.label:
            said += f" {_in_words(other, holdings, p, text)}"
    return said


def _in_words(best: Holding, holdings: Sequence[Holding], p: float, text: CitedText) -> str:
    if best.verdict.label == "entailment":
        return f"{_said(best.rests_on, 'bears it out', 'bear it out', text)}{_quote(best)}"
    if best.verdict.label == "contradiction":
        return f"{_said(best.rests_on, 'says otherwise', 'say otherwise', text)}{_quote(best)}"
    if best.verdict.note:
        return f"{_names(best.rests_on, text)}: {best.verdict.note}."
    every = tuple(dict.fromkeys(source for h in holdings for source in h.rests_on))
    if side_of(p) > 0:
        return f"{_said(every, 'does not say so', 'do not say so', text)}; {guessed(best.verdict)}."
    words = "neither bears it out nor contradicts it", "neither bear it out nor contradict it"
    return f"{_said(every, *words, text)}."


def _quote(holding: Holding) -> str:
    """The end of a sentence: the words of the source, where there are any, and a full stop."""
    words = " ".join((holding.verdict.quote or "").split())
    return f": “{words}”" if words.endswith((".", "!", "?")) else f": “{words}”." if words else "."


def _said(ids: Sequence[str], of_one: str, of_several: str, text: CitedText) -> str:
    """The sources with what one, or what several, of them say."""
    return f"{_names(ids, text)} {of_one if len(ids) == 1 else of_several}"


def _names(ids: Sequence[str], text: CitedText) -> str:
    return " and ".join(f"[{text.label_of(source)}]" for source in ids)
