"""One claim held against one passage, for tests of judges."""

from factreasoner.models import Claim, Premise


def verdict(judge, passage, claim):
    """What a judge says of a claim."""
    (found,) = judge.judge(Premise("c", passage), [Claim("a", claim)]).verdicts
    return found
