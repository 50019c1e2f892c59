"""95 % intervals: bootstrap for means over records, Wilson for shares."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

RESAMPLES = 2000
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
    random = np.random.default_rng(seed)
    rows = max(1, _NUMBERS_AT_ONCE // len(data))
    means = [
        data[random.integers(0, len(data), size=(min(rows, RESAMPLES - done), len(data)))].mean(axis=1)
        for done in range(0, RESAMPLES, rows)
    ]
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
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
