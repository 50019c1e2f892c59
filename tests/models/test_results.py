"""Usage adds up."""

from factreasoner.models import Usage


def test_an_unknown_cost_stays_unknown():
    total = Usage(calls=1, cost=0.5) + Usage(calls=2, cost=None)
    assert (total.calls, total.cost) == (3, None)
    assert (Usage() + Usage(cost=0.25)).cost == 0.25
