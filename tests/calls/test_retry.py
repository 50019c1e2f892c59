"""Asking again what failed for a reason that may pass."""

import time
from contextvars import copy_context

import pytest

from factreasoner.calls import retry
from factreasoner.calls.retry import Passing, Retry, repeat_until_accepted
from factreasoner.calls.threads import AbandonedError, abandon_on_exit
from factreasoner.errors import ProviderError


@pytest.fixture
def slept(monkeypatch):
    """Seconds that were waited for, on a clock that stands still otherwise."""
    waits, now = [], [0.0]

    def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(retry, "FIRST_WAIT", 1.0)
    return waits


def failing(times, after=None):
    """Fails so many times, then answers with the number of tries."""
    tries = []

    def ask():
        tries.append(None)
        return Passing(ProviderError("busy"), after) if len(tries) <= times else len(tries)

    return ask


@pytest.mark.parametrize("times", [0, 1, 2, 4])
def test_transient_error_is_retried_until_it_passes(times):
    assert Retry(5)(failing(times)) == times + 1


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_the_last_error_has_the_number_of_tries(attempts):
    with pytest.raises(ProviderError, match="busy") as caught:
        Retry(attempts)(failing(9))
    assert caught.value.attempts == attempts


def test_trouble_may_pass_but_no_refusal_does():
    trouble = {408, 409, 425, 429, 500, 502, 503, 504, 524, 529}
    refusals = {304, 400, 401, 402, 403, 404, 413, 422, 424, 501}
    assert {status for status in trouble | refusals if retry.is_transient_status(status)} == trouble


def test_other_errors_are_raised_at_once():
    tries = []

    def ask():
        tries.append(None)
        raise ProviderError("final")

    with pytest.raises(ProviderError, match="final"):
        Retry(5)(ask)
    assert len(tries) == 1


def test_waits_are_random_and_grow_to_limit(monkeypatch):
    monkeypatch.setattr(retry, "FIRST_WAIT", 1.0)
    for number, most in [(1, 1.0), (2, 2.0), (4, 8.0), (5, retry.LONGEST_WAIT), (5000, retry.LONGEST_WAIT)]:
        found = [retry.backoff(number) for _ in range(500)]
        assert 0 <= min(found) < 0.1 * most < 0.9 * most < max(found) <= most


@pytest.mark.parametrize("after", [0.0, 3.0, 40.0])
def test_retry_after_of_server_is_respected(slept, after):
    assert Retry(3)(failing(2, after)) == 3
    assert 2 * after <= sum(slept) <= 2 * (1.1 * after + 1)


@pytest.mark.parametrize(("seconds", "tries"), [(0.0, 1), (9.9, 1), (25.0, 3)])
def test_no_try_begins_after_its_time(slept, seconds, tries):
    with pytest.raises(ProviderError) as caught:
        Retry(seconds=seconds)(failing(99, 10.0))
    assert caught.value.attempts == tries
    assert sum(slept) <= seconds


def test_the_time_begins_with_the_first_failure(slept):
    ask = failing(1, 3.0)
    assert Retry(seconds=10.0)(lambda: (time.sleep(20.0), ask())[1]) == 2


def test_answer_value_can_request_a_retry():
    numbers = iter(range(10))
    assert (
        repeat_until_accepted(lambda: next(numbers), lambda number, answer: 0.0 if answer < 4 else None) == 4
    )


def test_abandoned_work_is_not_retried():
    tries = []

    def ask():
        tries.append(None)
        return Passing(ProviderError("busy"), 30.0)

    with abandon_on_exit():
        inside = copy_context()
    with pytest.raises(AbandonedError):
        inside.run(Retry(9), ask)
    assert len(tries) == 1
