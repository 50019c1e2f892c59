"""What a verifier is asked of a claim, and what its answers decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.judges.encoder.adapter import Texts
from factreasoner.judges.encoder.runtime import Array, Unscored
from factreasoner.models import Label
from factreasoner.text.sentences import Span

DIGITS = 6
"""Digits of a probability; further ones depend on which pairs share a batch."""


class Decision(NamedTuple):
    """What a verifier says of a claim, the probability of that, and the part of the passage that decides it.

    `entailed` and `contradicted` are P of the two.
    """

    label: Label
    probability: float
    span: Span
    entailed: float
    contradicted: float


class VerifierQuestion(NamedTuple):
    """The texts that a verifier reads to judge a claim, and what P of their labels decide, in that order."""

    texts: tuple[Texts, ...]
    decide: Callable[[Sequence[Array]], Decision]


def decided(
    scores: Sequence[Sequence[Array]], labels: Sequence[Label], spans: Sequence[Span], *, threshold: float
) -> Decision:
    """What a verifier says of one claim.

    `scores` hold, for each part of the claim (the whole, or its sentences) and each chunk, P(label) of shape
    (tokens, labels); one token where the head reads the text as a whole. A token is as well supported as by
    its best chunk, a part as its worst token, and the claim as the mean of its parts. It is contradicted as
    surely as any part is by any chunk. Where both are above `threshold` the larger one decides, at a tie
    contradiction; where neither is, the claim is neutral.
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
        "ClaimTooLong",
        f"the claim is too long for {longest} tokens; shorten it, or use another model",
    )
