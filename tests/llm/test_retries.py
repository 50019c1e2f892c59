"""Waiting before a retry, as the provider asks for it."""

import time
from email.utils import formatdate

import pytest
from fake_server import obliging, rate_limited, sequence
from llm_scene import PROMPT, SCHEMA

from factreasoner.errors import ProviderError
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
    assert scene(answer).client().call(PROMPT, SCHEMA).arguments
    first, second = answer.times
    assert second >= (first + 0.4 if words else int(until))


def test_one_request_told_to_wait_holds_up_the_others(scene):
    answer = Arrivals(sequence(rate_limited("0.5"), obliging))
    client = scene(answer).client(concurrency=1)
    parallel_map(lambda _: client.call(PROMPT, SCHEMA), range(4), 4)
    assert min(answer.times[1:]) >= answer.times[0] + 0.5


def test_a_wait_of_hours_is_a_failure_at_once(scene):
    set_up = scene(lambda request: rate_limited("86400"))
    with pytest.raises(ProviderError, match="asks to wait 86400 s") as caught:
        set_up.client().call(PROMPT, SCHEMA)
    assert caught.value.attempts == 1
