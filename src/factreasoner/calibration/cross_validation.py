"""How well a calibration does on records it was not fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.calibration.calibrators import (
    FITS,
    Isotonic,
    Platt,
    Temperature,
    applied,
    log_loss,
    log_losses,
)
from factreasoner.choices import CalibrationMethod, MethodChoice
from factreasoner.metrics.calibration import (
    ECE_BINS,
    Bin,
    BrierParts,
    bin_of,
    brier_parts,
    expected_calibration_error,
    reliability_bins,
)
from factreasoner.metrics.intervals import Interval, percentile_interval, resamples
from factreasoner.metrics.samples import Floats, Ints

FOLDS = 5
ALIKE_DIGITS = 5
LEAST, LEAST_OF_EACH, LEAST_RECORDS = 20, 5, 5
"""A fit needs so many probabilities with a known outcome, so many of either outcome, in so many records."""


class Known(NamedTuple):
    """Probabilities with a known outcome; `record` numbers the record each comes from."""

    p: Floats
    hits: Floats
    record: Ints

    @classmethod
    def of(cls, p: Sequence[float], hits: Sequence[bool], record: Sequence[int]) -> Known:
        """From plain sequences of one length."""
        return cls(np.asarray(p, float), np.asarray(hits, float), np.asarray(record, np.int64))

    def at(self, places: Ints) -> Known:
        """Those at some places."""
        return Known(self.p[places], self.hits[places], self.record[places])


class Quality(NamedTuple):
    """How good probabilities are."""

    brier: BrierParts
    log_loss: float
    ece: float
    bins: tuple[Bin, ...]


class Gain(NamedTuple):
    """A score before less the one after, with its 95 % bootstrap interval over records; above 0 is better."""

    value: float
    interval: Interval | None


class Improvement(NamedTuple):
    """What became of probabilities: how many, how many of them right, in how many records, and how good.

    `gains` are those of "brier", "log_loss" and "ece".
    """

    size: int
    hits: int
    records: int
    before: Quality
    after: Quality
    gains: dict[str, Gain]


class Fitted(NamedTuple):
    """A calibrator fitted to everything, and what its like did on records held out of their fit."""

    calibrator: Temperature | Platt | Isotonic
    held_out: Improvement


def shortage(known: Known) -> str | None:
    """Why there is too little to fit a calibrator to, with the numbers; None when there is enough."""
    hits, records = int(known.hits.sum()), len(np.unique(known.record))
    misses = len(known.hits) - hits
    if len(known.hits) >= LEAST and min(hits, misses) >= LEAST_OF_EACH and records >= LEAST_RECORDS:
        return None
    found = f"{len(known.hits)} with a known outcome ({hits} right, {misses} wrong) in {records} records"
    needed = f"{LEAST}, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong, in {LEAST_RECORDS} records"
    return f"{found}; it takes {needed}"


def fit(known: Known, choice: MethodChoice = "auto", *, seed: int = 0) -> Fitted:
    """A calibrator of the chosen method, or of the one that does best on held-out records.

    For "auto" the choice itself is made anew for every fold, on the records that are not held out. `seed`
    decides which records are held out together, and the resamples of the intervals.

    Raises:
        ValueError: too little to fit to, see `shortage`.
    """
    lack = shortage(known)
    if lack is not None:
        raise ValueError(lack)
    after = held_out(known, choice, seed=seed)
    return Fitted(_fitted(known, choice, seed), improvement(known, after, seed=seed))


def improvement(known: Known, after: Floats, *, seed: int = 0) -> Improvement:
    """How good probabilities were and what they are `after`, in the same order; there is at least one."""
    one, other = _sums(known.p, known), _sums(after, known)
    before, now = quality(known.p, known.hits), quality(after, known.hits)
    values = _scores(one.sum(axis=0)) - _scores(other.sum(axis=0))
    drawn = resamples(len(one), seed=seed, width=one.size)
    spread = np.concatenate(
        [_scores(one[rows].sum(axis=1)) - _scores(other[rows].sum(axis=1)) for rows in drawn]
    )
    enough = len(one) > 1
    return Improvement(
        size=len(known.p),
        hits=int(known.hits.sum()),
        records=len(one),
        before=before,
        after=now,
        gains={
            name: Gain(float(values[i]), percentile_interval(spread[:, i]) if enough else None)
            for i, name in enumerate(("brier", "log_loss", "ece"))
        },
    )


def _sums(p: Floats, known: Known) -> Floats:
    """By record: number, squared error, log loss, and the gap in each bin; shape (records, 3 + bins)."""
    numbers, place = np.unique(known.record, return_inverse=True)
    values = np.zeros((3 + ECE_BINS, len(p)))
    values[:3] = np.ones_like(p), (p - known.hits) ** 2, log_losses(p, known.hits)
    values[3 + bin_of(p), np.arange(len(p))] = p - known.hits
    return np.stack([np.bincount(place, weights=row, minlength=len(numbers)) for row in values], axis=1)


def _scores(sums: Floats) -> Floats:
    """Brier score, log loss and calibration error from such sums; shape (..., 3)."""
    errors = [sums[..., 1], sums[..., 2], np.abs(sums[..., 3:]).sum(axis=-1)]
    return np.asarray(np.stack(errors, axis=-1) / sums[..., :1])


def held_out(known: Known, choice: MethodChoice, *, seed: int = 0) -> Floats:
    """Every probability calibrated by a fit to other records."""
    after = np.empty_like(known.p)
    for train, test in folds(known.record, seed=seed):
        after[test] = applied(_fitted(known.at(train), choice, seed), known.p[test])
    return after


def folds(record: Ints, *, seed: int = 0) -> Iterator[tuple[Ints, Ints]]:
    """Places to fit to and places held out; a record is wholly in one or the other."""
    from sklearn.model_selection import KFold

    numbers = np.unique(record)
    splits = KFold(min(FOLDS, len(numbers)), shuffle=True, random_state=seed)
    for _, chosen in splits.split(numbers):
        outside = np.isin(record, numbers[chosen])
        yield np.flatnonzero(~outside), np.flatnonzero(outside)


def quality(p: Floats, hits: Floats) -> Quality:
    """How good probabilities are, of which there is at least one."""
    parts, ece = brier_parts(p.tolist(), hits.tolist()), expected_calibration_error(p.tolist(), hits.tolist())
    if parts is None or ece is None:
        raise ValueError("there are no probabilities")
    return Quality(parts, log_loss(p, hits), ece, tuple(reliability_bins(p.tolist(), hits.tolist())))


def _fitted(known: Known, choice: MethodChoice, seed: int) -> Temperature | Platt | Isotonic:
    method = _best(known, seed) if choice == "auto" else choice
    return FITS[method](known.p, known.hits)


def _best(known: Known, seed: int) -> CalibrationMethod:
    """The method of the smallest log loss on held-out records, the simpler one where two do alike."""
    if len(np.unique(known.record)) < 2:
        return "temperature"
    losses = {method: log_loss(held_out(known, method, seed=seed), known.hits) for method in FITS}
    return min(losses, key=lambda method: round(losses[method], ALIKE_DIGITS))
