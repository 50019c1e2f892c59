"""Statistics of a data set that can leave out or repeat records: means, and scores of claims against labels.

Scores of claims are over all labelled claims together, so that a long answer weighs more than a short one.
The positive class is number 0 (supported, true); what is said of two classes takes all others for negative.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.intervals import Bounds, Interval, NoInterval, jackknife_t, share_interval
from factreasoner.metrics.samples import Claims, Floats, Ints

SMALLEST_P = 1e-6
"""Probabilities are kept this far from 0 and 1 before their logarithm is taken."""


class Statistic(ABC):
    """A number computed from records. `present` says which records have a part in it, shape (records,)."""

    present: NDArray[np.bool_]
    no_difference_interval: NoInterval | None = None
    """Why a difference of two of them has no interval, where none would hold."""

    @abstractmethod
    def weighted(self, counts: Ints) -> Floats:
        """The statistic with each record counted so often; shape (choices, records) -> (choices,).

        NaN where it is undefined.
        """

    @abstractmethod
    def without_each(self) -> Floats:
        """The statistic of all records but one, for each of them; shape (records,)."""

    @property
    def value(self) -> float:
        """The statistic of all records, NaN where it is undefined."""
        return float(self.weighted(np.ones((1, len(self.present)), dtype=np.int64))[0])

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """The 95 % interval over records; the value must be defined."""
        without = self.without_each()[self.present]
        if bounds == (0.0, 1.0):
            return share_interval(self.value, without)
        return jackknife_t(self.value, without, bounds)


class OfSums(Statistic):
    """A function of sums over records.

    `parts` has shape (records, sums); `function` maps sums of shape (..., sums) to values of shape (...).
    """

    def __init__(self, parts: Floats, function: Callable[[Floats], Floats]) -> None:
        self.parts = parts
        self.function = function
        self.present = (parts != 0).any(axis=1)

    def weighted(self, counts: Ints) -> Floats:
        """See `Statistic`."""
        return self.function(counts @ self.parts)

    def without_each(self) -> Floats:
        """See `Statistic`."""
        return self.function(self.parts.sum(axis=0) - self.parts)


def ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """Quotients, NaN where the whole is not above 0."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)


def mean_of_known(values: Floats) -> Statistic:
    """Mean over the records that have the value; `values` of shape (records,) are NaN for the others."""
    known = ~np.isnan(values)
    found = OfSums(np.stack([np.where(known, values, 0.0), known], axis=1), _first_by_last)
    found.present = known
    return found


def mean_of_all(values: Floats) -> Statistic:
    """Mean over all records, undefined when any lacks the value."""
    found = OfSums(np.stack([values, np.ones_like(values)], axis=1), _first_by_last)
    found.present = np.ones(len(values), dtype=bool)
    return found


def _first_by_last(sums: Floats) -> Floats:
    return ratio(sums[..., 0], sums[..., -1])


def brier(claims: Claims) -> Statistic:
    """Mean squared difference between probability and label."""
    return _mean_of_claims(claims, (claims.p - claims.hits) ** 2)


def log_loss(claims: Claims) -> Statistic:
    """Mean negative log likelihood of the labels, probabilities kept `SMALLEST_P` off 0 and 1."""
    return _mean_of_claims(claims, log_losses(claims.p, claims.hits))


def log_losses(p: Floats, hits: Floats) -> Floats:
    """The negative log likelihood of each, probabilities kept `SMALLEST_P` off 0 and 1."""
    kept = np.clip(p, SMALLEST_P, 1 - SMALLEST_P)
    return np.asarray(-np.where(hits > 0, np.log(kept), np.log1p(-kept)))


def _mean_of_claims(claims: Claims, values: Floats) -> Statistic:
    found = OfSums(claims.sums(np.stack([values, np.ones_like(values)])), _first_by_last)
    found.present = claims.by_record > 0
    return found


def confusion(claims: Claims) -> Floats:
    """By record: true positives, true negatives, false positives, false negatives; shape (records, 4)."""
    cell = _CELLS[np.minimum(claims.said, 1), np.minimum(claims.gold, 1)]
    counts = np.bincount(claims.record * 4 + cell, minlength=claims.num_records * 4)
    return counts.reshape(-1, 4).astype(float)


_CELLS = np.array([[0, 2], [3, 1]])
"""Column of `confusion` by the class said and the right one, the positive class being 0."""


def accuracy(claims: Claims) -> Statistic:
    """Share of claims whose prediction, positive or not, is right."""
    return OfSums(confusion(claims), lambda cells: ratio(cells[..., 0] + cells[..., 1], cells.sum(axis=-1)))


def f1(claims: Claims) -> Statistic:
    """F1 of the positive class; undefined when it is neither a label nor predicted."""
    return OfSums(confusion(claims), lambda cells: _f1(cells[..., 0], cells[..., 2] + cells[..., 3]))


def macro_f1(claims: Claims) -> Statistic:
    """Mean of the F1 of both classes; of one alone when the other is neither a label nor predicted."""

    def function(cells: Floats) -> Floats:
        wrong = cells[..., 2] + cells[..., 3]
        return _mean_of_defined(np.stack([_f1(cells[..., kind], wrong) for kind in (0, 1)]))

    return OfSums(confusion(claims), function)


def _f1(hits: Floats, misses: Floats) -> Floats:
    return ratio(2 * hits, 2 * hits + misses)


def _mean_of_defined(parts: Floats) -> Floats:
    known = ~np.isnan(parts)
    return ratio(np.where(known, parts, 0.0).sum(axis=0), known.sum(axis=0))


def class_counts(claims: Claims, classes: int) -> Floats:
    """By record: claims of each pair of right class and class said; shape (records, classes * classes)."""
    cell = np.where(claims.gold < classes, claims.gold * classes + claims.said, -1)
    return claims.sums(cell == np.arange(classes * classes)[:, None])


def accuracy_of_classes(claims: Claims, classes: int) -> Statistic:
    """Share of claims with the right one of so many classes.

    Undefined where no claim has a right class above 0: people did not tell these apart.
    """

    def function(sums: Floats) -> Floats:
        cells = sums.reshape(*sums.shape[:-1], classes, classes)
        return ratio(np.trace(cells, axis1=-2, axis2=-1), sums.sum(axis=-1) * _told_apart(cells))

    return OfSums(class_counts(claims, classes), function)


def macro_f1_of_classes(claims: Claims, classes: int) -> Statistic:
    """Mean of the F1 of the classes that are a label or predicted; undefined as `accuracy_of_classes` is."""

    def function(sums: Floats) -> Floats:
        cells = sums.reshape(*sums.shape[:-1], classes, classes)
        said, gold = cells.sum(axis=-2), cells.sum(axis=-1)
        parts = [ratio(2 * cells[..., i, i], said[..., i] + gold[..., i]) for i in range(classes)]
        return np.where(_told_apart(cells), _mean_of_defined(np.stack(parts)), np.nan)

    return OfSums(class_counts(claims, classes), function)


def _told_apart(cells: Floats) -> NDArray[np.bool_]:
    return np.asarray(cells[..., 1:, :].sum(axis=(-2, -1)) > 0)
