"""What the verdicts on a claim amount to: its label, its quote, and why in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.models import P_DIGITS, label_of, side_of
from factreasoner.tasks.verdicts import guessed, p_borne_out
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.holding import Holding
from factreasoner.tasks.verify.result import VerifiedClaim
from factreasoner.text.comparable import tells_incomparable


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
    if holdings and not compared:
        return claim.model_copy(update={"explanation": told.strip()})
    if not compared:
        return claim
    holdings, complete = compared, complete and 2 * len(compared) > len(holdings)
    telling = [h for h in holdings if h.verdict.supports or h.verdict.contradicts]
    if telling:
        best = max(telling, key=lambda h: h.verdict.probability)
        rivals = [h for h in telling if h.verdict.probability == best.verdict.probability]
        split = any(h.verdict.label != best.verdict.label for h in rivals)
    else:
        best = max(holdings, key=lambda h: (h.verdict.nearness, p_borne_out(h.verdict)))
        split = False
    p = 0.5 if split else round(p_borne_out(best.verdict), P_DIGITS)
    label = label_of(
        p,
        supporting=split or best.verdict.supports,
        contradicting=split or best.verdict.contradicts,
    )
    if not complete and label != "supported":
        return claim
    support = [h for h in telling if h.verdict.supports]
    borne_out_by = (source for h in support for source in h.rests_on) if label == "supported" else ()
    return claim.model_copy(
        update={
            "label": label,
            "p": p,
            "borne_out_by": tuple(dict.fromkeys(borne_out_by)),
            "explanation": _explanation(best, holdings, p, text) + told,
            "quote": best.verdict.quote,
            "quoted": best.quoted,
        }
    )


def _explanation(best: Holding, holdings: Sequence[Holding], p: float, text: CitedText) -> str:
    """The judge's own words, else what the verdicts come to."""
    said = best.explanation or _in_words(best, holdings, p, text)
    others = [h for h in holdings if h.verdict.label not in (best.verdict.label, "neutral")]
    for other in others:
        contrary = other.verdict.label == "contradiction"
        words = ("contradicts it", "contradict it") if contrary else ("bears it out", "bear it out")
        said += f" {_said(other.rests_on, *words, text)}{_quote(other)}"
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
