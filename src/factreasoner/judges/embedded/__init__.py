"""The judge that needs no key, no network and no weights: measured features and a small fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from factreasoner.judges.embedded.features import Measured, measure
from factreasoner.judges.embedded.model import Model, shipped_model
from factreasoner.judges.embedded.text import analyse
from factreasoner.judges.embedded.windows import Array, Coverage, Passages
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged

if TYPE_CHECKING:
    from factreasoner.config import Config

__all__ = ["EmbeddedJudge"]

_NEAR_SHARE = 0.3
_SURELY_DENIED = 0.6
_DENIAL_SHARE = 0.5
_LONGEST_STATEMENT = 60
_RECORDS_KEPT = 16


class EmbeddedJudge:
    """Judges claims by what a passage's best sentences share with them.

    The model gives P(entailment), P(contradiction) and P(neutral) for a pair. How they become a verdict was
    chosen by measurement, each data set scored by a model that had not seen it:

    - The record's passages are no independent witnesses, and adding up what each hints at made posteriors
      worse. Only the passage that covers a claim best speaks (all of equals do), with the belief
      P(entailment). What even that passage does not bear out counts as unsupported: its verdict is entailment
      with the belief where that is above 1/2, else contradiction with one minus it. So a weak contradiction
      means silence, a strong one a clash; calibrated is the posterior.
    - A passage nearly as good speaks as well where it contradicts the claim with P(contradiction) > 0.6, its
      belief drawn half-way towards 1/2. All others are neutral.
    - A passage with no telling word of the claim is neutral whatever else is true.
    - Under version 1, where the best passage may not belong to the claim, every passage nearly as good
      speaks, its belief drawn towards 1/2 to a share of 0.3.
    - A claim that is itself the text of another passage, or is longer than a statement, gets the label that
      is likelier than not, else neutral: a passage's silence says nothing about another passage.

    A claim's words weigh less the more of the claims judged together have them, and claims in well-covered
    company are trusted more, so a claim's verdict depends somewhat on those it is judged with.
    """

    def __init__(self, config: Config | None = None, *, model: Model | None = None) -> None:
        self._model = model or shipped_model()
        self._near_speaks = config is not None and config.version == 1
        self._passages = lru_cache(maxsize=_RECORDS_KEPT)(self._index)
        self._coverage = lru_cache(maxsize=4 * _RECORDS_KEPT)(_cover)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict per claim, in order; never a failure."""
        if not claims:
            return Judged(())
        passages = self._passages(tuple(sorted({premise.text, *premise.others})))
        texts = tuple(claim.text for claim in claims)
        analysed = [analyse(text, passages.language) for text in texts]
        measured = measure(passages, self._coverage(passages, texts), passages.row[premise.text], analysed)
        shares = self._model.probabilities(measured.values)
        verdicts = []
        for n, claim in enumerate(claims):
            statement = not measured.foreign[n] and len(analysed[n].words) <= _LONGEST_STATEMENT
            belief = self._belief(measured, n, shares[n], statement=statement)
            window = measured.windows[n]
            quote = premise.text[window.start : window.end]
            verdicts.append(_verdict(premise, claim, belief, float(shares[n, 2]), quote))
        return Judged(tuple(verdicts))

    def _belief(self, measured: Measured, n: int, shares: Array, *, statement: bool) -> float:
        """P(claim n is true | the passage is): 1/2 for a passage that is not to be heard."""
        entailed, denied, silent = (float(share) for share in shares)
        if not measured.touches[n]:
            return 0.5
        if not statement:
            return entailed + silent / 2 if max(entailed, denied) > 0.5 else 0.5
        if measured.best[n]:
            return entailed
        if self._near_speaks and measured.near[n]:
            return 0.5 + _NEAR_SHARE * (entailed - 0.5)
        if measured.near[n] and denied > _SURELY_DENIED:
            return 0.5 + _DENIAL_SHARE * (entailed + silent / 2 - 0.5)
        return 0.5

    def _index(self, texts: tuple[str, ...]) -> Passages:
        return Passages(texts, self._model.background)


def _cover(passages: Passages, claims: tuple[str, ...]) -> Coverage:
    return passages.cover([analyse(claim, passages.language) for claim in claims])


def _verdict(premise: Premise, claim: Claim, belief: float, silent: float, quote: str) -> Verdict:
    """The verdict of a belief that the claim is true if the passage is; 1/2 is neutral and quotes nothing."""
    label: Label = "entailment" if belief > 0.5 else "contradiction" if belief < 0.5 else "neutral"
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=label,
        probability=silent if label == "neutral" else max(belief, 1.0 - belief),
        quote=None if label == "neutral" else quote,
        confidence="model",
        citation=None if label == "neutral" else "found",
    )
