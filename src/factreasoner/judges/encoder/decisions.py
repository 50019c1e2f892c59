"""From P(label) of each chunk of a passage to what a verifier says of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.judges.encoder.runtime import Array
from factreasoner.models import Label
from factreasoner.text.sentences import Span

DIGITS = 6
"""Probabilities are rounded to so many: what is beyond hangs on which pairs share a batch."""

NAMED = ("entailment", "contradiction")


class Decision(NamedTuple):
    """What a verifier says of a claim, with the probability of that, and the chunk that decides it.

    `entailed` and `contradicted` are P of the two, each at its own chunk.
    """

    label: Label
    probability: float
    span: Span
    entailed: float
    contradicted: float


def decided(
    scores: Sequence[Sequence[Array]], labels: Sequence[Label], spans: Sequence[Span], *, threshold: float
) -> Decision:
    """What a verifier says of one claim.

    `scores` hold, for each part of the claim (the whole, or its sentences) and each chunk, P(label) of shape
    (tokens, labels); one token where the head reads the text as a whole. A token is as well supported as by
    the chunk that supports it best, a part as its worst token, and the claim as the mean of its parts. It is
    contradicted as surely as any part is by any chunk. Where both are above `threshold` the larger decides,
    at a tie contradiction; where none is the claim is neutral.
    """
    support, against = (
        [np.stack([rows[:, own].sum(axis=1) for rows in part]) for part in scores]
        for own in ([n for n, label in enumerate(labels) if label == name] for name in NAMED)
    )
    best = int(np.mean([part.min(axis=1) for part in support], axis=0).argmax())
    worst = np.max([part.max(axis=1) for part in against], axis=0)
    p, q = _rounded(np.mean([part.max(axis=0).min() for part in support])), _rounded(worst.max())
    if q > threshold and q >= p:
        return Decision("contradiction", q, spans[int(worst.argmax())], p, q)
    if p > threshold:
        return Decision("entailment", p, spans[best], p, q)
    return Decision("neutral", _rounded(1.0 - p - q), spans[best], p, q)


def _rounded(value: float | np.floating) -> float:
    return min(1.0, max(0.0, round(float(value), DIGITS)))
