"""The fitted part of the embedded judge: parameters stored as readable JSON, evaluated with numpy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from factreasoner.judges.embedded.clashes import CLASHES
from factreasoner.judges.embedded.features import COLUMN, MEASURES
from factreasoner.judges.embedded.windows import Array
from factreasoner.models import Label

PARAMETERS = "parameters.json"
_MEASURES = [COLUMN[name] for name in MEASURES]
_CLASHES = [COLUMN[name] for name in CLASHES]
WINDOW_MEASURES = (
    "cover_focus",
    "cover_one",
    "cover_two",
    "tail",
    "grams",
    "names_missing",
    "numbers_missing",
)
STANCE_MEASURES = (*WINDOW_MEASURES, "clash")
_WINDOW = [COLUMN[name] for name in WINDOW_MEASURES]
TRUST = 0.9
"""How far the nearest passage is trusted: the prior of a context."""
SWAP_POWER = 0.8
"""The power that was fitted for clashes; labelled atoms have too few swaps to fit another one."""


@dataclass(frozen=True, eq=False)
class PairModel:
    """Two heads over the features of a pair.

    Support, for the belief: P(claim is true | it is the claim's nearest passage).
    support = sigmoid(bias + sum of weight * measure); clash = 1 - product of (1 - power * strength), a
    noisy-or over the clashes; belief = 0.05 + 0.9 * support * (1 - clash), as of a passage that is right
    with P = 0.9.

    Stance, for the verdict: P(people see the claim entailed) = sigmoid(stance bias + sum of weight * measure
    over the measures of the window + weight * the strongest clash).

    `denial` is how often a sentence that seems to deny a claim does. `background` holds the share of
    documents that have a stem.
    """

    bias: float
    weights: Array
    powers: Array
    stance_bias: float
    stance_weights: Array
    denial: float
    background: Mapping[str, float]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> PairModel:
        """Build from the JSON form. Raises KeyError when it does not fit this version's features."""
        stance = parameters["stance"]
        return cls(
            bias=float(parameters["bias"]),
            weights=np.array([float(parameters["weights"][name]) for name in MEASURES]),
            powers=np.array([float(parameters["clash_powers"][name]) for name in CLASHES]),
            stance_bias=float(stance["bias"]),
            stance_weights=np.array([float(stance["weights"][name]) for name in STANCE_MEASURES]),
            denial=float(parameters["denial"]),
            background=dict(parameters["background"]),
        )

    def parameters(self) -> dict[str, Any]:
        """The model as the JSON object that `of` reads."""
        return {
            "bias": self.bias,
            "weights": dict(zip(MEASURES, self.weights.tolist(), strict=True)),
            "clash_powers": dict(zip(CLASHES, self.powers.tolist(), strict=True)),
            "stance": {
                "bias": self.stance_bias,
                "weights": dict(zip(STANCE_MEASURES, self.stance_weights.tolist(), strict=True)),
            },
            "denial": self.denial,
            "background": dict(self.background),
        }

    def belief(self, values: Array) -> Array:
        """P(claim is true): (n,) for features of shape (n, len(FEATURES))."""
        support = _sigmoid(values[:, _MEASURES] @ self.weights + self.bias)
        clash = 1.0 - np.prod(1.0 - values[:, _CLASHES] * self.powers, axis=1)
        belief: Array = (1.0 - TRUST) / 2 + TRUST * support * (1.0 - clash)
        return belief

    def doubted(self, belief: float) -> float:
        """The belief in a claim whose words the passage says of something else."""
        least = (1.0 - TRUST) / 2
        return least + (belief - least) * (1.0 - SWAP_POWER)

    def entailment(self, values: Array) -> Array:
        """P(entailment): (n,) for features of shape (n, len(FEATURES))."""
        return _sigmoid(stance_measures(values) @ self.stance_weights + self.stance_bias)

    def probability(self, label: Label, entailed: float) -> float:
        """The probability of a verdict whose P(entailment) is `entailed`."""
        if label == "contradiction":
            return self.denial
        return entailed if label == "entailment" else 1.0 - entailed


def stance_measures(values: Array) -> Array:
    """What the stance head reads, (n, len(STANCE_MEASURES)), of features of shape (n, len(FEATURES))."""
    clash = values[:, _CLASHES].max(axis=1, keepdims=True)
    return np.hstack([values[:, _WINDOW], clash])


def _sigmoid(logits: Array) -> Array:
    shares: Array = 1.0 / (1.0 + np.exp(-np.clip(logits, -60.0, 60.0)))
    return shares


@lru_cache(maxsize=1)
def shipped_model() -> PairModel:
    """The model fitted on all data sets, from package data."""
    folder = resources.files("factreasoner.judges.embedded")
    return PairModel.of(json.loads(folder.joinpath(PARAMETERS).read_text(encoding="utf-8")))
