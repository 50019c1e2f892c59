"""Failures describe what went wrong."""

from factreasoner.models import Failure


def test_failure_describes_its_error():
    failure = Failure.of("judge", "c0->a1", ValueError("no"))
    assert (failure.error_type, failure.message, failure.attempts) == ("ValueError", "no", 1)
    assert Failure.of("judge", "x", RuntimeError()).message == "RuntimeError()"
