"""95 % intervals: bootstrap for means over records, Wilson for shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

RESAMPLES = 2000
MOSTLY = 0.9
"""Share of resamples in which a statistic must be defined for it to have an interval."""
_NUMBERS_AT_ONCE = 1_000_000


class Interval(NamedTuple):
    """A two-sided 95 % interval."""

    low: float
    high: float


def bootstrap_mean(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """Percentile bootstrap interval of the mean of `values`, one per record; None for fewer than two.

    The same values and seed give the same interval. Memory stays at about 16 MB whatever the length.
    """
    data = np.asarray(values, dtype=float)
    if len(data) < 2:
        return None
    means = [data[drawn].mean(axis=1) for drawn in resamples(len(data), seed=seed)]
    return percentile_interval(np.concatenate(means))


def resamples(num_records: int, *, seed: int, width: int = 1) -> Iterator[NDArray[np.int64]]:
    """The records of each of `RESAMPLES` bootstrap resamples, in blocks of shape (resamples, records).

    The draws depend on the number of records and the seed alone. `width` is how many numbers the caller
    needs at once for each resample, where that is more than the records.
    """
    random = np.random.default_rng(seed)
    rows = max(1, _NUMBERS_AT_ONCE // max(num_records, width))
    for done in range(0, RESAMPLES, rows):
        yield random.integers(0, num_records, size=(min(rows, RESAMPLES - done), num_records))


def percentile_interval(values: FloatArray) -> Interval | None:
    """The interval a statistic's values over resamples span; None where too few resamples define it.

    NaN marks a resample in which the statistic is undefined; of these at most one in ten is passed over.
    """
    defined = values[~np.isnan(values)]
    if len(defined) < MOSTLY * len(values) or not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return Interval(float(low), float(high))


def wilson(successes: int, trials: int) -> Interval | None:
    """Wilson score interval of a share (Wilson 1927, without continuity correction); None for no trials."""
    if not trials:
        return None
    z = NormalDist().inv_cdf(0.975)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * (share * (1 - share) / trials + z * z / (4 * trials * trials)) ** 0.5
    scale = 1 + z * z / trials
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))
