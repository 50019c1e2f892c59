"""The fitted part of the overlap judge: parameters stored as readable JSON, evaluated with numpy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from factreasoner.judges.overlap.measures import MEASURES, Array

PARAMETERS = "parameters.json"
TRUST = 0.9
"""The prior of a context: how far the nearest passage is trusted."""


@dataclass(frozen=True, eq=False)
class PairModel:
    """One logistic over the measures of a pair, and what its score means for the verdict.

    score = bias + sum of weight * measure; belief = 0.05 + 0.9 * sigmoid(score), for a passage that is right
    with P = 0.9. A claim with a score above `threshold` is entailed, unless a check fails. `entailed` and
    `silent` are (slope, offset) of P(people say entailed) and P(people say neither) by the score;
    `contradicted` is the precision of contradictions; `common` holds the weight of frequent stems.
    """

    bias: float
    weights: Array
    threshold: float
    entailed: tuple[float, float]
    silent: tuple[float, float]
    contradicted: float
    common: Mapping[str, float]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> PairModel:
        """Build from the JSON form. Raises KeyError when it does not fit this version's measures."""
        entailed, silent = parameters["entailed"], parameters["silent"]
        return cls(
            bias=float(parameters["bias"]),
            weights=np.array([float(parameters["weights"][name]) for name in MEASURES]),
            threshold=float(parameters["threshold"]),
            entailed=(float(entailed[0]), float(entailed[1])),
            silent=(float(silent[0]), float(silent[1])),
            contradicted=float(parameters["contradicted"]),
            common={
                term: float(weight)
                for weight, terms in parameters["common"].items()
                for term in terms.split()
            },
        )

    def score(self, values: Array) -> Array:
        """The score of pairs, shape (n,), by their measures, shape (n, len(MEASURES))."""
        scores: Array = values @ self.weights + self.bias
        return scores

    def p_entailed(self, scores: Array) -> Array:
        """P(people say entailed) of claims that are found entailed."""
        return _sigmoid(self.entailed[0] * scores + self.entailed[1])

    def p_silent(self, scores: Array) -> Array:
        """P(people say neither) of claims that are found neither entailed nor contradicted."""
        return _sigmoid(self.silent[0] * scores + self.silent[1])


def belief(scores: Array) -> Array:
    """P(claim is true) by the score of its pair."""
    return (1.0 - TRUST) / 2 + TRUST * _sigmoid(scores)


def _sigmoid(logits: Array) -> Array:
    shares: Array = 1.0 / (1.0 + np.exp(-np.clip(logits, -60.0, 60.0)))
    return shares


@lru_cache(maxsize=1)
def shipped_model() -> PairModel:
    """The model fitted on all data sets, from package data."""
    folder = resources.files("factreasoner.judges.overlap")
    return PairModel.of(json.loads(folder.joinpath(PARAMETERS).read_text(encoding="utf-8")))
