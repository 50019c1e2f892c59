"""Failures describe what went wrong; one rule says which verdict decides a claim."""

import pytest

from factreasoner.models import Failure, Verdict
from factreasoner.models.verdicts import decision


def test_failure_describes_its_error():
    failure = Failure.of("judge", "c0->a1", ValueError("no"))
    assert (failure.error_type, failure.message, failure.attempts) == ("ValueError", "no", 1)
    assert Failure.of("judge", "x", RuntimeError()).message == "RuntimeError()"


E, C, N = "entailment", "contradiction", "neutral"


@pytest.mark.parametrize(
    ("given", "best", "split", "split_if_unanimous"),
    [
        ([], None, False, False),
        ([(N, 0.99)], None, False, False),
        ([(E, 0.5), (C, 0.4)], None, False, False),
        ([(E, 0.6)], 0, False, False),
        ([(N, 0.99), (C, 0.51)], 1, False, False),
        ([(E, 0.7), (E, 0.9), (E, 0.9)], 1, False, False),
        ([(E, 0.7), (C, 0.9)], 1, False, True),
        ([(E, 0.9), (C, 0.7), (N, 1.0)], 0, False, True),
        ([(C, 0.8), (E, 0.8)], 0, True, True),
        ([(E, 0.9), (C, 0.5)], 0, False, False),
    ],
)
def test_strongest_deciding_verdict_decides(given, best, split, split_if_unanimous):
    verdicts = [
        Verdict(context_id=f"c{n}", target_id="a0", label=label, probability=p)
        for n, (label, p) in enumerate(given)
    ]
    found = decision(verdicts)
    assert found == (None if best is None else verdicts[best], split)
    assert decision(verdicts, unanimous=True) == (found.verdict, split_if_unanimous)
