"""From the verdicts on a claim to its label, its quote, and the reason in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factreasoner.models import P_DIGITS, Verdict, side_of
from factreasoner.tasks.rows import by_claim, guessed, label_of, p_supported
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.judging import SourceVerdict
from factreasoner.tasks.verify.result import FAILED, VerifiedClaim, VerifiedText, VerifyResult
from factreasoner.text.language import tells_incomparable


def labelled(
    claim: VerifiedClaim, sources: Sequence[SourceVerdict], text: CitedText, *, complete: bool
) -> VerifiedClaim:
    """The claim with what its sources say of it, each source named as in `text`.

    The most probable verdict for or against the claim decides. Where an equally probable one says the
    opposite, the claim is conflicting. Where there is none for or against, the nearest source's decides.

    A claim can only be found supported where it lacks verdicts (not `complete`), or where half of its sources
    or more are in another language, and so were not compared. It has no label where none was compared.
    """
    unread = [s for s in sources if tells_incomparable(s.verdict.note)]
    compared = [s for s in sources if s not in unread]
    of_unread = "".join(f" {_in_words(s, sources, 0.5, text)}" for s in unread)
    if unread:
        claim = claim.model_copy(update={"explanation": of_unread.strip()})
    if not compared:
        return claim
    decisive = [s for s in compared if s.verdict.supports or s.verdict.contradicts]
    best = max(decisive, key=lambda s: s.verdict.probability, default=None)
    if best is None:
        best = max(compared, key=lambda s: (s.verdict.nearness, p_supported(s.verdict)))
    rivals = [s.verdict for s in decisive if s.verdict.probability == best.verdict.probability]
    split = len({verdict.label for verdict in rivals}) > 1
    p = 0.5 if split else round(p_supported(best.verdict), P_DIGITS)
    label = label_of(p, rivals)
    if label != "supported" and not (complete and 2 * len(compared) > len(sources)):
        return claim
    support = (source for s in decisive if s.verdict.supports for source in s.rests_on)
    return claim.model_copy(
        update={
            "label": label,
            "p": p,
            "borne_out_by": tuple(dict.fromkeys(support)) if label == "supported" else (),
            "explanation": _explanation(best, compared, p, text) + of_unread,
            "quote": best.verdict.quote,
            "quoted": best.quoted,
        }
    )


def relabelled(result: VerifyResult, verdicts: tuple[Verdict, ...]) -> VerifyResult:
    """The result with `verdicts`, one for each of its own, and new labels where a claim's verdict changed.

    No sentence is rewritten: changes stay, and a claim whose sentence stayed is flagged or kept by its new
    label.
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
    sources = [_source_verdict(claim, verdict) for verdict in verdicts]
    judged = labelled(claim, sources, text, complete=claim.label is not None)
    if judged.fate in ("rewritten", "removed"):
        return judged
    wrong = judged.label in FAILED or judged.label is None
    return judged.model_copy(update={"fate": "flagged" if wrong else "kept"})


def _source_verdict(claim: VerifiedClaim, verdict: Verdict) -> SourceVerdict:
    """A verdict of one source, or of all that the claim cites."""
    shown = (verdict.context_id,) if verdict.context_id in claim.cited else claim.cited
    quoted = claim.quoted if verdict.quote is not None and verdict.quote == claim.quote else None
    corrected = verdict.confidence == "corrected"
    explanation = f"{verdict.note[:1].upper()}{verdict.note[1:]}." if corrected else ""
    return SourceVerdict(verdict, shown or (verdict.context_id,), explanation, quoted)


def _explanation(best: SourceVerdict, sources: Sequence[SourceVerdict], p: float, text: CitedText) -> str:
    """The judge's own words, or the verdict in words; then what says the opposite."""
    said = best.explanation or _in_words(best, sources, p, text)
    for other in sources:
        if other.verdict.label == "contradiction" != best.verdict.label:
            said += f" {_said(other.rests_on, 'contradicts it', 'contradict it', text)}{_quote(other)}"
        elif other.verdict.label == "entailment" != best.verdict.label:
            said += f" {_in_words(other, sources, p, text)}"
    return said


def _in_words(best: SourceVerdict, sources: Sequence[SourceVerdict], p: float, text: CitedText) -> str:
    if best.verdict.label == "entailment":
        return f"{_said(best.rests_on, 'supports it', 'support it', text)}{_quote(best)}"
    if best.verdict.label == "contradiction":
        return f"{_said(best.rests_on, 'says otherwise', 'say otherwise', text)}{_quote(best)}"
    if best.verdict.note:
        return f"{_names(best.rests_on, text)}: {best.verdict.note}."
    every = tuple(dict.fromkeys(name for s in sources for name in s.rests_on))
    if side_of(p) > 0:
        return f"{_said(every, 'does not say so', 'do not say so', text)}; {guessed(best.verdict)}."
    words = "neither supports it nor contradicts it", "neither support it nor contradict it"
    return f"{_said(every, *words, text)}."


def _quote(source: SourceVerdict) -> str:
    """The end of a sentence: the quote, if there is one, and a full stop."""
    words = " ".join((source.verdict.quote or "").split())
    return f": “{words}”" if words.endswith((".", "!", "?")) else f": “{words}”." if words else "."


def _said(ids: Sequence[str], of_one: str, of_several: str, text: CitedText) -> str:
    """The sources, and what one of them says or several say."""
    return f"{_names(ids, text)} {of_one if len(ids) == 1 else of_several}"


def _names(ids: Sequence[str], text: CitedText) -> str:
    return " and ".join(f"[{text.label_of(source)}]" for source in ids)
