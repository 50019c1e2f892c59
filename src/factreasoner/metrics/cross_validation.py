"""How well a calibration does on records it was not fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from factreasoner.metrics.calibration import (
    Bin,
    BrierParts,
    brier_parts,
    expected_calibration_error,
    reliability_bins,
)
from factreasoner.metrics.calibrators import (
    FITS,
    Isotonic,
    Method,
    Platt,
    Temperature,
    applied,
    log_loss,
)
from factreasoner.metrics.intervals import Interval, bootstrap_ratio
from factreasoner.metrics.samples import Floats, Ints

FOLDS = 5
ALIKE_DIGITS = 5
LEAST, LEAST_OF_EACH, LEAST_RECORDS = 20, 5, 5
"""A fit needs so many probabilities with a known outcome, so many of either outcome, in so many records."""

Choice = Literal["auto", "temperature", "platt", "isotonic"]


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


class Fitted(NamedTuple):
    """A calibrator fitted to everything, and what its like did on records held out of their fit.

    `gain` is the Brier score before less the one after, over records held out, with its 95 % bootstrap
    interval over records.
    """

    calibrator: Temperature | Platt | Isotonic
    size: int
    hits: int
    records: int
    before: Quality
    after: Quality
    gain: float
    gain_interval: Interval | None


def shortage(known: Known) -> str | None:
    """Why there is too little to fit a calibrator to, with the numbers; None when there is enough."""
    hits, records = int(known.hits.sum()), len(np.unique(known.record))
    misses = len(known.hits) - hits
    if len(known.hits) >= LEAST and min(hits, misses) >= LEAST_OF_EACH and records >= LEAST_RECORDS:
        return None
    found = f"{len(known.hits)} with a known outcome ({hits} right, {misses} wrong) in {records} records"
    needed = f"{LEAST}, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong, in {LEAST_RECORDS} records"
    return f"{found}; it takes {needed}"


def fit(known: Known, choice: Choice = "auto", *, seed: int = 0) -> Fitted:
    """A calibrator of the chosen method, or of the one that does best on held-out records.

    For "auto" the choice itself is made anew for every fold, on the records that are not held out.

    Raises:
        ValueError: too little to fit to, see `shortage`.
    """
    lack = shortage(known)
    if lack is not None:
        raise ValueError(lack)
    after = held_out(known, choice)
    gains = (known.p - known.hits) ** 2 - (after - known.hits) ** 2
    number, place = np.unique(known.record, return_inverse=True)
    totals = np.asarray(np.bincount(place, weights=gains, minlength=len(number)), dtype=np.float64)
    sizes = np.bincount(place, minlength=len(number)).astype(np.float64)
    return Fitted(
        calibrator=_fitted(known, choice),
        size=len(known.p),
        hits=int(known.hits.sum()),
        records=len(number),
        before=quality(known.p, known.hits),
        after=quality(after, known.hits),
        gain=float(gains.mean()),
        gain_interval=bootstrap_ratio(totals, sizes, seed=seed),
    )


def held_out(known: Known, choice: Choice) -> Floats:
    """Every probability calibrated by a fit to other records."""
    after = np.empty_like(known.p)
    for train, test in folds(known.record):
        after[test] = applied(_fitted(known.at(train), choice), known.p[test])
    return after


def folds(record: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Places to fit to and places held out; a record is wholly in one or the other."""
    from sklearn.model_selection import GroupKFold

    splits = min(FOLDS, len(np.unique(record)))
    yield from GroupKFold(splits).split(record, groups=record)


def quality(p: Floats, hits: Floats) -> Quality:
    """How good probabilities are, of which there is at least one."""
    parts, ece = brier_parts(p.tolist(), hits.tolist()), expected_calibration_error(p.tolist(), hits.tolist())
    if parts is None or ece is None:
        raise ValueError("there are no probabilities")
    return Quality(parts, log_loss(p, hits), ece, tuple(reliability_bins(p.tolist(), hits.tolist())))


def _fitted(known: Known, choice: Choice) -> Temperature | Platt | Isotonic:
    method = _best(known) if choice == "auto" else choice
    return FITS[method](known.p, known.hits)


def _best(known: Known) -> Method:
    """The method of the smallest log loss on held-out records, the simpler one where two do alike."""
    if len(np.unique(known.record)) < 2:
        return "temperature"
    return min(FITS, key=lambda method: round(log_loss(held_out(known, method), known.hits), ALIKE_DIGITS))
