"""Fits the last layer on pairs of sources that the network was not trained on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from data import ALLOWED
from reading import FOR_CONTRADICTION, FOR_ENTAILMENT, Layer, Reading

RIDGE = 0.01


def fitted(readings: Sequence[Reading], labels: Sequence[str], sources: Sequence[str]) -> Layer:
    """The layer of largest penalised likelihood; every source counts the same, every weight keeps its sign.

    Weights are fitted to standardised inputs.
    """
    e, c = (np.array([getattr(one, side) for one in readings]) for side in ("entailing", "contradicting"))
    scales = [x.std(axis=0) + 1e-9 for x in (e, c)]
    inputs = [np.c_[x / scale, np.ones(len(x))] for x, scale in zip((e, c), scales, strict=True)]
    allowed = np.array([ALLOWED[label] for label in labels])
    counts = {source: list(sources).count(source) for source in set(sources)}
    weights = np.array([1 / counts[source] for source in sources]) / len(counts)
    width = inputs[0].shape[1]

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.zeros((len(allowed), 3))
        scores[:, 0], scores[:, 2] = inputs[0] @ parameters[:width], inputs[1] @ parameters[width:]
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        right = np.logaddexp.reduce(np.where(allowed > 0, logs, -np.inf), axis=1)
        p, given = np.exp(logs), np.exp(np.where(allowed > 0, logs, -np.inf) - right[:, None])
        slope = (p - given) * weights[:, None]
        free = np.r_[np.arange(width - 1), np.arange(width, len(parameters) - 1)]
        ridge = np.zeros_like(parameters)
        ridge[free] = parameters[free]
        gradient = np.r_[inputs[0].T @ slope[:, 0], inputs[1].T @ slope[:, 2]] + RIDGE * ridge
        return float(-(weights * right).sum() + RIDGE * (ridge**2).sum() / 2), gradient

    signs = [*FOR_ENTAILMENT.values(), 0, *FOR_CONTRADICTION.values(), 0]
    bounds = [(0, None) if sign > 0 else (None, 0) if sign < 0 else (None, None) for sign in signs]
    found = minimize(loss, np.zeros(len(signs)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return Layer(found[:width] / np.r_[scales[0], 1.0], found[width:] / np.r_[scales[1], 1.0])
