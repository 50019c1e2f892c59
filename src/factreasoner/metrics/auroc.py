"""The area under the ROC curve, with what it would be without each record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.intervals import (
    TIED,
    Bounds,
    Interval,
    NoInterval,
    alike,
    jackknife_t,
    standard_error,
    too_few,
)
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import Statistic, ratio


class AreaUnderROC(Statistic):
    """Share of pairs of a positive and a negative claim that P orders rightly, ties counting half."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self.present = claims.by_record > 0

    def weighted(self, counts: Ints) -> Floats:
        """See `Statistic`."""
        order = np.argsort(self._claims.p, kind="stable")
        p, record = self._claims.p[order], self._claims.record[order]
        if not len(p):
            return np.full(len(counts), np.nan)
        positive = self._claims.gold[order] == 0
        first = np.flatnonzero(np.diff(p, prepend=np.nan) != 0)
        weights = counts[:, record].astype(float)
        above = np.add.reduceat(weights * positive, first, axis=1)
        others = np.add.reduceat(weights * ~positive, first, axis=1)
        below = np.cumsum(others, axis=1) - others / 2
        return ratio((above * below).sum(axis=1), above.sum(axis=1) * others.sum(axis=1))

    def without_each(self) -> Floats:
        """See `Statistic`. A record's pairs with all others go, those within it are not taken off twice."""
        claims = self._claims
        positive = claims.gold == 0
        positives, negatives = claims.sums(np.stack([positive, ~positive])).T
        everywhere, inside = (
            claims.sums(_ordered_pairs(claims.p, positive, block)[None])[:, 0]
            for block in (np.zeros_like(claims.record), claims.record)
        )
        kept = everywhere.sum() / 2 - everywhere + inside / 2
        return ratio(kept, (positives.sum() - positives) * (negatives.sum() - negatives))

    def interval(self, bounds: Bounds) -> Interval | NoInterval:
        """jackknife-t on the logit, since areas near 1 are skewed; they are kept half a pair off 0 and 1."""
        without = self.without_each()[self.present]
        lack = too_few(len(without))
        if lack is not None:
            return lack
        if np.isnan(without).any():
            return NoInterval("one record alone has all claims of one label")
        if standard_error(without) <= TIED:
            return alike(self.value, len(without), bounds)
        positives = float(self._claims.hits.sum())
        margin = 0.5 / (positives * (len(self._claims.p) - positives))
        odds, odds_without = (
            np.log(kept / (1 - kept))
            for kept in (np.clip(a, margin, 1 - margin) for a in (self.value, without))
        )
        found = jackknife_t(float(odds), odds_without, (-np.inf, np.inf))
        if isinstance(found, NoInterval):
            return found
        return Interval(*(1 / (1 + float(np.exp(-end))) for end in found))


def _ordered_pairs(p: Floats, positive: NDArray[np.bool_], block: Ints) -> Floats:
    """For each claim how many claims of the other kind in its block it is on the right side of, ties half."""
    if not len(p):
        return np.zeros(0)
    order = np.lexsort((p, block))
    p, block = p[order], block[order]
    starts = np.flatnonzero((np.diff(p, prepend=np.nan) != 0) | (np.diff(block, prepend=-1) != 0))
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(p))))
    ups, downs = (np.add.reduceat(kind[order].astype(float), starts) for kind in (positive, ~positive))
    start_of_block = np.searchsorted(block[starts], block[starts], side="left")
    end_of_block = np.searchsorted(block[starts], block[starts], side="right")
    ups_before, downs_before = (np.concatenate([[0.0], np.cumsum(kind)]) for kind in (ups, downs))
    below = downs_before[:-1] - downs_before[start_of_block] + downs / 2
    above = ups_before[end_of_block] - ups_before[1:] + ups / 2
    found = np.empty(len(p))
    found[order] = np.where(positive[order], below[group], above[group])
    return found
