"""How well probabilities order and match gold labels.

Everywhere `p_true` are probabilities in [0, 1] and `gold` is 1 or 0 for each, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    bins = np.minimum((p * ECE_BINS).astype(int), ECE_BINS - 1)
    gaps = np.bincount(bins, weights=p - labels, minlength=ECE_BINS)
    return float(np.abs(gaps).sum() / len(p))
