"""How well probabilities match labels: calibration error, reliability diagrams, parts of a Brier score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factreasoner.metrics.intervals import (
    TIED,
    Bounds,
    Interval,
    NoInterval,
    alike,
    quantile_t,
    standard_error,
    too_few,
    wilson,
    within,
)
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import OfSums, brier, ratio

ECE_BINS = 10


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


def brier_parts(claims: Claims) -> BrierParts:
    """The decomposition of the Brier score over the bins of the calibration error.

    Raises:
        ValueError: there are no claims.
    """
    if not len(claims.p):
        raise ValueError("there are no probabilities")
    score, bins = brier(claims).value, reliability_bins(claims)
    n, overall = len(claims.p), float(claims.hits.mean())
    reliability = sum(part.size * (part.mean_p - part.share) ** 2 for part in bins) / n
    resolution = sum(part.size * (part.share - overall) ** 2 for part in bins) / n
    uncertainty = overall * (1 - overall)
    rest = score - (reliability - resolution + uncertainty)
    return BrierParts(score, reliability, resolution, uncertainty, rest)


def reliability_bins(claims: Claims) -> list[Bin]:
    """The points of a reliability diagram, from the lowest bin to the highest."""
    place = bin_of(claims.p)
    found = []
    for number in np.unique(place):
        inside = place == number
        hits, size = int(claims.hits[inside].sum()), int(inside.sum())
        found.append(Bin(float(claims.p[inside].mean()), hits / size, wilson(hits, size), size))
    return found


def bin_of(p: Floats) -> Ints:
    """Which of the bins of the calibration error each probability lies in."""
    return np.minimum((p * ECE_BINS).astype(np.int64), ECE_BINS - 1)


class CalibrationError(OfSums):
    """The expected calibration error: sum over bins of |sum of P - number of positives|, by the claims.

    The ten bins have equal width; each holds its lower edge, the last one also 1 (Naeini et al. 2015, with
    P(true) in place of the confidence in the predicted label).
    """

    def __init__(self, claims: Claims) -> None:
        in_bin = bin_of(claims.p) == np.arange(ECE_BINS)[:, None]
        gaps = claims.sums(in_bin * (claims.p - claims.hits))
        super().__init__(np.column_stack([gaps, claims.by_record]), _sum_of_gaps)
        self.present = claims.by_record > 0

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """Corrected for the bias of the error, which chance alone makes positive in every bin.

        A bin's gap g is taken for normal with its jackknife standard error s, so that its absolute value
        is too large by E|N(g, s^2)| - |g|. The width uses the larger of the error's own standard error
        and that of independent bins. The interval always holds the value itself.
        """
        lack = too_few(int(self.present.sum()))
        if lack is not None:
            return lack
        without = self.parts.sum(axis=0) - self.parts[self.present]
        own_error = standard_error(self.function(without))
        gaps = self.parts[:, :-1].sum(axis=0) / self.parts[:, -1].sum()
        errors = np.array([standard_error(gap) for gap in (without[:, :-1] / without[:, -1:]).T])
        error = max(own_error, float(np.sqrt((errors**2).sum())))
        if error <= TIED:
            return alike(self.value, len(without), bounds)
        centre = max(self.value - _folding(gaps, errors), 0.0)
        half = quantile_t(len(without) - 1) * error
        return within(centre - half, max(centre + half, self.value), bounds)


def _sum_of_gaps(sums: Floats) -> Floats:
    return ratio(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])


def _folding(gaps: Floats, errors: Floats) -> float:
    """How much larger the absolute values of normal gaps are to be expected than those of their means."""
    from scipy.special import ndtr

    z = np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)
    expected = errors * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + gaps * (1 - 2 * ndtr(-z))
    return float((np.where(errors > 0, expected, np.abs(gaps)) - np.abs(gaps)).sum())
