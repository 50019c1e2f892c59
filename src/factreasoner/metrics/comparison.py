"""Test whether runs over the same records differ by more than chance; agreement of judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.samples import Floats, Ints, Sample
from factreasoner.metrics.statistics import Bounds, Estimate, Interval, Statistic, jackknife_t
from factreasoner.metrics.table import Metric, finite_or_none

PERMUTATIONS = 9999
TIED_DECIMALS = 12
_NUMBERS_AT_ONCE = 1_000_000


class Difference(NamedTuple):
    """A metric of `run` minus that of `baseline`, over the same records.

    `interval` is jackknife-t over records, `reason` why there is none. `p_value` is from a paired two-sided
    permutation test; `p_holm` is Holm-corrected for all tests of the comparison. They are None if the metric
    is undefined or not tested, or with fewer than two records.
    """

    score: str
    run: str
    baseline: str
    value: float | None
    interval: Interval | None
    reason: str | None
    p_value: float | None
    p_holm: float | None


def differences(
    samples: Mapping[str, Sample], baseline: str, metrics: Sequence[Metric], *, seed: int = 0
) -> list[Difference]:
    """Every run's metrics minus those of `baseline`; `seed` is for random permutations.

    Raises ValueError: the runs have different records, or a different order.
    """
    base = samples[baseline]
    if any(tuple(sample.ids) != tuple(base.ids) for sample in samples.values()):
        raise ValueError("the runs are not over the same records in the same order")
    found = [
        _difference(metric, (run, samples[run]), (baseline, base), seed)
        for run in samples
        if run != baseline
        for metric in metrics
    ]
    corrected = holm([item.p_value for item in found])
    return [item._replace(p_holm=p) for item, p in zip(found, corrected, strict=True)]


def _difference(metric: Metric, one: tuple[str, Sample], other: tuple[str, Sample], seed: int) -> Difference:
    value, interval, reason, _ = paired(metric.statistic(one[1]), metric.statistic(other[1]), metric.bounds)
    if value is None:
        reason = next(metric.needs.missing(s) for _, s in (one, other) if np.isnan(metric.statistic(s).value))
    tested = metric.tested and value is not None
    p_value = permutation_p(one[1], other[1], metric, seed=seed) if tested else None
    return Difference(metric.name, one[0], other[0], value, interval, reason, p_value, None)


def paired(one: Statistic, other: Statistic, bounds: Bounds) -> Estimate:
    """The difference of two statistics of the same records, and its 95 % interval.

    Both leave out the same record at a time, so common variation does not widen the interval. `bounds` are
    those of either statistic.
    """
    difference = round(one.value - other.value, TIED_DECIMALS) + 0.0  # not -0.0
    value, present = finite_or_none(difference), one.present | other.present
    if value is None:
        return Estimate(None, None, "it is undefined in one of the two")
    width = bounds[1] - bounds[0]
    without = (one.without_each() - other.without_each())[present]
    found = one.no_difference_interval or jackknife_t(value, without, (-width, width))
    return Estimate.of(value, found, present)


def permutation_p(one: Sample, other: Sample, metric: Metric, *, seed: int = 0) -> float | None:
    """Two-sided p-value of a metric's difference, by exchanging the runs record by record.

    Exact with fewer than `PERMUTATIONS` exchanges, else from random ones (Phipson & Smyth 2010). An exchange
    with an undefined metric counts as more extreme. None with fewer than two records.
    """
    from scipy.stats import permutation_test

    n = len(one.ids)
    if n < 2:
        return None
    statistic = metric.statistic(one.followed_by(other))

    def distance(first: Ints, second: Ints, axis: int) -> Floats:
        shape = first.shape[:-1]
        halves = [statistic.weighted(counts_of(half.reshape(-1, n), 2 * n)) for half in (first, second)]
        # Sums taken in another order differ in their last bits; equal differences must tie.
        gap = np.round(np.abs(halves[0] - halves[1]), TIED_DECIMALS).reshape(shape)
        return np.where(np.isnan(gap), np.inf, gap)

    result = permutation_test(
        (np.arange(n), np.arange(n, 2 * n)),
        distance,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=max(1, _NUMBERS_AT_ONCE // max(2 * n, len(one.claims.p) + len(other.claims.p))),
        alternative="greater",
        rng=np.random.default_rng(seed),
        axis=-1,
    )
    return float(result.pvalue)


def counts_of(drawn: Ints, num_records: int) -> Ints:
    """How often each record was drawn; one row per draw."""
    rows = np.arange(len(drawn))[:, None] * num_records
    return np.bincount((drawn + rows).ravel(), minlength=len(drawn) * num_records).reshape(-1, num_records)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (Holm 1979); None stays None."""
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected = list(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(made):
        largest = max(largest, min(1.0, (len(made) - rank) * p))
        corrected[place] = largest
    return corrected


class Agreement:
    """Agreement of judges beyond chance: Krippendorff's alpha over units, each with some judges' values.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), nominal data, any number of
    judges, missing values.
    """

    def __init__(self) -> None:
        self.units = 0
        self._counts: Counter[str] = Counter()
        self._observed = 0.0

    def add(self, values: Sequence[str]) -> None:
        """Count one unit; one with fewer than two values is ignored."""
        if len(values) < 2:
            return
        self.units += 1
        self._counts.update(values)
        self._observed += _unequal(Counter(values)) / (len(values) - 1)

    @property
    def alpha(self) -> float | None:
        """1 for full agreement, 0 for chance; None if no two values differ."""
        expected = _unequal(self._counts)
        return 1.0 - (self._counts.total() - 1) * self._observed / expected if expected else None


def _unequal(counts: Counter[str]) -> int:
    """The number of ordered pairs of different values."""
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
