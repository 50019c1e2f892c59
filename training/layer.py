"""Fits the last layer on pairs of sources that the network was not trained on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from data import ALLOWED
from factreasoner.judges.encoder.bundled.reading import INPUTS, Layer, Reading

RIDGE = 0.01
SHARES = {"entailment": 0.3, "contradiction": 0.15}
"""The share of pairs that the layer takes to be entailed and contradicted; the rest is neutral.

Most passages that are retrieved for a claim say neither, and fewer contradict than entail. Sources have other
shares, and a bias fitted on those would be wrong.
"""
HOTTEST = 0.05
"""The least weight of the logits: a temperature of 20."""


def fitted(readings: Sequence[Reading], labels: Sequence[str], sources: Sequence[str]) -> Layer:
    """The layer of largest penalised likelihood; every source counts the same, every weight keeps its sign.

    The weights of the inputs about words are penalised, as those of standardised inputs.
    """
    e, c = (np.array([getattr(one, side) for one in readings]) for side in ("entailing", "contradicting"))
    scales = [np.r_[1.0, x.std(axis=0)[1:] + 1e-9] for x in (e, c)]
    inputs = [np.c_[x / scale, np.ones(len(x))] for x, scale in zip((e, c), scales, strict=True)]
    allowed = np.array([ALLOWED[label] for label in labels])
    weights = weights_of(labels, sources)
    many = len(INPUTS)
    penalised = np.r_[0.0, np.ones(many), 0.0, np.ones(many), 0.0]

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        slope, own = parameters[:1], (parameters[1 : many + 2], parameters[many + 2 :])
        scores = np.zeros((len(allowed), 3))
        scores[:, 0], scores[:, 2] = (x @ np.r_[slope, part] for x, part in zip(inputs, own, strict=True))
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        kept = np.where(allowed > 0, logs, -np.inf)
        right = np.logaddexp.reduce(kept, axis=1)
        wrong = (np.exp(logs) - np.exp(kept - right[:, None])) * weights[:, None]
        up, down = inputs[0].T @ wrong[:, 0], inputs[1].T @ wrong[:, 2]
        gradient = np.r_[up[0] + down[0], up[1:], down[1:]]
        ridge = RIDGE * penalised * parameters
        return float(-(weights * right).sum() + ridge @ parameters / 2), gradient + ridge

    signs = [(0, None) if sign > 0 else (None, 0) for sign in INPUTS.values()]
    bounds = [(HOTTEST, None), *signs, (None, None), *signs, (None, None)]
    start = np.r_[0.5, np.zeros(2 * many + 2)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    ends = (np.r_[found[0], found[1 : many + 2]], np.r_[found[0], found[many + 2 :]])
    return Layer(*(end / np.r_[scale, 1.0] for end, scale in zip(ends, scales, strict=True)))


def weights_of(labels: Sequence[str], sources: Sequence[str]) -> np.ndarray:
    """Weights of pairs that give every source the same sum, and its labels their SHARES of that."""
    counts = Counter(zip(sources, labels, strict=True))
    found = np.zeros(len(labels))
    rest = 1 - sum(SHARES.values())
    for n, (source, label) in enumerate(zip(sources, labels, strict=True)):
        if label in SHARES:
            found[n] = SHARES[label] / counts[source, label]
        else:
            found[n] = rest / (counts[source, "neutral"] + counts[source, "not_entailment"])
    return found / found.sum()
