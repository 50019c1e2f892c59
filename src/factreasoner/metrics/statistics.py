"""Statistics over records, with weights and leave-one-out, and their 95 % intervals.

The record is the sampling unit, since its atoms depend on each other (jackknife; Efron & Tibshirani 1993,
chapter 11). Shares get the union of a jackknife-t interval on the logit and that of Korn and Graubard (1998),
which counts dependent records as fewer independent ones. `benchmarks/interval_coverage.py` measures the
coverage of these intervals.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.samples import Claims, Floats, Ints, Sample

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
NORMAL = NormalDist().inv_cdf(1 - TAIL)
TIED = 1e-12
"""A standard error up to this is rounding: the records do not differ."""

FAILED = "a verdict that decides it failed for every claim"
Bounds = tuple[float, float]
"""The minimum and maximum of a statistic; infinite if unbounded."""


class Interval(NamedTuple):
    """A two-sided 95 % interval: lower and upper end."""

    low: float
    high: float


class NoInterval(NamedTuple):
    """Why there is no interval, to follow "no interval: "."""

    reason: str


class Estimate(NamedTuple):
    """A metric of a data set and its 95 % interval over records; `reason` says why either is None.

    `records` counts those with the value, or with claims for it.
    """

    value: float | None
    interval: Interval | None
    reason: str | None = None
    records: int = 0

    @classmethod
    def of(cls, value: float, found: Interval | NoInterval, present: NDArray[np.bool_]) -> Estimate:
        """A value with its interval, or why there is none; `present`: the records that contribute."""
        records = int(np.count_nonzero(present))
        if isinstance(found, NoInterval):
            return cls(value, None, f"no interval: {found.reason}", records)
        return cls(value, found, records=records)

    def content(self) -> dict[str, Any]:
        """The estimate as a JSON object."""
        return {
            "value": self.value,
            "interval_95": self.interval,
            "reason": self.reason,
            "records": self.records,
        }


class Statistic(ABC):
    """A number computed from records. `present` marks those that contribute, shape (records,)."""

    present: NDArray[np.bool_]
    no_difference_interval: NoInterval | None = None
    """Why a difference of two of these has no valid interval, if so."""

    @abstractmethod
    def weighted(self, counts: Ints) -> Floats:
        """The statistic with record weights, NaN if undefined; shape (choices, records) -> (choices,)."""

    @abstractmethod
    def without_each(self) -> Floats:
        """The statistic without each record in turn; shape (records,)."""

    @property
    def value(self) -> float:
        """The statistic of all records, NaN if undefined."""
        return float(self.weighted(np.ones((1, len(self.present)), dtype=np.int64))[0])

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """The 95 % interval over records; the value must be defined."""
        without = self.without_each()[self.present]
        if bounds == (0.0, 1.0):
            return share_interval(self.value, without)
        return jackknife_t(self.value, without, bounds)

    def estimate(self, bounds: Bounds) -> Estimate | None:
        """The value with its interval over records; None if undefined."""
        value = self.value
        return Estimate.of(value, self.interval(bounds), self.present) if math.isfinite(value) else None


class OfSums(Statistic):
    """A function of sums over records.

    `parts` has shape (records, sums); `function` maps sums of shape (..., sums) to values of shape (...). By
    default, records with a non-zero part are present.
    """

    def __init__(
        self, parts: Floats, function: Callable[[Floats], Floats], present: NDArray[np.bool_] | None = None
    ) -> None:
        self.parts = parts
        self.function = function
        self.present = (parts != 0).any(axis=1) if present is None else present

    def weighted(self, counts: Ints) -> Floats:
        """See `Statistic`."""
        return self.function(counts @ self.parts)

    def without_each(self) -> Floats:
        """See `Statistic`."""
        return self.function(self.parts.sum(axis=0) - self.parts)


def ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """Quotients, NaN unless the whole is positive."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)


def first_by_last(sums: Floats) -> Floats:
    """The first sum over the last one, NaN unless that is positive."""
    return ratio(sums[..., 0], sums[..., -1])


def mean_of(values: Floats, *, all_or_none: bool = False) -> Statistic:
    """Mean over the records with a value; `values` of shape (records,) are NaN for the others.

    With `all_or_none` it is undefined if any record lacks the value.
    """
    known = ~np.isnan(values) | all_or_none
    return OfSums(np.stack([np.where(known, values, 0.0), known], axis=1), first_by_last, known)


@dataclass(frozen=True)
class OfRecords:
    """A metric of one record, averaged over records; None for a record without it.

    With `all_or_none` the mean is undefined if any record lacks the value: an unknown cost is not 0.
    """

    function: Callable[[Any], float | None]
    all_or_none: bool = False

    @property
    def words(self) -> str:
        """How the metric is averaged, for the list of metrics."""
        return "mean over all records" if self.all_or_none else "mean over the records that have it"

    def statistic(self, sample: Sample, name: str) -> Statistic:
        """The metric `name` of a sample."""
        return mean_of(sample.values[name], all_or_none=self.all_or_none)


@dataclass(frozen=True)
class OfClaims:
    """A metric of all pooled labelled claims."""

    function: Callable[[Claims], Statistic]
    words: str = "over all labelled claims together"

    def statistic(self, sample: Sample, name: str) -> Statistic:
        """The metric of a sample, whatever its `name`."""
        return self.function(sample.claims)


def jackknife_t(value: float, without: Floats, bounds: Bounds) -> Interval | NoInterval:
    """The value plus and minus Student's t times the jackknife's standard error, within `bounds`.

    `without` holds the statistic without each contributing record; shape (n,). There is no interval for fewer
    than two records, or if the statistic is undefined without one of them. If no record matters, see
    `interval_if_unchanged`.
    """
    lack = missing_interval_reason(without)
    if lack is not None:
        return lack
    error = standard_error(without)
    if error <= TIED:
        return interval_if_unchanged(value, len(without), bounds)
    half = _quantile_t(len(without) - 1) * error
    return clip_interval(value - half, value + half, bounds)


def share_interval(value: float, without: Floats) -> Interval | NoInterval:
    """The interval of a statistic in [0, 1], such as a share or a Brier score.

    The union of two: the value plus and minus Student's t times the jackknife's standard error s, on the
    logit; and Korn & Graubard's, the Clopper-Pearson interval of value * n_eff successes in n_eff = value (1
    - value) / s^2 * (1.96 / t)^2 trials, n if s is 0. `without` as in :func:`jackknife_t`.
    """
    lack = missing_interval_reason(without)
    if lack is not None:
        return lack
    error, factor = standard_error(without), _quantile_t(len(without) - 1)
    trials = float(len(without))
    if error > TIED:
        trials = value * (1 - value) / error**2 * (NORMAL / factor) ** 2
    low, high = _clopper_pearson(value * trials, trials)
    if error > TIED and np.all((without > 0) & (without < 1)):
        odds = math.log(value / (1 - value))
        half = factor * standard_error(np.log(without / (1 - without)))
        low, high = min(low, expit(odds - half)), max(high, expit(odds + half))
    return Interval(low, high)


def _clopper_pearson(successes: float, trials: float) -> Interval:
    """The exact interval of a share; successes and trials need not be whole numbers."""
    from scipy.special import betaincinv

    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, TAIL)) if successes > TIED else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - TAIL)) if failures > TIED else 1.0
    return Interval(low, high)


def expit(odds: float) -> float:
    """The probability of log-odds."""
    return float(1 / (1 + np.exp(-odds)))


def missing_interval_reason(
    without: Floats, undefined: str = "without one of the records it is undefined"
) -> NoInterval | None:
    """Why there is no interval: too few records, or undefined without one of them."""
    if len(without) < 2:
        found = "one record has" if len(without) else "no record has"
        return NoInterval(f"{found} what it is computed from; an interval needs two")
    return NoInterval(undefined) if np.isnan(without).any() else None


def interval_if_unchanged(value: float, records: int, bounds: Bounds) -> Interval | NoInterval:
    """The interval of a statistic that no single record changes.

    If n random records are all alike, the share q of such records is at least 0.025^(1/n) with 97.5 %
    confidence. The others may have any value within `bounds`, so the interval reaches from q value + (1 - q)
    low to q value + (1 - q) high. Without bounds there is none.
    """
    if not all(map(math.isfinite, bounds)):
        return NoInterval("removing any one record does not change it")
    share = TAIL ** (1 / records)
    low, high = (share * value + (1 - share) * bound for bound in bounds)
    return Interval(low, high)


def standard_error(without: Floats) -> float:
    """The jackknife's standard error: sqrt((n - 1) / n * sum of squared deviations from the mean)."""
    n = len(without)
    return math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))


def _quantile_t(freedom: int) -> float:
    """The 97.5 % quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - TAIL))


def clip_interval(low: float, high: float, bounds: Bounds) -> Interval:
    """The interval clipped to the bounds."""
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
