"""Whether two runs over the same records differ by more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.intervals import Interval, percentile_interval
from factreasoner.metrics.samples import Floats, Ints, Sample
from factreasoner.metrics.scores import SCORES, bootstrap, counts_of, value_of

PERMUTATIONS = 9999
TIED_DECIMALS = 12
_NUMBERS_AT_ONCE = 1_000_000


class Difference(NamedTuple):
    """A score of `run` less that of `baseline`, over the same records.

    `interval` is the paired percentile bootstrap's over records. `p_value` is that of a paired permutation
    test, two-sided; `p_holm` the same after Holm's correction for all tests of the comparison. None where
    the score is undefined, there are fewer than two records, or the score is not tested.
    """

    score: str
    run: str
    baseline: str
    value: float | None
    interval: Interval | None
    p_value: float | None
    p_holm: float | None


def differences(
    samples: Mapping[str, Sample], baseline: str, names: Sequence[str], *, seed: int = 0
) -> list[Difference]:
    """Every run's scores `names` less those of the run `baseline`.

    Raises:
        ValueError: the runs are not over the same records in the same order.
    """
    base = samples[baseline]
    if any(sample.ids != base.ids for sample in samples.values()):
        raise ValueError("the runs are not over the same records in the same order")
    spread = {name: bootstrap(sample, names, seed=seed) for name, sample in samples.items()}
    found = [
        _difference(score, (run, samples[run]), (baseline, base), spread, seed)
        for run in samples
        if run != baseline
        for score in names
    ]
    corrected = holm([item.p_value for item in found])
    return [item._replace(p_holm=p) for item, p in zip(found, corrected, strict=True)]


def _difference(
    score: str,
    one: tuple[str, Sample],
    other: tuple[str, Sample],
    spread: Mapping[str, Mapping[str, Floats]],
    seed: int,
) -> Difference:
    values = [value_of(sample, score) for _, sample in (one, other)]
    if values[0] is None or values[1] is None:
        return Difference(score, one[0], other[0], None, None, None, None)
    return Difference(
        score,
        one[0],
        other[0],
        values[0] - values[1],
        percentile_interval(spread[one[0]][score] - spread[other[0]][score]),
        permutation_p(one[1], other[1], score, seed=seed) if SCORES[score].tested else None,
        None,
    )


def permutation_p(one: Sample, other: Sample, score: str, *, seed: int = 0) -> float | None:
    """Two-sided p-value of a score's difference, each record's two assessments being exchangeable.

    Exact where all exchanges are fewer than `PERMUTATIONS`, else of so many random ones (Phipson & Smyth
    2010). An exchange that leaves the score undefined counts as one that differs more. None for fewer than
    two records.
    """
    from scipy.stats import permutation_test

    n = len(one.ids)
    if n < 2:
        return None
    both = one.followed_by(other)
    statistic = SCORES[score].statistic(both)

    def distance(first: Ints, second: Ints, axis: int) -> Floats:
        shape = first.shape[:-1]
        halves = [statistic(counts_of(half.reshape(-1, n), 2 * n)) for half in (first, second)]
        # Sums taken in another order differ in their last bits; equal differences must tie.
        gap = np.round(np.abs(halves[0] - halves[1]), TIED_DECIMALS).reshape(shape)
        return np.where(np.isnan(gap), np.inf, gap)

    result = permutation_test(
        (np.arange(n), np.arange(n, 2 * n)),
        distance,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=max(1, _NUMBERS_AT_ONCE // max(2 * n, len(both.atom_p))),
        alternative="greater",
        rng=np.random.default_rng(seed),
        axis=-1,
    )
    return float(result.pvalue)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (Holm 1979) of the tests that were made; None stays None."""
    from statsmodels.stats.multitest import multipletests

    made = [p for p in p_values if p is not None]
    if not made:
        return list(p_values)
    corrected = iter(multipletests(made, method="holm")[1].tolist())
    return [None if p is None else next(corrected) for p in p_values]
