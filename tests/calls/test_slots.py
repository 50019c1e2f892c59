"""As many slots as a server can handle, and slots that calls one after the other share."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import obliging, sequence, server_error
from llm_scene import PROMPT, SCHEMA, Clock, in_line, schema_of

from factreasoner.calls.limits import Limits
from factreasoner.calls.slots import MIN_ANSWERS, Slots, lease, one_slot
from factreasoner.calls.threads import parallel_map, run_in_thread
from factreasoner.llm.capabilities import Capabilities, FoundForm
from factreasoner.pipeline.config import Config


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


def test_slots_grow_while_throughput_grows():
    for places, wanted in ((1, 1), (4, 4), (100, 16)):
        limits = served(places).rounds(200)
        assert sum(limit == wanted for limit in limits) > 150
        assert max(limits) <= max(2 * places, 2)


def test_one_noisy_answer_does_not_fix_slots():
    server = served(100)
    server.rounds(7)
    server.now += 60  # somebody else had the machine
    assert server.rounds(400)[-1] == 16


def test_server_without_prefix_sharing_is_tried_briefly():
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
def test_calls_of_one_passage_share_a_slot(slots):
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


def test_timeout_halves_slots_until_faster():
    server = served(100, first=16)
    server.slots.timed_out()
    server.slots.timed_out()
    assert server.slots.limit == 4
    assert server.rounds(1200)[-1] == 16


def test_local_server_starts_with_one_slot():
    for base, first in (
        ("http://127.0.0.1:8080/v1", 1),
        ("http://localhost:11434", 1),
        ("http://10.0.0.5:8000/v1", 12),
        (None, 12),
    ):
        assert Slots.of(Config(model="openai/m", api_base=base, concurrency=12)).limit == first


def test_failing_passage_frees_its_slot():
    limits = Limits(Slots(1, 1))
    with contextlib.suppress(KeyError), one_slot(), limits.passed(1):
        raise KeyError
    with limits.passed(1):
        pass


@pytest.mark.parametrize("same", [True, False])
def test_passage_waiting_for_another_frees_its_slot(scene, same):
    client = scene().client()
    one, other = PROMPT, PROMPT.model_copy(update={"user": "Is it not?"})

    def passage(behind):
        with one_slot():
            client.call(one, SCHEMA)
            waiting = run_in_thread(behind)
            in_line(client.shared.limits, 1)
            client.call(one if same else other, schema_of(1))  # of a kind whose form the one behind looks for
        return waiting

    found = run_in_thread(lambda: passage(lambda: client.call(one, schema_of(1)))).result(20).result(20)
    assert found.arguments == {"fact_0": "True"}


def test_waiting_retry_frees_its_slot(scene, monkeypatch):
    client = scene(sequence(server_error(), obliging)).client(concurrency=1)
    other, sleep, found = PROMPT.model_copy(update={"user": "Is it not?"}), time.sleep, []

    def meanwhile(seconds):
        monkeypatch.setattr(time, "sleep", sleep)
        found.append(run_in_thread(lambda: client.call(other, SCHEMA, sample=1)).result(5))

    monkeypatch.setattr(time, "sleep", meanwhile)
    client.kept.adopt(
        Capabilities(forms={"flat": FoundForm(form="json_schema")})
    )  # else it waits for the form
    with one_slot():
        assert client.call(PROMPT, SCHEMA).arguments
        assert client.call(PROMPT, SCHEMA, sample=2).arguments
    assert len(found) == 1


def test_queueing_does_not_use_up_patience(scene, monkeypatch):
    answers = sequence(obliging, server_error(), obliging, server_error(), obliging)
    client = scene(answers).client(concurrency=1, patience=60.0)
    client.kept.adopt(Capabilities(forms={"flat": FoundForm(form="json_schema")}))
    other, late = PROMPT.model_copy(update={"user": "Is it not?"}), [0.0]
    passed, monotonic = client.shared.limits.passed, time.monotonic

    def others_first(tokens):
        if lease.get() == []:
            run_in_thread(lambda: client.call(other, SCHEMA)).result(20)
            late[0] += 100.0
        return passed(tokens)

    monkeypatch.setattr(client.shared.limits, "passed", others_first)
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + late[0])
    with one_slot():
        assert client.call(PROMPT, SCHEMA).arguments
    assert late == [300.0]


def test_passage_without_slot_waits_behind_holders():
    clock, both, paused = Clock(), threading.Barrier(2), threading.Event()
    limits = Limits(Slots(2, 2), clock=clock)

    def passage(between):
        with one_slot():
            with limits.passed(1):
                both.wait(20)
            between()
            with limits.passed(1):
                pass

    def lose():
        limits.pause(1.0)
        paused.set()
        in_line(limits, 1)
        limits.slots.limit = 1

    ended = [run_in_thread(lambda between=between: passage(between)) for between in (lose, paused.wait)]
    in_line(limits, 2)
    clock.now = 1.0
    for passage_ended in ended:
        passage_ended.result(20)


def test_local_server_is_serial_until_measured(scene):
    set_up = scene(obliging, delay=0.05)
    client = set_up.client(concurrency=16)
    calls = range(MIN_ANSWERS)
    parallel_map(lambda n: client.call(PROMPT.model_copy(update={"user": str(n)}), SCHEMA), calls, 16)
    assert (set_up.server.calls, set_up.server.peak) == (MIN_ANSWERS, 1)


def test_unneeded_slots_do_not_grow():
    slots = Slots(16, 2)
    slots.take()
    slots.used -= 1
    for _ in range(5 * MIN_ANSWERS):
        slots.answered(100)
    assert slots.limit == 2
