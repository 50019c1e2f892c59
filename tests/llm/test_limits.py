"""Limits per minute, never exceeded and in the order of asking; and as many slots as a server can handle."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import Completion, obliging
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import PROMPT, SCHEMA, Clock

from factreasoner.llm.limits import ANSWERS_TO_TELL, Limits, Slots, one_slot
from factreasoner.llm.parallel import parallel_map
from factreasoner.settings import Config

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


def test_a_request_larger_than_the_limit_goes_when_nothing_else_counts():
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


def in_line(limits, count):
    deadline = time.monotonic() + 20
    while len(limits.line) < count and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(limits.line) == count


def test_first_come_first_served_whatever_the_size():
    limits, order = Limits(Slots(99, 99), tokens_per_minute=1000), []
    limits.pause(0.3)

    def wait(number, tokens):
        with limits.passed(tokens) as admitted:
            order.append((admitted.at, number))

    with ThreadPoolExecutor(4) as pool:
        for number, tokens in enumerate([900, 1, 50, 1]):
            pool.submit(wait, number, tokens)
            in_line(limits, number + 1)
    assert [number for _, number in sorted(order)] == [0, 1, 2, 3]


def test_a_freed_estimate_lets_the_next_one_through():
    limits = Limits(Slots(99, 99), tokens_per_minute=100)
    with ThreadPoolExecutor(1) as pool:
        with limits.passed(100):
            waiting = pool.submit(send, limits, 80)
            in_line(limits, 1)
        waiting.result(20)


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


def test_the_place_of_one_who_gives_up_is_freed():
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


def test_the_client_counts_what_was_used_and_not_what_was_feared(scene):
    used = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
    set_up = scene(lambda request: Completion(arguments={"fact_0": "True"}, usage=used))
    # The first estimate is some 300 tokens; were it not corrected, the second call would wait for a minute.
    client = set_up.client(tokens_per_minute=500, requests_per_minute=100, timeout=10)
    begun = time.monotonic()
    for _ in range(2):
        client.call(PROMPT, SCHEMA)
    assert time.monotonic() - begun < 40
    assert set_up.server.calls == 2


class Server:
    """Answers 100 tokens a second a place, `places` at once, in a time of its own."""

    def __init__(self, slots, places):
        self.slots, self.places, self.now = slots, places, 0.0

    def rounds(self, count):
        """So many rounds of as many requests as there are slots; the limits after each."""
        limits = []
        for _ in range(count):
            at_once = self.slots.limit
            for _ in range(at_once):
                self.slots.take()
            self.now += at_once / min(at_once, self.places)
            for _ in range(at_once):
                self.slots.answered(100)
                self.slots.used -= 1
            limits.append(self.slots.limit)
        return limits


def served(places, *, most=16, first=1):
    server = Server(Slots(most, first, clock=lambda: server.now), places)
    return server


def test_slots_grow_while_more_is_answered_in_the_same_time():
    for places, wanted in ((1, 1), (4, 4), (100, 16)):
        limits = served(places).rounds(200)
        assert sum(limit == wanted for limit in limits) > 150
        assert max(limits) <= max(2 * places, 2)


def test_one_noisy_answer_does_not_settle_them_for_good():
    server = served(100)
    server.rounds(7)
    server.now += 60  # somebody else had the machine
    assert server.rounds(400)[-1] == 16


def test_a_server_that_reads_all_again_for_two_at_once_is_tried_with_them_but_briefly():
    now, at_two = [0.0], 0
    slots = Slots(16, 1, clock=lambda: now[0])
    for _ in range(120):
        for _ in range(slots.limit):
            slots.take()
        at_two += slots.limit == 2
        now[0] += 0.5 if slots.limit == 1 else 12.0
        for _ in range(slots.limit):
            slots.used -= 1
            slots.answered(600)
    assert slots.limit == 1
    assert 1 <= at_two <= 4


@pytest.mark.parametrize("slots", [1, 2])
def test_calls_of_one_passage_have_a_slot_to_themselves_and_wait_once_there_are_fewer_slots(slots):
    limits = Limits(Slots(slots, slots))
    order, both = [], threading.Barrier(slots)

    def passage(name):
        with one_slot():
            for number in range(4):
                with limits.passed(1):
                    if number == 0 and slots == 2:
                        both.wait(20)
                        limits.slots.limit = 1
                    order.append(name)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(passage, "ab"))
    assert sorted(order) == list("aaaabbbb")
    rest = order[2:] if slots == 2 else order  # after the first call of each
    half = len(rest) // 2
    assert [len(set(rest[:half])), len(set(rest[half:]))] == [1, 1]


def test_a_request_out_of_time_halves_them_and_they_come_back_where_that_is_faster():
    server = served(100, first=16)
    server.slots.timed_out()
    server.slots.timed_out()
    assert server.slots.limit == 4
    assert server.rounds(1200)[-1] == 16


def test_a_server_on_this_machine_is_asked_one_by_one_at_first():
    for base, first in (
        ("http://127.0.0.1:8080/v1", 1),
        ("http://localhost:11434", 1),
        ("http://10.0.0.5:8000/v1", 12),
        (None, 12),
    ):
        assert Slots.of(Config(model="openai/m", api_base=base, concurrency=12)).limit == first


def test_a_slot_is_free_again_when_the_passage_is_done_whatever_happened():
    limits = Limits(Slots(1, 1))
    with contextlib.suppress(KeyError), one_slot(), limits.passed(1):
        raise KeyError
    with limits.passed(1):
        pass


def test_a_near_server_is_asked_one_by_one_until_its_speed_is_told(scene):
    set_up = scene(obliging, delay=0.05)
    client = set_up.client(concurrency=16)
    calls = range(ANSWERS_TO_TELL)
    parallel_map(lambda n: client.call(PROMPT.model_copy(update={"user": str(n)}), SCHEMA), calls, 16)
    assert (set_up.server.calls, set_up.server.peak) == (ANSWERS_TO_TELL, 1)


def test_slots_that_nobody_needs_do_not_grow():
    slots = Slots(16, 2)
    slots.take()
    slots.used -= 1
    for _ in range(5 * ANSWERS_TO_TELL):
        slots.answered(100)
    assert slots.limit == 2
