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

PARAMETERS = "parameters.json"
_MEASURES = [COLUMN[name] for name in MEASURES]
_CLASHES = [COLUMN[name] for name in CLASHES]


@dataclass(frozen=True, eq=False)
class Model:
    """Three probabilities from the features of a pair.

    support = sigmoid(bias + sum of weight * measure): how far what the passage says bears the claim out.
    clash = 1 - product of (1 - power * strength): a noisy-or over the clashes.
    P(entailment) = support * (1 - clash).
    P(contradiction) = clash + (1 - clash) * (1 - support) * sigmoid(denial[0] + denial[1] * cover_focus):
    what is not borne out is the likelier denied the more of it is spoken of.
    P(neutral) is the rest. `background` holds the share of documents that have a stem.
    """

    bias: float
    weights: Array
    powers: Array
    denial: tuple[float, float]
    background: Mapping[str, float]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Model:
        """Build from the JSON form. Raises KeyError when it does not fit this version's features."""
        return cls(
            bias=float(parameters["bias"]),
            weights=np.array([float(parameters["weights"][name]) for name in MEASURES]),
            powers=np.array([float(parameters["clash_powers"][name]) for name in CLASHES]),
            denial=(float(parameters["denial"]["bias"]), float(parameters["denial"]["cover_focus"])),
            background=dict(parameters["background"]),
        )

    def parameters(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "bias": self.bias,
            "weights": dict(zip(MEASURES, self.weights.tolist(), strict=True)),
            "clash_powers": dict(zip(CLASHES, self.powers.tolist(), strict=True)),
            "denial": {"bias": self.denial[0], "cover_focus": self.denial[1]},
            "background": dict(self.background),
        }

    def probabilities(self, values: Array) -> Array:
        """P(entailment), P(contradiction), P(neutral): (n, 3) for features of shape (n, len(FEATURES))."""
        support = _sigmoid(values[:, _MEASURES] @ self.weights + self.bias)
        clash = 1.0 - np.prod(1.0 - values[:, _CLASHES] * self.powers, axis=1)
        denied = _sigmoid(self.denial[0] + self.denial[1] * values[:, COLUMN["cover_focus"]])
        entailment = support * (1.0 - clash)
        contradiction = clash + (1.0 - clash) * (1.0 - support) * denied
        return np.stack([entailment, contradiction, 1.0 - entailment - contradiction], axis=1)


def _sigmoid(logits: Array) -> Array:
    shares: Array = 1.0 / (1.0 + np.exp(-np.clip(logits, -60.0, 60.0)))
    return shares


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """The model fitted on all data sets, from package data."""
    folder = resources.files("factreasoner.judges.embedded")
    return Model.of(json.loads(folder.joinpath(PARAMETERS).read_text(encoding="utf-8")))
