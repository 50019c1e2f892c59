"""A verifier's question about a claim, and the decision from its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.judges.encoder.adapter import Texts
from factreasoner.judges.encoder.runtime import Array, Unscored
from factreasoner.models import Label
from factreasoner.text.sentences import Span

DIGITS = 6
"""Digits of a probability; later ones depend on which pairs share a batch."""


class Decision(NamedTuple):
    """A verifier's label for a claim, its probability, and the deciding part of the passage.

    `entailed` and `contradicted` are P of the two.
    """

    label: Label
    probability: float
    span: Span
    entailed: float
    contradicted: float


class VerifierQuestion(NamedTuple):
    """The texts that a verifier reads to judge a claim, and the function that decides from their scores."""

    texts: tuple[Texts, ...]
    decide: Callable[[Sequence[Array]], Decision]


def decide_claim(
    scores: Sequence[Sequence[Array]], labels: Sequence[Label], spans: Sequence[Span], *, threshold: float
) -> Decision:
    """A verifier's decision on one claim.

    `scores` hold, for each part of the claim (the whole, or its sentences) and each chunk, P(label) of shape
    (tokens, labels); one token if the head reads the whole text. Support is the maximum over chunks for a
    token, the minimum over tokens for a part, and the mean over parts for the claim. Contradiction is the
    maximum over parts and chunks. If both exceed `threshold`, the larger one decides, on a tie contradiction;
    if neither does, the claim is neutral.
    """

    def of(name: Label) -> list[Array]:
        own = [n for n, label in enumerate(labels) if label == name]
        return [np.stack([rows[:, own].sum(axis=1) for rows in part]) for part in scores]

    support, against = of("entailment"), of("contradiction")
    best = int(np.mean([part.min(axis=1) for part in support], axis=0).argmax())
    worst = np.max([part.max(axis=1) for part in against], axis=0)
    p, q = rounded(np.mean([part.max(axis=0).min() for part in support])), rounded(worst.max())
    if q > threshold and q >= p:
        return Decision("contradiction", q, spans[int(worst.argmax())], p, q)
    if p > threshold:
        return Decision("entailment", p, spans[best], p, q)
    return Decision("neutral", rounded(1.0 - p - q), spans[best], p, q)


def rounded(value: float | np.floating) -> float:
    """A probability of DIGITS digits."""
    return min(1.0, max(0.0, round(float(value), DIGITS)))


def too_long(longest: int) -> Unscored:
    """Why a claim that leaves a passage too little room is not judged."""
    return Unscored(
        "ClaimTooLong", f"the claim is too long for {longest} tokens; shorten it, or use another model"
    )
