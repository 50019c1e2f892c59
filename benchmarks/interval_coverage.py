"""How often the 95 % intervals hold the truth, and how often the test calls chance a difference.

Two runs over the same simulated records of very different difficulty, twelve atoms each; the truth is their
scores over 40,000 records. Every trial draws some records and asks whether the percentile bootstrap
intervals of one run's scores, and of the paired differences, hold it. For the test the two assessments of
every record are exchanged at random, so that every difference is chance; p <= 0.05 should
come 5 times in 100.

Measured in 80 to 120 trials, a run's score and the difference of two (the last digit but one may be chance):

| records | precision | AUROC | Brier | ECE |
|---|---|---|---|---|
| 4 | .80, .79 | .65, .73 | .82, .82 | .30, .77 |
| 10 | .91, .90 | .83, .84 | .88, .88 | .63, .98 |
| 20 | .96, .93 | .83, .93 | .88, .93 | .74, .94 |
| 50 | .93, .94 | .93, .98 | .99, .93 | .90, .99 |

ECE is biased upwards in small samples, and more so in resamples of them.

Run: `python benchmarks/interval_coverage.py`; `--trials 2000` for more.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.comparison import permutation_p
from factreasoner.metrics.intervals import percentile_interval
from factreasoner.metrics.samples import GOLDS, SUPPORTS, VALUES, Floats, Sample
from factreasoner.metrics.scores import bootstrap, value_of

SCORES = ("precision", "mae_precision", "accuracy", "macro_f1", "auroc", "brier", "ece")
RECORDS = (4, 6, 10, 20, 50, 100)
ATOMS = 12
POPULATION = 40_000
S, NS = GOLDS.index("S"), GOLDS.index("NS")


class Pair(NamedTuple):
    """Two runs over the same records."""

    one: Sample
    other: Sample


def drawn(random: np.random.Generator, records: int, *, alike: bool = False) -> Pair:
    """Two runs, the first a little better; or equally good, each record's assessments exchangeable."""
    shape = (records, ATOMS)
    gold = random.random(shape) < random.beta(3, 1.5, size=(records, 1))
    hard = random.normal(0, 0.8, size=(records, 1)) + random.normal(0, 0.7, size=shape)
    signs = np.where(gold, 1.0, -1.0)
    skills = [1.0, 1.0] if alike else [1.3, 0.9]
    p_true = [
        1 / (1 + np.exp(-(skill * signs + hard + random.normal(0, 0.5, size=shape)))) for skill in skills
    ]
    if alike:
        exchanged = random.random((records, 1)) < 0.5
        p_true = [np.where(exchanged, p_true[1], p_true[0]), np.where(exchanged, p_true[0], p_true[1])]
    return Pair(*(_sample(p, gold) for p in p_true))


def _sample(p_true: Floats, gold: NDArray[np.bool_]) -> Sample:
    records, atoms = p_true.shape
    supported = p_true > 0.5
    precision, gold_precision = supported.mean(axis=1), gold.mean(axis=1)
    values = {name: np.full(records, np.nan) for name in VALUES}
    values |= {"precision": precision, "mae_precision": np.abs(precision - gold_precision)}
    return Sample(
        ids=tuple(map(str, range(records))),
        values=values,
        left_out=np.zeros(records, dtype=np.int64),
        atom_record=np.repeat(np.arange(records), atoms),
        atom_p=p_true.ravel(),
        atom_support=np.where(supported, SUPPORTS.index("supported"), SUPPORTS.index("contradicted")).ravel(),
        atom_gold=np.where(gold, S, NS).ravel(),
    )


def coverage(
    random: np.random.Generator, records: int, trials: int, truth: Pair
) -> dict[str, tuple[float, float]]:
    """Shares of trials by score whose interval holds the truth: of the first run, and of the difference."""
    of_run, of_other = ({name: _known(sample, name) for name in SCORES} for sample in truth)
    of_gap = {name: value - of_other[name] for name, value in of_run.items()}
    held = {name: [0, 0] for name in SCORES}
    for _ in range(trials):
        pair = drawn(random, records)
        one, other = (bootstrap(sample, SCORES) for sample in pair)
        for name in SCORES:
            held[name][0] += _holds(one[name], of_run[name])
            held[name][1] += _holds(one[name] - other[name], of_gap[name])
    return {name: (first / trials, second / trials) for name, (first, second) in held.items()}


def _known(sample: Sample, name: str) -> float:
    value = value_of(sample, name)
    assert value is not None
    return value


def _holds(values: Floats, truth: float) -> bool:
    interval = percentile_interval(values)
    return interval is not None and interval.low <= truth <= interval.high


def false_alarms(random: np.random.Generator, records: int, trials: int) -> dict[str, float]:
    """Share of trials in which chance alone has p <= 0.05, by score."""
    found = dict.fromkeys(("precision", "auroc", "brier"), 0)
    for _ in range(trials):
        pair = drawn(random, records, alike=True)
        for name in found:
            p = permutation_p(pair.one, pair.other, name)
            found[name] += p is not None and p <= 0.05
    return {name: count / trials for name, count in found.items()}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Coverage of intervals, by simulation.")
    parser.add_argument("--trials", type=int, default=400)
    trials = parser.parse_args().trials
    random = np.random.default_rng(0)
    truth = drawn(random, POPULATION)
    print(f"{trials} trials; share of intervals that hold the truth: of a run's score, of the difference")
    print("| records | " + " | ".join(SCORES) + " |\n|---|" + "---|" * len(SCORES))
    for records in RECORDS:
        shares = coverage(random, records, trials, truth)
        cells = (f"{one:.3f}, {gap:.3f}" for one, gap in shares.values())
        print(f"| {records} | " + " | ".join(cells) + " |", flush=True)
    print("\nshare of chance differences with p <= 0.05")
    for records in (10, 20):
        alarms = false_alarms(random, records, max(1, trials // 4))
        print(f"  {records} records: " + ", ".join(f"{name} {share:.3f}" for name, share in alarms.items()))


if __name__ == "__main__":
    main()
