"""A prefilter: the bundled judge decides clearly neutral pairs, another judge the rest."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.models import Claim, Premise
from factreasoner.protocols import Judge, Judged, asks_model, pairwise

SURELY_NEUTRAL = 0.95
"""Minimum P(neutral) by the bundled judge of a pair that is not sent."""


class PrefilteredJudge:
    """Asks `judge` only about pairs that the bundled judge does not find clearly neutral.

    Pairs that the bundled judge can't read, and premises of several passages, are always sent.
    """

    def __init__(self, judge: Judge, bundled: Judge) -> None:
        self._judge, self._bundled = judge, bundled
        self.asks_model = asks_model(judge)
        self.pairwise = pairwise(judge)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order. Raises what the other judge raises."""
        if len(premise.parts) > 1:
            return self._judge.judge(premise, claims)
        known = {
            verdict.target_id: verdict.model_copy(update={"confidence": "bundled"})
            for verdict in self._bundled.judge(premise, claims).verdicts
            if verdict.label == "neutral" and verdict.probability >= SURELY_NEUTRAL
        }
        left = [claim for claim in claims if claim.id not in known]
        found = self._judge.judge(premise, left) if left else Judged(())
        known |= {verdict.target_id: verdict for verdict in found.verdicts}
        return Judged(tuple(known[claim.id] for claim in claims if claim.id in known), found.failures)
