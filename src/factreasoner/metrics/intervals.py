"""95 % intervals over records, from the jackknife; Wilson's for plain shares of trials.

Shares get the union of a jackknife-t interval on the logit and that of Korn and Graubard (1998), which counts
dependent records as fewer independent ones.

A record is the unit that is drawn: its atoms depend on each other, so leaving out one record at a time, with
all its atoms, tells how far a statistic would move on other records (Efron & Tibshirani 1993, chapter 11).
`benchmarks/interval_coverage.py` measures how often these intervals hold the truth.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.samples import Floats

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
NORMAL = NormalDist().inv_cdf(1 - TAIL)
TIED = 1e-12
"""A standard error up to this is rounding: the records do not differ at all."""

Bounds = tuple[float, float]
"""The smallest and the largest value a statistic can have; infinite where there is none."""


class Interval(NamedTuple):
    """A two-sided 95 % interval: its lower and its upper end."""

    low: float
    high: float


class NoInterval(NamedTuple):
    """Why there is no interval, in words that follow "no interval: "."""

    reason: str


def jackknife_t(value: float, without: Floats, bounds: Bounds) -> Interval | NoInterval:
    """The value plus and minus Student's t times the jackknife's standard error, within `bounds`.

    `without` holds the statistic of all records but one, for each record that has a part in it; shape (n,).
    There is no interval for fewer than two records, and none where the statistic is undefined without one of
    them. Where leaving out a record never changes the value, see `alike`.
    """
    lack = too_few(len(without))
    if lack is not None:
        return lack
    if np.isnan(without).any():
        return NoInterval("without one of the records it is undefined")
    error = standard_error(without)
    if error <= TIED:
        return alike(value, len(without), bounds)
    half = quantile_t(len(without) - 1) * error
    return within(value - half, value + half, bounds)


def share_interval(value: float, without: Floats) -> Interval | NoInterval:
    """The interval of a statistic in [0, 1], such as a share or a Brier score.

    It is the union of two: the value plus and minus Student's t times the jackknife's standard error s, both
    on the logit; and Korn & Graubard's, the Clopper-Pearson interval of value * n_eff successes in n_eff =
    value (1 - value) / s^2 * (1.96 / t)^2 trials, n where s is 0. `without` as in :func:`jackknife_t`.
    """
    lack = too_few(len(without))
    if lack is not None:
        return lack
    if np.isnan(without).any():
        return NoInterval("without one of the records it is undefined")
    error, factor = standard_error(without), quantile_t(len(without) - 1)
    trials = float(len(without))
    if error > TIED:
        trials = value * (1 - value) / error**2 * (NORMAL / factor) ** 2
    low, high = _clopper_pearson(value * trials, trials)
    if error > TIED and np.all((without > 0) & (without < 1)):
        odds = math.log(value / (1 - value))
        half = factor * standard_error(np.log(without / (1 - without)))
        low, high = min(low, _expit(odds - half)), max(high, _expit(odds + half))
    return Interval(low, high)


def _clopper_pearson(successes: float, trials: float) -> Interval:
    """The exact interval of a share, for numbers of successes and trials that need not be whole."""
    from scipy.special import betaincinv

    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, TAIL)) if successes > TIED else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - TAIL)) if failures > TIED else 1.0
    return Interval(low, high)


def _expit(odds: float) -> float:
    return float(1 / (1 + np.exp(-odds)))


def too_few(records: int) -> NoInterval | None:
    """No interval where fewer than two records have a part in the statistic."""
    if records >= 2:
        return None
    found = "one record has" if records else "no record has"
    return NoInterval(f"{found} what it is computed from, and it takes two")


def alike(value: float, records: int, bounds: Bounds) -> Interval | NoInterval:
    """The interval of a statistic that is the same whichever record is left out.

    Zero is no honest width. If n records drawn at random are all alike, the share q of such records is at
    least 0.025^(1/n) with 97.5 % confidence; the others may have any value within `bounds`, so the interval
    reaches from q value + (1 - q) low to q value + (1 - q) high. Without bounds there is none.
    """
    if not all(map(math.isfinite, bounds)):
        return NoInterval("all records have the same value")
    share = TAIL ** (1 / records)
    low, high = (share * value + (1 - share) * bound for bound in bounds)
    return Interval(low, high)


def standard_error(without: Floats) -> float:
    """The jackknife's standard error: sqrt((n - 1) / n * sum of squared deviations from the mean)."""
    n = len(without)
    return math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))


def quantile_t(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - TAIL))


def within(low: float, high: float, bounds: Bounds) -> Interval:
    """The interval without what lies beyond the bounds."""
    return Interval(max(low, bounds[0]), min(high, bounds[1]))


def wilson(successes: int, trials: int) -> Interval | None:
    """Wilson score interval of a share (Wilson 1927, without continuity correction); None for no trials."""
    if not trials:
        return None
    z = NORMAL
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * (share * (1 - share) / trials + z * z / (4 * trials * trials)) ** 0.5
    scale = 1 + z * z / trials
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))
