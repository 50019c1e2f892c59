"""Limits per minute, never exceeded and in the order of asking."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import Completion
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import PROMPT, SCHEMA, Clock, in_line

from factreasoner.calls.limits import Limits
from factreasoner.calls.slots import Slots

REQUESTS = st.lists(st.tuples(st.floats(0, 40), st.integers(0, 120)), max_size=40)


def limited(**limits):
    clock = Clock()
    return clock, Limits(Slots(99, 99), **limits, clock=clock)


def send(limits, tokens):
    """A request that takes as many tokens as it was thought to take."""
    with limits.passed(tokens) as admitted:
        admitted.took = tokens


@given(REQUESTS, st.integers(1, 5) | st.none(), st.integers(1, 100) | st.none())
def test_no_minute_holds_more_than_allowed(requests, request_limit, token_limit):
    clock, limits = limited(requests_per_minute=request_limit, tokens_per_minute=token_limit)
    sent = []
    for pause, tokens in requests:
        clock.now += pause
        clock.now += limits.delay(tokens) + 1e-9
        assert limits.delay(tokens) == 0.0
        send(limits, tokens)
        sent.append((clock.now, tokens))
    for start, _ in sent:
        minute = [tokens for at, tokens in sent if start <= at < start + 60 - 1e-6]
        assert request_limit is None or len(minute) <= request_limit
        assert token_limit is None or len(minute) == 1 or sum(minute) <= token_limit


def test_a_request_waits_no_longer_than_it_must():
    clock, limits = limited(requests_per_minute=2, tokens_per_minute=100)
    send(limits, 30)
    clock.now = 10.0
    send(limits, 60)
    clock.now = 20.0
    assert limits.delay(5) == 40.0  # two requests since 0
    clock.now = 60.0
    assert limits.delay(40) == 0.0
    assert limits.delay(41) == 10.0  # 60 tokens until 70


def test_oversized_request_goes_when_window_is_empty():
    clock, limits = limited(tokens_per_minute=100)
    assert limits.delay(500) == 0.0
    send(limits, 500)
    clock.now = 1.0
    assert limits.delay(500) == 59.0


def test_actual_tokens_replace_the_estimate():
    clock, limits = limited(tokens_per_minute=100)
    with limits.passed(100) as admitted:
        clock.now = 1.0
        assert limits.delay(50) == 59.0
        admitted.took = 20
    assert limits.delay(50) == 0.0
    with limits.passed(50) as admitted:
        clock.now = 62.0
        admitted.took = 90  # too late to count for the first minute, and in time for the second
    assert limits.delay(100) == 0.0


def test_requests_are_served_first_come_first():
    limits, order = Limits(Slots(99, 99), tokens_per_minute=1000), []
    limits.pause(2)

    def wait(number, tokens):
        with limits.passed(tokens) as admitted:
            order.append((admitted.at, number))

    with ThreadPoolExecutor(4) as pool:
        for number, tokens in enumerate([900, 1, 50, 1]):
            pool.submit(wait, number, tokens)
            in_line(limits, number + 1)
    assert [number for _, number in sorted(order)] == [0, 1, 2, 3]


def test_release_ends_all_waiting():
    limits = Limits(Slots(99, 99), requests_per_minute=1)
    send(limits, 0)
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(send, limits, 0) for _ in range(3)]
        in_line(limits, 3)
        limits.release()
        for one in waiting:
            one.result(20)
    assert not limits.line


def test_interrupted_waiter_frees_its_place():
    times = iter([KeyboardInterrupt, 1.0, 1.0, 1.0])

    def clock():
        if (now := next(times)) is KeyboardInterrupt:
            raise now
        return now

    limits = Limits(Slots(99, 99), requests_per_minute=1, clock=clock)
    with pytest.raises(KeyboardInterrupt):
        send(limits, 0)
    send(limits, 0)
    assert not limits.line


def test_limits_count_actual_not_estimated_tokens(scene):
    used = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
    set_up = scene(lambda request: Completion(arguments={"fact_0": "True"}, usage=used))
    # The first estimate is some 300 tokens; were it not corrected, the second call would wait for a minute.
    client = set_up.client(tokens_per_minute=500, requests_per_minute=100, timeout=10)
    begun = time.monotonic()
    for _ in range(2):
        client.call(PROMPT, SCHEMA)
    assert time.monotonic() - begun < 40
    assert set_up.server.calls == 2
