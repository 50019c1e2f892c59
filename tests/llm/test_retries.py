"""Waiting before a retry, as the provider asks for it."""

import time
from email.utils import formatdate
from urllib.parse import urlsplit

import pytest
from fake_server import hang, obliging, rate_limited, reset, sequence
from llm_scene import PROMPT, SCHEMA

from factreasoner.errors import ProviderError
from factreasoner.llm.breaker import told_of_waiting
from factreasoner.llm.parallel import parallel_map


class Arrivals:
    """Answers as `answer` does and notes when each request came."""

    def __init__(self, answer):
        self.answer = answer
        self.times = []

    def __call__(self, request):
        self.times.append(time.time())
        return self.answer(request)


@pytest.mark.parametrize("words", ["0.4", None], ids=["seconds", "date"])
def test_retry_after_is_honoured(scene, words):
    until = time.time() + 2
    answer = Arrivals(sequence(rate_limited(words or formatdate(until, usegmt=True)), obliging))
    assert scene(answer).client(patience=30).call(PROMPT, SCHEMA).arguments
    first, second = answer.times
    assert second >= (first + 0.4 if words else int(until))


def test_one_request_told_to_wait_holds_up_the_others(scene):
    answer = Arrivals(sequence(rate_limited("0.5"), obliging))
    client = scene(answer).client(concurrency=1)
    prompts = [PROMPT.model_copy(update={"user": f"Is {number} so?"}) for number in range(4)]
    parallel_map(lambda prompt: client.call(prompt, SCHEMA), prompts, 4)
    assert len(answer.times) == 5
    assert min(answer.times[1:]) >= answer.times[0] + 0.5


def test_a_wait_of_hours_is_a_failure_at_once(scene):
    set_up = scene(lambda request: rate_limited("86400"))
    with pytest.raises(ProviderError, match="asks to wait 86400 s, and --patience is 120") as caught:
        set_up.client(patience=120).call(PROMPT, SCHEMA)
    assert caught.value.attempts == 1


def test_an_outage_is_waited_for_and_said(scene):
    asked, told = [], []

    def answer(request):
        asked.append(time.monotonic())
        return reset() if asked[-1] < asked[0] + 1.0 else obliging(request)

    set_up = scene(answer)
    client = set_up.client(patience=30, max_attempts=1)
    with told_of_waiting(lambda seconds, server: told.append((seconds, server))):
        assert client.call(PROMPT, SCHEMA).arguments
    assert {server for _, server in told} == {urlsplit(set_up.server.url).netloc}
    *waited, last = [seconds for seconds, _ in told]
    assert waited == sorted(waited)
    assert 0.5 < max(waited) < 30
    assert last == 0.0


def test_a_timeout_is_no_reason_to_wait_and_the_answer_after_it_is_taken(scene):
    set_up = scene(sequence(hang(), obliging))
    assert set_up.client(timeout=2.0, patience=0).call(PROMPT, SCHEMA).arguments
    assert set_up.server.calls == 2
