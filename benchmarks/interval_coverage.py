"""How often the 95 % intervals hold the truth.

Two runs over the same simulated records of very different difficulty, four to twenty atoms each, which
depend on each other; posteriors are too sure, calibrated (labels are drawn from P itself), then not sure
enough. The truth is their metrics over 40,000 records, and for the calibration error of calibrated ones 0.
Every trial draws some records and asks whether the interval of the first run's metric, and of the paired
difference, holds it. Beside them stands the percentile bootstrap over records (500 resamples).

Run: `python benchmarks/interval_coverage.py`; `--trials 1000` for more.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.comparison import counts_of, paired
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.metrics.samples import Claims, Floats, Sample

METRICS = [
    FACTUALITY[name] for name in ("precision", "f1_at_k", "accuracy", "macro_f1", "auroc", "brier", "ece")
]
RECORDS = (10, 50, 200)
FEWEST_ATOMS, MOST_ATOMS = 4, 20
K = 10
POPULATION = 40_000
RESAMPLES = 500
CALIBRATED, TOO_SURE, NOT_SURE = 1.0, 1.6, 0.6


class Pair(NamedTuple):
    """Two runs over the same records."""

    one: Sample
    other: Sample


def drawn(random: np.random.Generator, records: int, sureness: float) -> Pair:
    """Two runs, the first a little better.

    Log-odds are `sureness` times the right ones; those of the second run are noisy besides.
    """
    count = random.integers(FEWEST_ATOMS, MOST_ATOMS + 1, size=records)
    record = np.repeat(np.arange(records), count)
    easy = random.normal(0.6, 0.8, size=records)[record] + random.normal(0, 1.2, size=len(record))
    shared = random.normal(0, 0.6, size=records)[record]
    gold = random.random(len(record)) < _logistic(easy + shared)
    right = easy + shared
    odds = [sureness * (right + random.normal(0, scale, size=len(record))) for scale in (0.0, 1.0)]
    return Pair(*(_sample(Claims.of(_logistic(each), gold, record), count) for each in odds))


def _logistic(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


def _sample(claims: Claims, count: Floats) -> Sample:
    supported = claims.sums((claims.predicted == 0)[None])[:, 0]
    precision, recall = supported / count, np.minimum(supported / K, 1.0)
    total = precision + recall
    f1_k = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    records = len(count)
    values = {"precision": precision, "f1_at_k": f1_k}
    return Sample(tuple(map(str, range(records))), values, np.zeros(records, dtype=np.int64), claims)


def coverage(
    random: np.random.Generator, records: int, trials: int, sureness: float
) -> dict[str, tuple[float, float, float]]:
    """Shares of trials by metric whose interval holds the truth: jackknife, its difference, bootstrap."""
    population = drawn(random, POPULATION, sureness)
    truth = {m.name: [m.statistic(sample).value for sample in population] for m in METRICS}
    if sureness == CALIBRATED:
        truth["ece"][0] = 0.0
    held = {m.name: [0, 0, 0] for m in METRICS}
    for _ in range(trials):
        pair = drawn(random, records, sureness)
        choices = counts_of(random.integers(0, records, size=(RESAMPLES, records)), records)
        for metric in METRICS:
            one, other = truth[metric.name]
            gap = paired(metric.statistic(pair.one), metric.statistic(pair.other), metric.bounds)
            found = (
                FACTUALITY.estimates(pair.one, [metric.name])[metric.name].interval,
                gap.interval,
                _bootstrap(metric.statistic(pair.one).weighted(choices)),
            )
            for place, (interval, true) in enumerate(zip(found, (one, one - other, one), strict=True)):
                held[metric.name][place] += interval is not None and interval[0] <= true <= interval[1]
    return {name: (a / trials, b / trials, c / trials) for name, (a, b, c) in held.items()}


def _bootstrap(values: Floats) -> tuple[float, float] | None:
    defined = values[~np.isnan(values)]
    if len(defined) < 0.9 * len(values):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)


def rows(random: np.random.Generator, trials: int, sureness: float) -> Iterator[str]:
    """Rows of the table: a number of records, then the three shares of each metric."""
    for records in RECORDS:
        shares = coverage(random, records, trials, sureness)
        cells = (" ".join(f"{share:.2f}".lstrip("0") for share in s) for s in shares.values())
        yield f"| {records} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Coverage of intervals, by simulation.")
    parser.add_argument("--trials", type=int, default=200)
    trials = parser.parse_args().trials
    random = np.random.default_rng(0)
    for sureness, words in (
        (TOO_SURE, "too sure"),
        (CALIBRATED, "calibrated"),
        (NOT_SURE, "not sure enough"),
    ):
        print(f"\n{trials} trials, posteriors {words}: interval, that of a paired difference, bootstrap")
        print(f"| records | {' | '.join(m.caption(K) for m in METRICS)} |\n|---|{'---|' * len(METRICS)}")
        for row in rows(random, trials, sureness):
            print(row, flush=True)


if __name__ == "__main__":
    main()
