"""How well probabilities order and match gold labels.

Everywhere `p_true` are probabilities in [0, 1] and `gold` is 1 or 0 for each, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.intervals import Interval, wilson

ECE_BINS = 10


def auroc(p_true: Sequence[float], gold: Sequence[int]) -> float | None:
    """Area under the ROC curve, ties counting half; None unless both labels occur."""
    if len(set(gold)) < 2:
        return None
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(np.asarray(gold), np.asarray(p_true)))


def brier(p_true: Sequence[float], gold: Sequence[int]) -> float | None:
    """Mean squared difference between probability and label; None for no atoms."""
    if not len(gold):
        return None
    return float(np.mean((np.asarray(p_true, dtype=float) - np.asarray(gold, dtype=float)) ** 2))


def expected_calibration_error(p_true: Sequence[float], gold: Sequence[int]) -> float | None:
    """Mean over atoms of |mean P - share of S| in the atom's bin; None for no atoms.

    The ten bins have equal width; each holds its lower edge, the last one also 1 (Naeini et al. 2015, with
    P(true) in place of the confidence in the predicted label).
    """
    if not len(gold):
        return None
    p, labels = np.asarray(p_true, dtype=float), np.asarray(gold, dtype=float)
    gaps = np.bincount(bin_of(p), weights=p - labels, minlength=ECE_BINS)
    return float(np.abs(gaps).sum() / len(p))


def bin_of(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which of the bins each probability lies in."""
    return np.minimum((p * ECE_BINS).astype(np.int64), ECE_BINS - 1)


class BrierParts(NamedTuple):
    """What a Brier score is made of: brier = reliability - resolution + uncertainty + within_bins.

    `reliability` is the mean squared gap between a bin's mean probability and its share of positives, 0
    when calibrated; `resolution` how far the shares differ from the overall one, the more the better;
    `uncertainty` that of the labels alone. `within_bins` is what the bins' width leaves (Murphy 1973;
    Stephenson, Coelho & Jolliffe 2008).
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


class Bin(NamedTuple):
    """One bin that is not empty: mean probability, share of positives with its Wilson interval, size."""

    mean_p: float
    share: float
    interval: Interval | None
    size: int


def brier_parts(p_true: Sequence[float], gold: Sequence[int]) -> BrierParts | None:
    """The decomposition of the Brier score over the bins of the calibration error; None for no atoms."""
    score, bins = brier(p_true, gold), reliability_bins(p_true, gold)
    if score is None:
        return None
    n, overall = len(gold), float(np.mean(np.asarray(gold, dtype=float)))
    reliability = sum(part.size * (part.mean_p - part.share) ** 2 for part in bins) / n
    resolution = sum(part.size * (part.share - overall) ** 2 for part in bins) / n
    uncertainty = overall * (1 - overall)
    rest = score - (reliability - resolution + uncertainty)
    return BrierParts(score, reliability, resolution, uncertainty, rest)


def reliability_bins(p_true: Sequence[float], gold: Sequence[int]) -> list[Bin]:
    """The points of a reliability diagram, from the lowest bin to the highest."""
    p, labels = np.asarray(p_true, dtype=float), np.asarray(gold, dtype=float)
    place = bin_of(p)
    found = []
    for number in np.unique(place):
        inside = place == number
        hits, size = int(labels[inside].sum()), int(inside.sum())
        found.append(Bin(float(p[inside].mean()), hits / size, wilson(hits, size), size))
    return found
