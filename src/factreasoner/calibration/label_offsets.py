"""A temperature and two offsets: what makes a judge's three probabilities right on a user's own data.

Arrays of probabilities have the shape (verdicts, 3), with columns in the order of `LABELS`. Sources:
temperature scaling, Guo et al. 2017; offsets on log-probabilities for other class rates, Saerens et al. 2002.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from factreasoner.metrics.samples import Floats, Ints
from factreasoner.metrics.statistics import SMALLEST_P
from factreasoner.models import Label, Model, Verdict
from factreasoner.models.verdicts import LABEL_OF_VALUE, LEAST_MASS

LABELS: tuple[Label, ...] = ("entailment", "contradiction", "neutral")
PENALTY = 0.01
"""Weight of the squared parameters, divided by the number of verdicts: it only bounds them."""
BALANCE = 0.5
"""Share of the loss in which each label counts alike; in the rest each verdict does.

Without it, contradictions, which are rare, would hardly ever be said.
"""
WIDEST = 20.0


class LabelOffsets(Model):
    """log P / temperature, plus an offset for contradiction and one for neutral, made to add up to 1."""

    temperature: float = Field(default=1.0, gt=0.0, allow_inf_nan=False)
    contradiction: float = Field(default=0.0, allow_inf_nan=False)
    neutral: float = Field(default=0.0, allow_inf_nan=False)

    def apply(self, p: Floats) -> Floats:
        """The calibrated probabilities of those that a judge gave, shape (verdicts, 3)."""
        offsets = (0.0, self.contradiction, self.neutral)
        return np.exp(_log_shares(_logs(p) / self.temperature + offsets))


UNCHANGED = LabelOffsets()
"""Leaves every verdict as it is."""


def probabilities_of(verdict: Verdict) -> tuple[float, ...] | None:
    """P of the three labels as the judge gave them; None where it did not, or they hold too little mass."""
    given = {LABEL_OF_VALUE.get(value): p for value, p in verdict.label_probabilities.items()}
    mass = 1.0 if verdict.label_mass is None else verdict.label_mass
    if verdict.confidence == "corrected" or mass < LEAST_MASS or not given.keys() >= set(LABELS):
        return None
    return tuple(given[label] for label in LABELS)


def fit_offsets(p: Floats, gold: Ints) -> LabelOffsets:
    """The temperature and offsets of the smallest loss; `gold` are right labels as places in `LABELS`.

    The loss is the log loss, half of it averaged over verdicts and half over labels.
    """
    from scipy.optimize import minimize

    logs, size = _logs(p), len(gold)
    counts = np.bincount(gold, minlength=len(LABELS))
    weights = (1 - BALANCE) / size + BALANCE / (counts > 0).sum() / counts[gold]

    def loss(values: Floats) -> float:
        sharpness, *offsets = values
        found = _log_shares(logs * sharpness + (0.0, *offsets))[np.arange(size), gold]
        return float(-(weights * found).sum() + PENALTY / size * np.sum((values - start) ** 2))

    start = np.array([1.0, 0.0, 0.0])
    bounds = ((1 / WIDEST, WIDEST), (-WIDEST, WIDEST), (-WIDEST, WIDEST))
    sharpness, contradiction, neutral = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x.tolist()
    return LabelOffsets(temperature=1 / sharpness, contradiction=contradiction, neutral=neutral)


def _logs(p: Floats) -> Floats:
    logs: Floats = np.log(np.clip(np.asarray(p, dtype=float), SMALLEST_P, 1.0))
    return logs


def _log_shares(logs: Floats) -> Floats:
    shifted: Floats = logs - logs.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
