"""How well probabilities match labels: calibration error, reliability diagrams, parts of a Brier score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.claim_scores import brier
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import (
    TAIL,
    TIED,
    Bounds,
    Interval,
    NoInterval,
    OfSums,
    alike,
    ratio,
    too_few,
    wilson,
    within,
)

ECE_BINS = 10
DRAWS = 2000
WIDEST = 2.0
"""How far the search for the upper end goes; no error is larger than 1."""


class BrierParts(NamedTuple):
    """The parts of a Brier score: brier = reliability - resolution + uncertainty + within_bins.

    `reliability` is the mean squared gap between a bin's mean probability and its share of positives, 0 if
    calibrated. `resolution` is how far the shares differ from the overall one; more is better. `uncertainty`
    is that of the labels alone. `within_bins` is what the bins' width leaves (Murphy 1973; Stephenson, Coelho
    & Jolliffe 2008).
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
    """The expected calibration error: sum over bins of |sum of P - number of positives|, by the claims.

    The ten bins have equal width; each holds its lower edge, the last one also 1 (Naeini et al. 2015, with
    P(true) in place of the confidence in the predicted label).
    """

    no_difference_interval = NoInterval("chance makes each of the two errors too large, by unequal amounts")

    def __init__(self, claims: Claims) -> None:
        in_bin = _bin_of(claims.p) == np.arange(ECE_BINS)[:, None]
        gaps = claims.sums(in_bin * (claims.p - claims.hits))
        parts = np.column_stack([gaps, claims.by_record])
        super().__init__(parts, _sum_of_gaps, claims.by_record > 0)

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """The errors for which a test would not reject this one; from 0 if chance may be all of it.

        Chance alone makes the error positive in every bin, so no interval around the value holds 0. Instead
        true gaps of several sizes are tried, in the proportions of the gaps that were found. A size is in the
        interval if the error, with deviations drawn from Student's t by the jackknife covariance of the gaps,
        is as large as the value in at least 2.5 % of draws, and as small in at least 2.5 %.
        """
        lack = too_few(int(self.present.sum()))
        if lack is not None:
            return lack
        without = self.parts.sum(axis=0) - self.parts[self.present]
        shares = without[:, :-1] / without[:, -1:]
        gaps = self.parts[:, :-1].sum(axis=0) / self.parts[:, -1].sum()
        noise = _deviations(shares)
        if float(np.abs(noise).max()) <= TIED:
            return alike(self.value, len(without), bounds)

        def larger(scale: float) -> float:
            return float((np.abs(scale * gaps + noise).sum(axis=1) >= self.value).mean())

        low = 0.0 if larger(0.0) >= TAIL else _edge(lambda scale: larger(scale) >= TAIL, 0.0, 1.0)
        high = _edge(lambda scale: 1 - larger(scale) < TAIL, 1.0, WIDEST / max(self.value, TIED))
        return within(low * self.value, max(high, 1.0) * self.value, bounds)


def _deviations(shares: Floats) -> Floats:
    """Draws of how far gaps may be off, shape (DRAWS, bins), from the gaps without each record.

    The seed is fixed: the same records have the same interval.
    """
    n = len(shares)
    centred = (shares - shares.mean(axis=0)) * math.sqrt((n - 1) / n)
    random = np.random.default_rng(0)
    normal = random.standard_normal((DRAWS, n)) @ centred
    return np.asarray(normal / np.sqrt(random.chisquare(n - 1, DRAWS) / (n - 1))[:, None])


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where from `low` to `high` the condition begins to hold, to a thousandth; `high` if it never does."""
    while high - low > 1e-3 * max(low, 1.0):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _sum_of_gaps(sums: Floats) -> Floats:
    return ratio(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])
