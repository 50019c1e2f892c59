"""From the outputs of a classifier, one row a window, to what it says of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.judges.nli.classifier import Array
from factreasoner.models import Label
from factreasoner.text.sentences import Span

DIGITS = 6
"""Probabilities are rounded to so many: what is beyond hangs on which pairs share a batch."""


class Prediction(NamedTuple):
    """What a classifier says of a claim, with the probability of that, and the window that decides it."""

    label: Label
    probability: float
    span: Span


def predicted(values: Array, labels: Sequence[Label], spans: Sequence[Span]) -> Prediction:
    """What it says of one claim from P(label) of each window, shape (windows, labels).

    A window says the label of its largest probability; of equal ones neutral goes first, then contradiction.
    Of the windows that entail or contradict the claim the surest decides, at a tie one that contradicts it.
    Where none does the claim is neutral, as surely as the window nearest to deciding it leaves it so.
    """
    shares = {label: _rounded(values[:, _places(labels, label)].sum(axis=1)) for label in set(labels)}
    order: tuple[Label, ...] = ("neutral", "contradiction", "entailment")
    said = [max((o for o in order if o in shares), key=lambda o: shares[o][row]) for row in range(len(spans))]
    for_each = [Prediction(said[row], shares[said[row]][row], span) for row, span in enumerate(spans)]
    telling = [found for found in for_each if found.label != "neutral"]
    if telling:
        return max(telling, key=lambda found: (found.probability, found.label == "contradiction"))
    return min(for_each, key=lambda found: found.probability)


def _places(labels: Sequence[Label], wanted: Label) -> list[int]:
    return [place for place, label in enumerate(labels) if label == wanted]


def _rounded(values: Array) -> list[float]:
    rounded: list[float] = np.clip(np.round(values, DIGITS), 0.0, 1.0).tolist()
    return rounded
