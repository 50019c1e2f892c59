"""Rate limits: never more in a minute than allowed, in the order of asking, corrected by what was used."""

import threading
import time

import pytest
from fake_server import Completion
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import PROMPT, SCHEMA

from factreasoner.llm.limits import RateLimits
from factreasoner.llm.parallel import parallel_map

REQUESTS = st.lists(st.tuples(st.floats(0, 40), st.integers(0, 120)), max_size=40)


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self):
        return self.now


def limited(**limits):
    clock = Clock()
    return clock, RateLimits(**limits, clock=clock)


@given(REQUESTS, st.integers(1, 5) | st.none(), st.integers(1, 100) | st.none())
def test_no_minute_holds_more_than_allowed(requests, request_limit, token_limit):
    clock, limits = limited(requests_per_minute=request_limit, tokens_per_minute=token_limit)
    sent = []
    for pause, tokens in requests:
        clock.now += pause
        clock.now += limits.delay(tokens) + 1e-9
        assert limits.delay(tokens) == 0.0
        limits.wait(tokens)
        sent.append((clock.now, tokens))
    for start, _ in sent:
        minute = [tokens for at, tokens in sent if start <= at < start + 60 - 1e-6]
        assert request_limit is None or len(minute) <= request_limit
        assert token_limit is None or len(minute) == 1 or sum(minute) <= token_limit


def test_a_request_waits_no_longer_than_it_must():
    clock, limits = limited(requests_per_minute=2, tokens_per_minute=100)
    limits.wait(30)
    clock.now = 10.0
    limits.wait(60)
    clock.now = 20.0
    assert limits.delay(5) == 40.0  # two requests since 0
    clock.now = 60.0
    assert limits.delay(40) == 0.0
    assert limits.delay(41) == 10.0  # 60 tokens until 70


def test_a_request_larger_than_the_limit_goes_when_nothing_else_counts():
    clock, limits = limited(tokens_per_minute=100)
    assert limits.delay(500) == 0.0
    limits.wait(500)
    clock.now = 1.0
    assert limits.delay(500) == 59.0


def test_actual_tokens_replace_the_estimate():
    clock, limits = limited(tokens_per_minute=100)
    admitted = limits.wait(100)
    clock.now = 1.0
    assert limits.delay(50) == 59.0
    limits.correct(admitted, 20)
    assert limits.delay(50) == 0.0
    clock.now = 61.0
    assert limits.delay(100) == 0.0
    limits.correct(admitted, 90)  # too late to count
    assert limits.delay(100) == 0.0


def in_line(limits, count):
    deadline = time.monotonic() + 20
    while limits.waiting < count and time.monotonic() < deadline:
        time.sleep(0.001)
    assert limits.waiting == count


def test_first_come_first_served_whatever_the_size():
    limits, order = RateLimits(tokens_per_minute=1000), []
    limits.pause(1.0)
    threads = []
    for number, tokens in enumerate([900, 1, 50, 1]):
        threads.append(threading.Thread(target=lambda n=number, t=tokens: order.append((limits.wait(t), n))))
        threads[-1].start()
        in_line(limits, number + 1)
    for thread in threads:
        thread.join()
    order.sort(key=lambda pair: pair[0].at)
    assert [number for _, number in order] == [0, 1, 2, 3]


def test_a_freed_estimate_lets_the_next_one_through():
    limits = RateLimits(tokens_per_minute=100)
    first = limits.wait(100)
    waiting = threading.Thread(target=limits.wait, args=(80,))
    waiting.start()
    in_line(limits, 1)
    limits.correct(first, 10)
    waiting.join(20)
    assert not waiting.is_alive()


def test_release_ends_all_waiting():
    limits = RateLimits(requests_per_minute=1)
    limits.wait(0)
    threads = [threading.Thread(target=limits.wait, args=(0,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    in_line(limits, 3)
    limits.release()
    for thread in threads:
        thread.join(20)
    assert limits.waiting == 0


def test_the_place_of_one_who_gives_up_is_freed():
    limits = RateLimits(requests_per_minute=1, clock=Failing())
    with pytest.raises(KeyboardInterrupt):
        limits.wait(0)
    limits.wait(0)
    assert limits.waiting == 0


class Failing:
    """A clock that is interrupted once."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls == 1:
            raise KeyboardInterrupt
        return time.monotonic()


def test_the_client_counts_what_was_used_and_not_what_was_feared(scene):
    used = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
    answer = Completion(arguments={"fact_0": "True"}, usage=used)
    set_up = scene(lambda request: answer)
    # The first estimate is some 300 tokens; were it not corrected, the second call would wait for a minute.
    client = set_up.client(tokens_per_minute=500, requests_per_minute=100, timeout=10)
    client.call(PROMPT, SCHEMA)
    begun = time.monotonic()
    client.call(PROMPT, SCHEMA)
    assert time.monotonic() - begun < 40
    parallel_map(lambda _: client.call(PROMPT, SCHEMA), range(3), 1)
    assert set_up.server.calls == 5
