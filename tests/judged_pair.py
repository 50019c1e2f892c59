"""One claim held against one passage, for tests of judges."""

from __future__ import annotations

from factreasoner.models import Claim, Premise, Verdict
from factreasoner.protocols import Judge


def verdict(judge: Judge, passage: str, claim: str) -> Verdict:
    """What a judge says of a claim."""
    (found,) = judge.judge(Premise("c", passage), [Claim("a", claim)]).verdicts
    return found
