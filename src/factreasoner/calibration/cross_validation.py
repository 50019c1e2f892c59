"""How well a calibration does on records it was not fitted to, and scores before and after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from factreasoner.calibration.calibrators import FITS, LABELS, AnyCalibrator, Identity, applied
from factreasoner.metrics.claim_scores import (
    SMALLEST_P,
    AreaUnderROC,
    CalibrationError,
    accuracy,
    brier,
    brier_parts,
    log_loss,
    macro_f1,
    reliability_bins,
)
from factreasoner.metrics.comparison import paired
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import Interval, Statistic
from factreasoner.metrics.table import SHARE, number
from factreasoner.settings.choices import CalibrationMethod

FOLDS = 5
ALIKE_DIGITS = 5
LEAST, LEAST_OF_EACH, LEAST_RECORDS = 20, 5, 5
"""A fit needs so many probabilities with a known outcome, so many of either outcome, in so many records."""
LARGEST_LOSS = -float(np.log(SMALLEST_P))
LOWER_IS_BETTER = frozenset({"log_loss", "ece", "brier"})
BOUNDS = {"log_loss": (0.0, LARGEST_LOSS)}
"""Of a score that is no share."""


class Scores(NamedTuple):
    """Statistics that can be compared, and other values."""

    statistics: Mapping[str, Statistic]
    beside: Mapping[str, Any]


class Fitted(NamedTuple):
    """A calibrator fitted to everything, and how its method did on records held out of the fit.

    The calibrator is the identity if the method did not help these records; `held_out` has its parameters,
    the method that was tried, and what `improvement` says.
    """

    calibrator: AnyCalibrator
    held_out: dict[str, Any]


def shortage(known: Claims) -> str | None:
    """Why there is too little to fit a calibrator to, with the numbers; None when there is enough."""
    hits, records = int(known.hits.sum()), len(np.unique(known.record))
    misses = len(known.hits) - hits
    if len(known.hits) >= LEAST and min(hits, misses) >= LEAST_OF_EACH and records >= LEAST_RECORDS:
        return None
    found = f"{len(known.hits)} with a known outcome ({hits} right, {misses} wrong) in {records} records"
    needed = f"{LEAST}, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong, in {LEAST_RECORDS} records"
    return f"{found}; it takes {needed}"


def fit(known: Claims, method: CalibrationMethod = "platt", *, seed: int = 0) -> Fitted:
    """A calibrator of that method, or the identity where it does not help records held out of the fit.

    It helps where both the Brier score and the log loss of held-out records get better. `seed` decides which
    records are held out together.

    Raises:
        ValueError: too little to fit to, see `shortage`.
    """
    if lack := shortage(known):
        raise ValueError(lack)
    found = improvement(known, held_out(known, method, seed=seed))
    calibrator = FITS[method](known.p, known.hits) if helps(found) else Identity()
    return Fitted(calibrator, calibrator.model_dump(mode="json") | {"tried": method} | found)


def helps(found: Mapping[str, Any]) -> bool:
    """Whether both proper scores, Brier and log loss, are lower after than before."""
    gains = (found["gain"][name]["value"] for name in ("brier", "log_loss"))
    return all(round(gain, ALIKE_DIGITS) > 0 for gain in gains)


def improvement(known: Claims, after: Floats) -> dict[str, Any]:
    """How good probabilities were, and are `after`, in the same order; there is at least one.

    With `compared` come how many there are, how many right, and in how many records.
    """
    sizes = {"n": len(known.p), "positives": int(known.hits.sum()), "records": len(np.unique(known.record))}
    return sizes | compared(scores_of_posteriors(known), scores_of_posteriors(known._replace(p=after)))


def held_out(known: Claims, method: CalibrationMethod, *, seed: int = 0) -> Floats:
    """Every probability calibrated by a fit to other records."""
    after = np.empty_like(known.p)
    for train, test in folds(known.record, seed=seed):
        rest = known.at(train)
        after[test] = applied(FITS[method](rest.p, rest.hits), known.p[test])
    return after


def folds(record: Ints, *, seed: int = 0) -> Iterator[tuple[Ints, Ints]]:
    """Places to fit to and places held out; a record is wholly in one or the other."""
    numbers = np.random.default_rng(seed).permutation(np.unique(record))
    for chosen in np.array_split(numbers, min(FOLDS, len(numbers))):
        outside = np.isin(record, chosen)
        yield np.flatnonzero(~outside), np.flatnonzero(outside)


def scores_of_posteriors(claims: Claims) -> Scores:
    """Scores of what is calibrated, lower is better."""
    found = {"brier": brier(claims), "log_loss": log_loss(claims), "ece": CalibrationError(claims)}
    return Scores(found, brier_parts(claims)._asdict() | _bins(claims))


def scores_of_labels(p: Floats, gold: Ints, record: Ints) -> Scores:
    """Scores of the most probable labels; `p` has the shape (pairs, 3), `gold` are places in `LABELS`."""
    said = p.argmax(axis=1)
    classes = Claims(int(record.max()) + 1, record, p.max(axis=1), said, gold)
    chosen = Claims.of(p.max(axis=1), said == gold, record)
    of_gold = Claims.of(p[np.arange(len(gold)), gold], np.ones(len(gold)), record)
    recalls = {
        f"recall_{label}": float((said[gold == place] == place).mean())
        for place, label in enumerate(LABELS)
        if place in gold
    }
    statistics = {
        "accuracy": accuracy(classes, len(LABELS)),
        "macro_f1": macro_f1(classes, len(LABELS)),
        "log_loss": log_loss(of_gold),
        "ece": CalibrationError(chosen),
    }
    return Scores(statistics, recalls | _bins(chosen))


def scores_of_atoms(claims: Claims) -> Scores:
    """Scores of the posteriors of labelled atoms."""
    found = {"accuracy": accuracy(claims), "auroc": AreaUnderROC(claims), "brier": brier(claims)}
    return Scores(found, _bins(claims))


def _bins(claims: Claims) -> dict[str, Any]:
    return {"bins": [part._asdict() for part in reliability_bins(claims)]}


def compared(before: Scores, after: Scores) -> dict[str, Any]:
    """Values before and after, and gains with 95 % intervals over records; above 0 is better."""
    found: dict[str, Any] = {
        when: {name: number(statistic.value) for name, statistic in scores.statistics.items()}
        | dict(scores.beside)
        for when, scores in (("before", before), ("after", after))
    }
    gains = {}
    for name, statistic in before.statistics.items():
        one, other = statistic, after.statistics[name]
        if name not in LOWER_IS_BETTER:
            one, other = other, one
        value, interval = paired(one, other, BOUNDS.get(name, SHARE))
        gains[name] = {"value": value, "interval_95": interval if isinstance(interval, Interval) else None}
    return found | {"gain": gains}
