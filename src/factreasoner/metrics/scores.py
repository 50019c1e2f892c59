"""The scores of a data set, as functions of how often each of its records counts.

With every record once they are the data set's; with the counts of a bootstrap resample, the resample's.
Scores of atoms against labels are over all labelled atoms together; what is said of S and NS takes C and U
for NS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.calibration import ECE_BINS, bin_of
from factreasoner.metrics.intervals import Interval, percentile_interval, resamples
from factreasoner.metrics.samples import GOLDS, SUPPORTS, Floats, Ints, Sample

Statistic = Callable[[Ints], Floats]
"""Counts of shape (resamples, records) -> the score of each resample, NaN where it is undefined."""

SUPPORTED = SUPPORTS.index("supported")
S, U, NS = GOLDS.index("S"), GOLDS.index("U"), GOLDS.index("NS")


class Score(NamedTuple):
    """One score. `better` is the direction that is better, if one is; `labels`: it needs gold labels.

    `tested`: a difference between two runs is worth a test of whether it could be chance.
    """

    name: str
    shown: str
    statistic: Callable[[Sample], Statistic]
    better: str | None = None
    labels: bool = False
    tested: bool = False


class Estimate(NamedTuple):
    """A score and its 95 % interval over records; None where it is undefined."""

    value: float | None
    interval: Interval | None


def estimates(sample: Sample, names: Iterable[str], *, seed: int = 0) -> dict[str, Estimate]:
    """Scores of a sample with percentile bootstrap intervals; none for fewer than two records."""
    spread = bootstrap(sample, names, seed=seed)
    return {name: Estimate(value_of(sample, name), percentile_interval(s)) for name, s in spread.items()}


def value_of(sample: Sample, name: str) -> float | None:
    """One score of the whole sample; None when it is undefined."""
    value = float(SCORES[name].statistic(sample)(np.ones((1, len(sample.ids)), dtype=np.int64))[0])
    return None if np.isnan(value) else value


def bootstrap(sample: Sample, names: Iterable[str], *, seed: int = 0) -> dict[str, Floats]:
    """Scores of resamples of a sample's records; empty arrays for fewer than two records.

    Samples of as many records are resampled alike, so that one run's values pair with another's.
    """
    n = len(sample.ids)
    statistics = {name: SCORES[name].statistic(sample) for name in names}
    if n < 2:
        return {name: np.empty(0) for name in statistics}
    found: dict[str, list[Floats]] = {name: [] for name in statistics}
    for drawn in resamples(n, seed=seed, width=len(sample.atom_p)):
        counts = counts_of(drawn, n)
        for name, statistic in statistics.items():
            found[name].append(statistic(counts))
    return {name: np.concatenate(values) for name, values in found.items()}


def counts_of(drawn: Ints, num_records: int) -> Ints:
    """How often each record was drawn, from the records drawn: both have one row a resample."""
    rows = np.arange(len(drawn))[:, None] * num_records
    return np.bincount((drawn + rows).ravel(), minlength=len(drawn) * num_records).reshape(-1, num_records)


def confusion(sample: Sample) -> dict[str, int]:
    """Counts of predictions against labels over the labelled atoms."""
    cells = _cells(sample).sum(axis=0)
    names = ("true_positive", "true_negative", "false_positive", "false_negative")
    return {name: int(cell) for name, cell in zip(names, cells, strict=True)}


def three_way_confusion(sample: Sample) -> dict[str, dict[str, int]] | None:
    """Counts by label (S, C, U) and support; None unless people told C or U apart."""
    if not _told_apart(sample):
        return None
    counts = _three_way(sample).sum(axis=0)
    return {
        gold: {support: int(counts[i, j]) for j, support in enumerate(SUPPORTS)}
        for i, gold in enumerate(GOLDS[:NS])
    }


def _ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)


def _mean(name: str) -> Callable[[Sample], Statistic]:
    """Mean over the records that have the value."""

    def prepared(sample: Sample) -> Statistic:
        known = ~np.isnan(sample.values[name])
        values = np.where(known, sample.values[name], 0.0)
        return lambda counts: _ratio(counts @ values, counts @ known.astype(float))

    return prepared


def _whole_mean(name: str) -> Callable[[Sample], Statistic]:
    """Mean over all records; undefined when any lacks the value."""

    def prepared(sample: Sample) -> Statistic:
        return lambda counts: (counts @ sample.values[name]) / counts.sum(axis=1)

    return prepared


def _sums(sample: Sample, columns: Floats | Ints) -> Floats:
    """Sums of the atoms' values by record: shape (records, columns)."""
    total = np.zeros((len(sample.ids), columns.shape[1]))
    np.add.at(total, sample.atom_record, columns)
    return total


def _cells(sample: Sample) -> Floats:
    """By record: true positives, true negatives, false positives, false negatives."""
    said, true = sample.atom_support == SUPPORTED, sample.atom_gold == S
    return _sums(sample, np.stack([said & true, ~said & ~true, said & ~true, ~said & true], axis=1))


def _of_confusion(score: Callable[[Floats], Floats]) -> Callable[[Sample], Statistic]:
    def prepared(sample: Sample) -> Statistic:
        cells = _cells(sample)
        return lambda counts: score((counts @ cells).T)

    return prepared


def _accuracy(cells: Floats) -> Floats:
    return _ratio(cells[0] + cells[1], cells.sum(axis=0))


def _f1(cells: Floats) -> Floats:
    return _ratio(2 * cells[0], 2 * cells[0] + cells[2] + cells[3])


def _macro_f1(cells: Floats) -> Floats:
    return _mean_of_defined([_f1(cells), _f1(cells[[1, 0, 2, 3]])])


def _mean_of_defined(parts: list[Floats]) -> Floats:
    stacked = np.stack(parts)
    known = ~np.isnan(stacked)
    return _ratio(np.where(known, stacked, 0.0).sum(axis=0), known.sum(axis=0))


def _told_apart(sample: Sample) -> bool:
    return bool(np.isin(sample.atom_gold, [GOLDS.index("C"), U]).any())


def _three_way(sample: Sample) -> Floats:
    """By record: atoms of each label (S, C, U) and support, shape (records, 3, 4)."""
    total = np.zeros((len(sample.ids), NS, len(SUPPORTS)))
    if _told_apart(sample):
        finer = sample.atom_gold < NS
        np.add.at(
            total, (sample.atom_record[finer], sample.atom_gold[finer], sample.atom_support[finer]), 1.0
        )
    return total


def _of_three_way(score: Callable[[Floats], Floats]) -> Callable[[Sample], Statistic]:
    def prepared(sample: Sample) -> Statistic:
        cells = _three_way(sample)
        return lambda counts: score(np.tensordot(counts.astype(float), cells, axes=1))

    return prepared


def _merged(cells: Floats) -> Floats:
    """Supports as people label: undecided and unverified atoms are U."""
    return np.concatenate([cells[:, :, :U], cells[:, :, U:].sum(axis=2, keepdims=True)], axis=2)


def _three_way_accuracy(cells: Floats) -> Floats:
    cells = _merged(cells)
    return _ratio(np.trace(cells, axis1=1, axis2=2), cells.sum(axis=(1, 2)))


def _three_way_macro_f1(cells: Floats) -> Floats:
    cells = _merged(cells)
    said, true = cells.sum(axis=1), cells.sum(axis=2)
    return _mean_of_defined([_ratio(2 * cells[:, i, i], said[:, i] + true[:, i]) for i in range(NS)])


def _auroc(sample: Sample) -> Statistic:
    """Share of pairs of an S and another atom that P orders rightly, ties counting half."""
    order = np.argsort(sample.atom_p, kind="stable")
    p, record = sample.atom_p[order], sample.atom_record[order]
    positive = sample.atom_gold[order] == S
    first = np.flatnonzero(np.diff(p, prepend=np.nan) != 0)

    def statistic(counts: Ints) -> Floats:
        if not len(p):
            return np.full(len(counts), np.nan)
        weights = counts[:, record].astype(float)
        above = np.add.reduceat(weights * positive, first, axis=1)
        others = np.add.reduceat(weights * ~positive, first, axis=1)
        below = np.cumsum(others, axis=1) - others / 2
        return _ratio((above * below).sum(axis=1), above.sum(axis=1) * others.sum(axis=1))

    return statistic


def _brier(sample: Sample) -> Statistic:
    error = (sample.atom_p - (sample.atom_gold == S)) ** 2
    sums = _sums(sample, np.stack([error, np.ones_like(error)], axis=1))

    def statistic(counts: Ints) -> Floats:
        total = counts @ sums
        return _ratio(total[:, 0], total[:, 1])

    return statistic


def _ece(sample: Sample) -> Statistic:
    gaps = np.zeros((len(sample.ids), ECE_BINS))
    np.add.at(gaps, (sample.atom_record, bin_of(sample.atom_p)), sample.atom_p - (sample.atom_gold == S))
    atoms = np.bincount(sample.atom_record, minlength=len(sample.ids))
    return lambda counts: _ratio(np.abs(counts @ gaps).sum(axis=1), counts @ atoms)


_ALL = (
    Score("supported", "#S", _mean("supported")),
    Score("contradicted", "#C", _mean("contradicted")),
    Score("undecided", "#U", _mean("undecided")),
    Score("unverified", "#?", _mean("unverified")),
    Score("precision", "Pr", _mean("precision"), tested=True),
    Score("precision_low", "Pr low", _mean("precision_low")),
    Score("precision_high", "Pr high", _mean("precision_high")),
    Score("recall_k", "R@K", _mean("recall_k")),
    Score("f1_k", "F1@K", _mean("f1_k"), tested=True),
    Score("avg_entropy", "E", _mean("avg_entropy"), tested=True),
    Score("avg_norm_entropy", "E in bits", _mean("avg_norm_entropy")),
    Score("avg_prob", "mean P", _mean("avg_prob")),
    Score("avg_logprob", "mean ln P", _mean("avg_logprob")),
    Score("accuracy", "accuracy", _of_confusion(_accuracy), "higher", labels=True, tested=True),
    Score("f1", "F1", _of_confusion(_f1), "higher", labels=True, tested=True),
    Score("macro_f1", "macro-F1", _of_confusion(_macro_f1), "higher", labels=True, tested=True),
    Score("auroc", "AUROC", _auroc, "higher", labels=True, tested=True),
    Score("brier", "Brier", _brier, "lower", labels=True, tested=True),
    Score("ece", "ECE", _ece, "lower", labels=True, tested=True),
    Score("gold_precision", "Pr*", _mean("gold_precision"), labels=True),
    Score("mae_precision", "MAE", _mean("mae_precision"), "lower", labels=True, tested=True),
    Score("three_way_accuracy", "accuracy S/C/U", _of_three_way(_three_way_accuracy), "higher", labels=True),
    Score("three_way_macro_f1", "macro-F1 S/C/U", _of_three_way(_three_way_macro_f1), "higher", labels=True),
    Score("calls", "calls", _whole_mean("calls"), "lower"),
    Score("tokens", "tokens", _whole_mean("tokens"), "lower"),
    Score("cost", "cost", _whole_mean("cost"), "lower"),
)

SCORES: Mapping[str, Score] = {score.name: score for score in _ALL}
"""Every score by its name; the first block and the last are means over records."""
USAGE = ("calls", "tokens", "cost")
