"""Scores of claims against labels: Brier, log loss, accuracy, F1, AUROC, calibration error.

All labelled claims are pooled, so a long answer weighs more than a short one. Class 0 (supported, true) is
positive. Binary scores count all other classes as negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import (
    TAIL,
    TIED,
    Bounds,
    Interval,
    NoInterval,
    OfSums,
    Statistic,
    clip_interval,
    expit,
    first_by_last,
    interval_if_unchanged,
    jackknife_t,
    missing_interval_reason,
    ratio,
    standard_error,
    wilson,
)
from factreasoner.models import SMALLEST_P


def brier(claims: Claims) -> Statistic:
    """Mean squared difference between probability and label."""
    return _mean_of_claims(claims, (claims.p - claims.hits) ** 2)


def log_loss(claims: Claims) -> Statistic:
    """Mean negative log likelihood of the labels, with probabilities at least `SMALLEST_P` from 0 and 1."""
    kept = np.clip(claims.p, SMALLEST_P, 1 - SMALLEST_P)
    return _mean_of_claims(claims, -np.where(claims.hits > 0, np.log(kept), np.log1p(-kept)))


def _mean_of_claims(claims: Claims, values: Floats) -> Statistic:
    sums = claims.sums(np.stack([values, np.ones_like(values)]))
    return OfSums(sums, first_by_last, claims.by_record > 0)


def confusion(claims: Claims, classes: int = 2) -> Floats:
    """Claims by record, right class and predicted class: shape (records, classes * classes).

    The last class includes all predictions beyond it. With two classes it also includes all labels beyond it;
    with more, claims with such a label are excluded.
    """
    predicted = np.minimum(claims.predicted, classes - 1)
    gold = np.minimum(claims.gold, 1) if classes == 2 else claims.gold
    # The cell of a label beyond the classes is none of these.
    return claims.sums(gold * classes + predicted == np.arange(classes * classes)[:, None])


def accuracy(claims: Claims, classes: int = 2) -> Statistic:
    """Share of claims with the right class, out of `classes`.

    With more than two, it is undefined if no claim has a right class above 0.
    """

    def function(sums: Floats) -> Floats:
        cells, distinguished = _cells(sums, classes)
        return ratio(np.trace(cells, axis1=-2, axis2=-1), sums.sum(axis=-1) * distinguished)

    return OfSums(confusion(claims, classes), function)


def f1(claims: Claims) -> Statistic:
    """F1 of the positive class; undefined if it is neither labelled nor predicted."""
    return OfSums(confusion(claims), lambda sums: _f1s(_cells(sums, 2)[0])[0])


def macro_f1(claims: Claims, classes: int = 2) -> Statistic:
    """Mean F1 of the classes that are labelled or predicted; undefined if `accuracy` is."""

    def function(sums: Floats) -> Floats:
        cells, distinguished = _cells(sums, classes)
        parts = _f1s(cells)
        known = ~np.isnan(parts)
        return ratio(np.where(known, parts, 0.0).sum(axis=0), known.sum(axis=0) * distinguished)

    return OfSums(confusion(claims, classes), function)


def _cells(sums: Floats, classes: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Sums by right and predicted class, and whether the labels distinguish the classes."""
    cells = sums.reshape(*sums.shape[:-1], classes, classes)
    return cells, np.asarray((classes == 2) | (cells[..., 1:, :].sum(axis=(-2, -1)) > 0))


def _f1s(cells: Floats) -> Floats:
    """The F1 of every class, along the first axis."""
    predicted, gold = cells.sum(axis=-2), cells.sum(axis=-1)
    return np.moveaxis(ratio(2 * np.diagonal(cells, axis1=-2, axis2=-1), predicted + gold), -1, 0)


class AreaUnderROC(Statistic):
    """Share of (positive, negative) claim pairs that P ranks correctly; ties count half."""

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
        """See `Statistic`. Removes a record's pairs with all others, counting pairs within it once."""
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
        """jackknife-t on the logit; areas are kept half a pair away from 0 and 1."""
        without = self.without_each()[self.present]
        lack = missing_interval_reason(without, undefined="one record alone has all claims of one label")
        if lack is not None:
            return lack
        if standard_error(without) <= TIED:
            return interval_if_unchanged(self.value, len(without), bounds)
        positives = float(self._claims.hits.sum())
        margin = 0.5 / (positives * (len(self._claims.p) - positives))
        odds, odds_without = (
            np.log(kept / (1 - kept))
            for kept in (np.clip(a, margin, 1 - margin) for a in (self.value, without))
        )
        found = jackknife_t(float(odds), odds_without, (-np.inf, np.inf))
        return found if isinstance(found, NoInterval) else Interval(expit(found.low), expit(found.high))


def _ordered_pairs(p: Floats, positive: NDArray[np.bool_], block: Ints) -> Floats:
    """For each claim, how many claims of the other class in its block it ranks correctly against."""
    ranks = np.unique(p, return_inverse=True)[1]
    found = np.empty(len(p))
    # Negative claims are on the right side of those above them, which are below them from the other end.
    for mine, rank in ((positive, ranks), (~positive, len(p) - 1 - ranks)):
        place = block * len(p) + rank
        others = np.sort(place[~mine])
        start, low = np.searchsorted(others, [block[mine] * len(p), place[mine]])
        found[mine] = (low + np.searchsorted(others, place[mine], side="right")) / 2 - start
    return found


ECE_BINS = 10
DRAWS = 2000
WIDEST = 2.0
"""Upper end of the search for the interval; no error is larger than 1."""


class Bin(NamedTuple):
    """A non-empty bin: mean probability, share of positives with its Wilson interval, size."""

    mean_p: float
    share: float
    interval: Interval | None
    size: int


def reliability_bins(claims: Claims) -> list[Bin]:
    """The points of a reliability diagram, from the lowest bin to the highest."""
    place = _bin_of(claims.p)
    found = []
    for number in np.unique(place):
        inside = place == number
        hits, size = int(claims.hits[inside].sum()), int(inside.sum())
        found.append(Bin(float(claims.p[inside].mean()), hits / size, wilson(hits, size), size))
    return found


def _bin_of(p: Floats) -> Ints:
    return np.minimum((p * ECE_BINS).astype(np.int64), ECE_BINS - 1)


class CalibrationError(OfSums):
    """The expected calibration error: sum over bins of |sum of P - number of positives|, per claim.

    Ten bins of equal width; each includes its lower edge, the last one also 1 (Naeini et al. 2015, with
    P(true) in place of the confidence in the predicted label).
    """

    no_difference_interval = NoInterval("chance inflates both errors, by unequal amounts")

    def __init__(self, claims: Claims) -> None:
        in_bin = _bin_of(claims.p) == np.arange(ECE_BINS)[:, None]
        gaps = claims.sums(in_bin * (claims.p - claims.hits))
        parts = np.column_stack([gaps, claims.by_record])

        def error(sums: Floats) -> Floats:
            return ratio(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])

        super().__init__(parts, error, claims.by_record > 0)

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """The true errors that a test would not reject; starts at 0 if chance can explain all of it.

        Chance makes the error positive in every bin, so no interval around the value contains 0. Instead,
        true gaps of several sizes are tried, in the proportions found. A size is in the interval if the
        error, with deviations drawn from Student's t by the jackknife covariance of the gaps, is at least the
        value in 2.5 % of draws or more, and at most the value in 2.5 % or more.
        """
        lack = missing_interval_reason(self.without_each()[self.present])
        if lack is not None:
            return lack
        without = self.parts.sum(axis=0) - self.parts[self.present]
        shares = without[:, :-1] / without[:, -1:]
        gaps = self.parts[:, :-1].sum(axis=0) / self.parts[:, -1].sum()
        noise = _deviations(shares)
        if float(np.abs(noise).max()) <= TIED:
            return interval_if_unchanged(self.value, len(without), bounds)

        def larger(scale: float) -> float:
            return float((np.abs(scale * gaps + noise).sum(axis=1) >= self.value).mean())

        low = 0.0 if larger(0.0) >= TAIL else _edge(lambda scale: larger(scale) >= TAIL, 0.0, 1.0)
        high = _edge(lambda scale: 1 - larger(scale) < TAIL, 1.0, WIDEST / max(self.value, TIED))
        return clip_interval(low * self.value, max(high, 1.0) * self.value, bounds)


def _deviations(shares: Floats) -> Floats:
    """Random deviations of the gaps, shape (DRAWS, bins), from the gaps without each record.

    The seed is fixed: the same records give the same interval.
    """
    n = len(shares)
    centred = (shares - shares.mean(axis=0)) * math.sqrt((n - 1) / n)
    random = np.random.default_rng(0)
    normal = random.standard_normal((DRAWS, n)) @ centred
    return np.asarray(normal / np.sqrt(random.chisquare(n - 1, DRAWS) / (n - 1))[:, None])


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where between `low` and `high` the condition begins to hold, to a thousandth; else `high`."""
    while high - low > 1e-3 * max(low, 1.0):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
