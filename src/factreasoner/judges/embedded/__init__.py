"""The judge that needs no key, no network and no weights: measured features and a small fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from factreasoner.judges.embedded.features import pair_features
from factreasoner.judges.embedded.model import shipped_model
from factreasoner.judges.embedded.text import analyse
from factreasoner.judges.embedded.windows import Coverage, Passages
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged

if TYPE_CHECKING:
    from factreasoner.config import Config

__all__ = ["EmbeddedJudge"]

MARGIN = 0.03
"""A passage that moves the belief in a claim by less than this is neutral."""


class EmbeddedJudge:
    """Judges claims by what a passage's best sentences share with them.

    The model gives three probabilities per pair. A factor of the graph wants P(claim true | passage true), in
    which a neutral passage leaves even odds: q = P(entailment) + P(neutral) / 2. The label follows from q
    (entailment above 1/2 + MARGIN, contradiction below 1/2 - MARGIN, else neutral) and the verdict's
    probability is q, 1 - q or P(neutral).
    """

    def __init__(self, config: Config | None = None) -> None:
        self._model = shipped_model()

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict per claim, in order; never a failure."""
        passages = _passages(tuple(sorted({premise.text, *premise.others})))
        texts = tuple(claim.text for claim in claims)
        if not texts:
            return Judged(())
        row = passages.row[premise.text]
        analysed = [analyse(text, passages.language) for text in texts]
        features, windows = pair_features(passages, _coverage(passages, texts), row, analysed)
        shares = self._model.probabilities(features)
        belief = shares[:, 0] + shares[:, 2] / 2
        verdicts = []
        for n, claim in enumerate(claims):
            window = windows[n]
            quote = premise.text[window.start : window.end]
            q = float(belief[n])
            if not quote or not analysed[n].words or abs(q - 0.5) <= MARGIN:
                verdicts.append(_verdict(premise, claim, "neutral", float(shares[n, 2]), None))
            elif q > 0.5:
                verdicts.append(_verdict(premise, claim, "entailment", q, quote))
            else:
                verdicts.append(_verdict(premise, claim, "contradiction", 1 - q, quote))
        return Judged(tuple(verdicts))


def _verdict(premise: Premise, claim: Claim, label: Label, probability: float, quote: str | None) -> Verdict:
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=label,
        probability=float(np.clip(probability, 0.0, 1.0)),
        quote=quote,
        confidence="model",
        citation=None if quote is None else "found",
    )


@lru_cache(maxsize=32)
def _passages(texts: tuple[str, ...]) -> Passages:
    return Passages(texts)


@lru_cache(maxsize=64)
def _coverage(passages: Passages, claims: tuple[str, ...]) -> Coverage:
    return passages.cover([analyse(claim, passages.language) for claim in claims])
