"""Maps from probabilities to better ones, and their fit to probabilities whose outcome is known.

`p` are probabilities and `hits` say whether what was held with that probability turned out true, in the same
order. Sources: temperature scaling, Guo et al. 2017; Platt scaling, Platt 1999, with his smoothed targets;
offsets on log-probabilities for other class rates, Saerens et al. 2002.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from factreasoner.metrics.samples import Floats, Ints
from factreasoner.models import HALF_TOLERANCE, SMALLEST_P, Label, Model, Verdict
from factreasoner.models.verdicts import LABEL_OF_VALUE, LEAST_MASS
from factreasoner.settings.values import CalibrationMethod

WIDEST_LOG_TEMPERATURE = 4.0
PENALTY = 0.01
"""Weight of Platt's squared slope, which only matters if all probabilities are equal."""


class Identity(Model):
    """Every probability as it is: nothing that was tried did better on held-out records."""

    method: Literal["identity"] = "identity"

    def apply(self, p: Floats) -> Floats:
        """`p` as they are: the identity."""
        return p


class Temperature(Model):
    """Log-odds divided by a constant, which is above 1 for a judge that is too sure. 0.5 stays 0.5."""

    method: Literal["temperature"] = "temperature"
    temperature: float = Field(gt=0.0, allow_inf_nan=False)

    def apply(self, p: Floats) -> Floats:
        """The calibrated probabilities of what was said with the probabilities `p`."""
        return _logistic(_odds_of(p) / self.temperature)


class Platt(Model):
    """Log-odds times a slope plus an intercept. The slope is never negative: no order is reversed."""

    method: Literal["platt"] = "platt"
    slope: float = Field(ge=0.0, allow_inf_nan=False)
    intercept: float = Field(allow_inf_nan=False)

    def apply(self, p: Floats) -> Floats:
        """The calibrated probabilities of what was said with the probabilities `p`."""
        return _logistic(self.slope * _odds_of(p) + self.intercept)


AnyCalibrator = Identity | Temperature | Platt
Calibrator = Annotated[AnyCalibrator, Field(discriminator="method")]


def fit_temperature(p: Floats, hits: Floats) -> Temperature:
    """The temperature of the smallest log loss."""
    from scipy.optimize import minimize_scalar

    odds, targets = _odds_of(p), np.asarray(hits, dtype=float)
    found = minimize_scalar(
        lambda log_t: _loss(odds / math.exp(log_t), targets),
        bounds=(-WIDEST_LOG_TEMPERATURE, WIDEST_LOG_TEMPERATURE),
        method="bounded",
    )
    return Temperature(temperature=math.exp(found.x))


def fit_platt(p: Floats, hits: Floats) -> Platt:
    """Slope and intercept of the smallest log loss against smoothed targets."""
    from scipy.optimize import minimize

    odds, given = _odds_of(p), np.asarray(hits, dtype=float)
    positive, negative = given.sum(), len(given) - given.sum()
    targets = np.where(given > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(values: Floats) -> float:
        return _loss(values[0] * odds + values[1], targets) + PENALTY / len(odds) * float(values[0]) ** 2

    found = minimize(loss, x0=(1.0, 0.0), method="L-BFGS-B", bounds=((0.0, None), (None, None)))
    return Platt(slope=float(found.x[0]), intercept=float(found.x[1]))


FITS: dict[CalibrationMethod, Callable[[Floats, Floats], AnyCalibrator]] = {
    "temperature": fit_temperature,
    "platt": fit_platt,
}


def calibrated(calibrator: AnyCalibrator | None, p: Floats) -> Floats:
    """Calibrated posteriors; without a calibrator as they are.

    0.5 stays 0.5: there is no evidence, and the share of true atoms elsewhere is not evidence.
    """
    if calibrator is None:
        return p
    return np.where(np.abs(p - 0.5) <= HALF_TOLERANCE, p, calibrator.apply(p))


def _loss(odds: Floats, targets: Floats) -> float:
    return float(np.mean(np.logaddexp(0.0, odds) - targets * odds))


def _odds_of(p: Floats) -> Floats:
    kept: Floats = np.clip(np.asarray(p, dtype=float), SMALLEST_P, 1 - SMALLEST_P)
    return np.log(kept) - np.log1p(-kept)


def _logistic(odds: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -odds)))


LABELS: tuple[Label, ...] = ("entailment", "contradiction", "neutral")
OFFSETS_PENALTY = 0.01
"""Weight of the squared parameters, divided by the number of verdicts: it only bounds them."""
BALANCE = 0.5
"""Share of the loss in which each label counts the same; in the rest each verdict does.

Without it, contradictions would almost never be found, because they are rare.
"""
WIDEST = 20.0


class LabelOffsets(Model):
    """log P / temperature, plus an offset for contradiction and one for neutral, made to add up to 1.

    `contradiction` is None for a judge that never contradicts; P of contradiction is then 0.
    """

    temperature: float = Field(default=1.0, gt=0.0, allow_inf_nan=False)
    contradiction: float | None = Field(default=0.0, allow_inf_nan=False)
    neutral: float = Field(default=0.0, allow_inf_nan=False)

    def apply(self, p: Floats) -> Floats:
        """The calibrated probabilities of those that a judge gave, shape (verdicts, 3)."""
        offsets = (0.0, -math.inf if self.contradiction is None else self.contradiction, self.neutral)
        return np.exp(_log_shares(_logs(p) / self.temperature + offsets))


UNCHANGED = LabelOffsets()
"""Leaves every verdict as it is."""


def probabilities_of(verdict: Verdict) -> tuple[float, ...] | None:
    """P of the three labels as the judge gave them; None if it did not, or if they have too little mass."""
    given = {LABEL_OF_VALUE.get(value): p for value, p in verdict.label_probabilities.items()}
    mass = 1.0 if verdict.label_mass is None else verdict.label_mass
    if verdict.confidence == "corrected" or mass < LEAST_MASS or not given.keys() >= set(LABELS):
        return None
    return tuple(given[label] for label in LABELS)


def fit_offsets(p: Floats, gold: Ints, labels: Sequence[Label] = LABELS) -> LabelOffsets:
    """The temperature and offsets of the smallest loss; `gold` are right labels as places in `LABELS`.

    `labels` are those that the judge can say, in the order of `LABELS`; no other one may be right. The loss
    is the log loss, half of it averaged over verdicts and half over labels.
    """
    from scipy.optimize import minimize

    places = [LABELS.index(label) for label in labels]
    logs, right, size = _logs(p)[:, places], np.searchsorted(places, gold), len(gold)
    counts = np.bincount(right, minlength=len(labels))
    weights = (1 - BALANCE) / size + BALANCE / (counts > 0).sum() / counts[right]

    def loss(values: Floats) -> float:
        sharpness, *offsets = values
        found = _log_shares(logs * sharpness + (0.0, *offsets))[np.arange(size), right]
        return float(-(weights * found).sum() + OFFSETS_PENALTY / size * np.sum((values - start) ** 2))

    start = np.array([1.0] + [0.0] * (len(labels) - 1))
    bounds = [(1 / WIDEST, WIDEST)] + [(-WIDEST, WIDEST)] * (len(labels) - 1)
    sharpness, *offsets = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x.tolist()
    of_labels = dict.fromkeys(LABELS[1:]) | dict(zip(labels[1:], offsets, strict=True))
    return LabelOffsets(temperature=1 / sharpness, **of_labels)


def _logs(p: Floats) -> Floats:
    logs: Floats = np.log(np.clip(np.asarray(p, dtype=float), SMALLEST_P, 1.0))
    return logs


def _log_shares(logs: Floats) -> Floats:
    shifted: Floats = logs - logs.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
