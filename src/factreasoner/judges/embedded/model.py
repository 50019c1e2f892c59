"""The fitted part of the embedded judge: parameters stored as JSON, evaluated with numpy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from factreasoner.judges.embedded.features import COLUMN
from factreasoner.judges.embedded.windows import Array

PARAMETERS = "parameters.json"


@dataclass(frozen=True, eq=False)
class Model:
    """Multinomial logistic regression with neutral as the reference class.

    `columns` (d of them) are read from the features; `mean` and `scale` have shape (d,), `weights` (d, 2) and
    `bias` (2,), the two outputs being the log odds of entailment and contradiction against neutral.
    """

    columns: tuple[int, ...]
    mean: Array
    scale: Array
    weights: Array
    bias: Array

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Model:
        """Build from the JSON form. Raises KeyError for a feature this version does not measure."""
        terms = parameters["terms"]
        return cls(
            columns=tuple(COLUMN[term["feature"]] for term in terms),
            mean=np.array([term["mean"] for term in terms]),
            scale=np.array([term["scale"] for term in terms]),
            weights=np.array([[term["entailment"], term["contradiction"]] for term in terms]),
            bias=np.array([parameters["bias"]["entailment"], parameters["bias"]["contradiction"]]),
        )

    def probabilities(self, features: Array) -> Array:
        """P(entailment), P(contradiction), P(neutral) for features of shape (n, len(FEATURES)): shape (n, 3)."""
        standard = (features[:, self.columns] - self.mean) / self.scale
        logits = np.hstack([standard @ self.weights + self.bias, np.zeros((len(features), 1))])
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Array = powers / powers.sum(axis=1, keepdims=True)
        return shares


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """The model fitted on all data sets, from package data."""
    text = (
        resources.files(__package__ or "factreasoner.judges.embedded").joinpath(PARAMETERS).read_text("utf-8")
    )
    return Model.of(json.loads(text))


def parameters_of(names: Sequence[str], model: Model) -> dict[str, Any]:
    """The JSON form of `model`; `names` are the features of its columns."""
    return {
        "bias": {"entailment": float(model.bias[0]), "contradiction": float(model.bias[1])},
        "terms": [
            {
                "feature": name,
                "mean": float(model.mean[i]),
                "scale": float(model.scale[i]),
                "entailment": float(model.weights[i, 0]),
                "contradiction": float(model.weights[i, 1]),
            }
            for i, name in enumerate(names)
        ],
    }
