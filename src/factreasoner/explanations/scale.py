"""How an atom's log-odds read as a probability and a side of one half, calibrated where the run is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from factreasoner.calibration.calibrators import Calibrator
from factreasoner.models import Marginals, side_of
from factreasoner.models.factor_graph import Table

_WIDEST = 800.0
"""Beyond these log-odds a probability is 0 or 1 in a double."""


def log_odds(marginals: Marginals, names: Sequence[str]) -> Table:
    """ln P(true) - ln P(false) of the variables `names`."""
    p = np.array([marginals.probabilities[name] for name in names]).reshape(len(names), 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p[:, 1]) - np.log(p[:, 0]))


def probability(log_odds: npt.ArrayLike) -> Table:
    """P(true) of log-odds."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.asarray(log_odds) / 2.0))


class Scale:
    """Probabilities and sides of one half of log-odds, through a calibrator of posteriors if there is one.

    A calibrator reverses no order, so that a side holds for a stretch of log-odds: P(true) is below one half
    below `low`, above it above `high`, and one half between.
    """

    def __init__(self, calibrator: Calibrator | None = None) -> None:
        self.calibrator = calibrator
        self.high = _first(lambda x: side_of(self.probability(x)) > 0)
        self.low = _first(lambda x: side_of(self.probability(x)) >= 0)

    def probability(self, log_odds: float) -> float:
        """P(true) at these log-odds of a posterior, calibrated where the run is."""
        p = float(probability(log_odds))
        return p if self.calibrator is None else self.calibrator.apply(p)

    def calibrated(self, p_true: float) -> float:
        """P(true) of a posterior as the solver found it."""
        return p_true if self.calibrator is None else self.calibrator.apply(p_true)

    def sides(self, log_odds: Table) -> npt.NDArray[np.int_]:
        """1 where P(true) is above one half, -1 below, 0 at it."""
        return np.where(log_odds >= self.high, 1, np.where(log_odds < self.low, -1, 0))

    def clear(self, log_odds: Table, margin: float) -> npt.NDArray[np.bool_]:
        """Whether the side stays the same if the solver's probability is off by less than `margin`."""
        p, clear = probability(log_odds), np.ones(log_odds.shape, dtype=bool)
        for edge in (self.low, self.high):
            if math.isfinite(edge):
                clear &= np.abs(p - probability(edge)) >= margin
        return clear

    def beyond(self, log_odds: Table, side: int) -> Table:
        """How far log-odds lie on another side than `side`."""
        return -side * log_odds if side else np.abs(log_odds - (self.low + self.high) / 2.0)


def _first(holds: Callable[[float], bool]) -> float:
    """The least log-odds from which on something holds, to a double's precision; infinite if never."""
    low, high = -_WIDEST, _WIDEST
    if holds(low):
        return -math.inf
    if not holds(high):
        return math.inf
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
