"""Scores of claims against labels: Brier, log loss, accuracy, F1, and the area under the ROC curve.

They are over all labelled claims together, so that a long answer weighs more than a short one. Class 0
(supported, true) is positive; scores of two classes take all others for negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import (
    TIED,
    Bounds,
    Interval,
    NoInterval,
    OfSums,
    Statistic,
    alike,
    expit,
    first_by_last,
    jackknife_t,
    ratio,
    standard_error,
    too_few,
)

SMALLEST_P = 1e-6
"""Probabilities are kept this far from 0 and 1 before their logarithm is taken."""

_CELLS = np.array([[0, 2], [3, 1]])
"""Column of `confusion` by the predicted class and the right one, the positive class being 0."""


def brier(claims: Claims) -> Statistic:
    """Mean squared difference between probability and label."""
    return _mean_of_claims(claims, (claims.p - claims.hits) ** 2)


def log_loss(claims: Claims) -> Statistic:
    """Mean negative log likelihood of the labels, probabilities kept `SMALLEST_P` off 0 and 1."""
    kept = np.clip(claims.p, SMALLEST_P, 1 - SMALLEST_P)
    return _mean_of_claims(claims, -np.where(claims.hits > 0, np.log(kept), np.log1p(-kept)))


def _mean_of_claims(claims: Claims, values: Floats) -> Statistic:
    sums = claims.sums(np.stack([values, np.ones_like(values)]))
    return OfSums(sums, first_by_last, claims.by_record > 0)


def confusion(claims: Claims) -> Floats:
    """By record: true positives, true negatives, false positives, false negatives; shape (records, 4)."""
    cell = _CELLS[np.minimum(claims.said, 1), np.minimum(claims.gold, 1)]
    counts = np.bincount(claims.record * 4 + cell, minlength=claims.num_records * 4)
    return counts.reshape(-1, 4).astype(float)


def accuracy(claims: Claims) -> Statistic:
    """Share of claims whose prediction, positive or not, is right."""
    return OfSums(confusion(claims), lambda cells: ratio(cells[..., 0] + cells[..., 1], cells.sum(axis=-1)))


def f1(claims: Claims) -> Statistic:
    """F1 of the positive class; undefined if it is neither a label nor predicted."""
    return OfSums(confusion(claims), lambda cells: _f1(cells[..., 0], cells[..., 2] + cells[..., 3]))


def macro_f1(claims: Claims) -> Statistic:
    """Mean of the F1 of both classes; of one alone if the other is neither a label nor predicted."""

    def function(cells: Floats) -> Floats:
        wrong = cells[..., 2] + cells[..., 3]
        return _mean_of_defined(np.stack([_f1(cells[..., kind], wrong) for kind in (0, 1)]))

    return OfSums(confusion(claims), function)


def _f1(hits: Floats, misses: Floats) -> Floats:
    return ratio(2 * hits, 2 * hits + misses)


def _mean_of_defined(parts: Floats) -> Floats:
    known = ~np.isnan(parts)
    return ratio(np.where(known, parts, 0.0).sum(axis=0), known.sum(axis=0))


def _class_counts(claims: Claims, classes: int) -> Floats:
    """By record: claims of each pair of right and predicted class; shape (records, classes * classes)."""
    cell = np.where(claims.gold < classes, claims.gold * classes + claims.said, -1)
    return claims.sums(cell == np.arange(classes * classes)[:, None])


def accuracy_of_classes(claims: Claims, classes: int) -> Statistic:
    """Share of claims with the right one of so many classes.

    Undefined if no claim has a right class above 0: the labels do not tell these classes apart.
    """

    def function(sums: Floats) -> Floats:
        cells = sums.reshape(*sums.shape[:-1], classes, classes)
        return ratio(np.trace(cells, axis1=-2, axis2=-1), sums.sum(axis=-1) * _told_apart(cells))

    return OfSums(_class_counts(claims, classes), function)


def macro_f1_of_classes(claims: Claims, classes: int) -> Statistic:
    """Mean of the F1 of the classes that are a label or predicted; undefined as `accuracy_of_classes` is."""

    def function(sums: Floats) -> Floats:
        cells = sums.reshape(*sums.shape[:-1], classes, classes)
        said, gold = cells.sum(axis=-2), cells.sum(axis=-1)
        parts = [ratio(2 * cells[..., i, i], said[..., i] + gold[..., i]) for i in range(classes)]
        return np.where(_told_apart(cells), _mean_of_defined(np.stack(parts)), np.nan)

    return OfSums(_class_counts(claims, classes), function)


def _told_apart(cells: Floats) -> NDArray[np.bool_]:
    return np.asarray(cells[..., 1:, :].sum(axis=(-2, -1)) > 0)


class AreaUnderROC(Statistic):
    """Share of pairs of a positive and a negative claim that P ranks correctly, ties counting half."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self.present = claims.by_record > 0

    def weighted(self, counts: Ints) -> Floats:
        """See `Statistic`."""
        order = np.argsort(self._claims.p, kind="stable")
        p, record = self._claims.p[order], self._claims.record[order]
        if not len(p):
            return np.full(len(counts), np.nan)
        positive = self._claims.gold[order] == 0
        first = np.flatnonzero(np.diff(p, prepend=np.nan) != 0)
        weights = counts[:, record].astype(float)
        above = np.add.reduceat(weights * positive, first, axis=1)
        others = np.add.reduceat(weights * ~positive, first, axis=1)
        below = np.cumsum(others, axis=1) - others / 2
        return ratio((above * below).sum(axis=1), above.sum(axis=1) * others.sum(axis=1))

    def without_each(self) -> Floats:
        """See `Statistic`. A record's pairs with all others go, those within it are not taken off twice."""
        claims = self._claims
        positive = claims.gold == 0
        positives, negatives = claims.sums(np.stack([positive, ~positive])).T
        everywhere, inside = (
            claims.sums(_ordered_pairs(claims.p, positive, block)[None])[:, 0]
            for block in (np.zeros_like(claims.record), claims.record)
        )
        kept = everywhere.sum() / 2 - everywhere + inside / 2
        return ratio(kept, (positives.sum() - positives) * (negatives.sum() - negatives))

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """jackknife-t on the logit, since areas near 1 are skewed; areas are kept half a pair off 0 and 1."""
        without = self.without_each()[self.present]
        lack = too_few(len(without))
        if lack is not None:
            return lack
        if np.isnan(without).any():
            return NoInterval("one record alone has all claims of one label")
        if standard_error(without) <= TIED:
            return alike(self.value, len(without), bounds)
        positives = float(self._claims.hits.sum())
        margin = 0.5 / (positives * (len(self._claims.p) - positives))
        odds, odds_without = (
            np.log(kept / (1 - kept))
            for kept in (np.clip(a, margin, 1 - margin) for a in (self.value, without))
        )
        found = jackknife_t(float(odds), odds_without, (-np.inf, np.inf))
        return found if isinstance(found, NoInterval) else Interval(expit(found.low), expit(found.high))


def _ordered_pairs(p: Floats, positive: NDArray[np.bool_], block: Ints) -> Floats:
    """For each claim how many claims of the other kind in its block it is on the right side of, ties half."""
    if not len(p):
        return np.zeros(0)
    order = np.lexsort((p, block))
    p, block = p[order], block[order]
    starts = np.flatnonzero((np.diff(p, prepend=np.nan) != 0) | (np.diff(block, prepend=-1) != 0))
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(p))))
    ups, downs = (np.add.reduceat(kind[order].astype(float), starts) for kind in (positive, ~positive))
    start_of_block = np.searchsorted(block[starts], block[starts], side="left")
    end_of_block = np.searchsorted(block[starts], block[starts], side="right")
    ups_before, downs_before = (np.concatenate([[0.0], np.cumsum(kind)]) for kind in (ups, downs))
    below = downs_before[:-1] - downs_before[start_of_block] + downs / 2
    above = ups_before[end_of_block] - ups_before[1:] + ups / 2
    found = np.empty(len(p))
    found[order] = np.where(positive[order], below[group], above[group])
    return found
