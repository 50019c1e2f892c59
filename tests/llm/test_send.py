"""Retries, and servers that are dead, dying or slow: who waits, for how long, and what is said."""

import re
import socket
import threading
import time
from email.utils import formatdate
from urllib.parse import urlsplit

import pytest
from fake_server import hang, obliging, rate_limited, reset, sequence, server_error
from llm_scene import PROMPT, SCHEMA, Clock, schema_of

from factreasoner.calls.threads import parallel_map
from factreasoner.errors import ConfigError, ProviderError
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.send import SECONDS_BETWEEN_PROBES, CircuitBreaker, waiting_for, waiting_listener
from factreasoner.pipeline.config import Config


def test_breaker_opens_after_patience_and_probes():
    clock = Clock()
    breaker = CircuitBreaker("here", 60.0, clock=clock)
    assert breaker.admits()
    breaker.failed()
    clock.now = 59.0
    breaker.failed()
    assert (breaker.admits(), breaker.left) == (True, 1.0)
    clock.now = 61.0
    assert [breaker.admits() for _ in range(3)] == [True, False, False]  # one asks whether it is back
    clock.now += SECONDS_BETWEEN_PROBES
    assert [breaker.admits() for _ in range(2)] == [True, False]
    breaker.answered()
    assert (breaker.admits(), breaker.left) == (True, 60.0)


def test_without_patience_every_call_is_sent_once(scene):
    set_up = scene(lambda request: server_error())
    client = set_up.client(patience=0)
    for _ in range(3):
        with pytest.raises(ProviderError, match="tried once, without waiting"):
            client.call(PROMPT, SCHEMA)
    assert set_up.server.calls == 3


def test_calls_to_dead_server_fail_together(scene):
    set_up = scene(lambda request: reset())
    client = set_up.client(patience=2.0, concurrency=16)
    begun, heard = time.monotonic(), []

    def failed(number):
        with pytest.raises(ProviderError) as caught:
            client.call(PROMPT.model_copy(update={"user": str(number)}), SCHEMA)
        return str(caught.value)

    with waiting_listener(heard.append):
        said = parallel_map(failed, range(80), 16)
    assert time.monotonic() - begun < 30
    assert sum("has answered no call for 2 s" in message for message in said) > 40
    place = urlsplit(set_up.server.url).netloc
    assert set(heard) <= {f"{place}, {n} of 2 s (`patience`): Connection error" for n in (1, 2)}
    assert heard


def test_dying_server_keeps_earlier_answers(scene):
    set_up = scene(sequence(*[obliging] * 5, reset()))
    client = set_up.client(patience=0.5, concurrency=1)

    def answered(number):
        try:
            return bool(client.call(PROMPT.model_copy(update={"user": str(number)}), SCHEMA).arguments)
        except ProviderError:
            return False

    assert [answered(number) for number in range(12)] == [True] * 5 + [False] * 7


# One slot, and a queue before it


def test_queue_time_does_not_count_against_timeout(scene):
    set_up = scene(delay=0.6, places=1)
    client = set_up.client(timeout=4.0, max_attempts=1)
    client.call(PROMPT, SCHEMA)
    client.shared.limits.slots.limit = 8

    def after_those_before(n):
        """One that comes to the server out of turn would wait for later ones, which is another matter."""
        ends = time.monotonic() + 20
        while set_up.server.calls < n and time.monotonic() < ends:
            time.sleep(0.01)
        return client.call(PROMPT, schema_of(n + 2))

    replies = parallel_map(after_those_before, range(1, 9), 8)
    assert len(replies) == 8
    assert set_up.server.calls == 9  # the last one waited for more than four seconds behind the others


def test_hanging_request_ends_in_time(scene):
    hanging = threading.Event()

    def answer(request):
        if request.asked.startswith("hang"):
            hanging.set()
            return hang(20)
        return obliging(request)

    set_up = scene(answer)
    client = set_up.client(timeout=2.0, max_attempts=1, patience=0)
    client.call(PROMPT, SCHEMA)
    client.shared.limits.slots.limit = 4
    begun = time.monotonic()
    ended = []

    def hung():
        with pytest.raises(Exception, match="no answer within 2 s"):
            client.call(PROMPT.model_copy(update={"user": "hang"}), SCHEMA)
        ended.append(time.monotonic() - begun)

    thread = threading.Thread(target=hung)
    thread.start()
    hanging.wait(10)
    while thread.is_alive():
        client.call(PROMPT.model_copy(update={"user": str(time.monotonic())}), SCHEMA)
    thread.join()
    assert ended[0] < 8


def arriving(*steps):
    """Answers one step after the other, and notes when each request came."""
    times, answer = [], sequence(*steps)
    return times, lambda request: times.append(time.time()) or answer(request)


@pytest.mark.parametrize("words", ["0.4", None], ids=["seconds", "date"])
def test_retry_after_is_honoured(scene, words):
    until = time.time() + 2
    times, answer = arriving(rate_limited(words or formatdate(until, usegmt=True)), obliging)
    assert scene(answer).client(patience=30).call(PROMPT, SCHEMA).arguments
    first, second = times
    assert second >= (first + 0.4 if words else int(until))


def test_retry_after_delays_all_requests(scene):
    times, answer = arriving(rate_limited("0.5"), obliging)
    client = scene(answer).client(concurrency=1)
    prompts = [PROMPT.model_copy(update={"user": f"Is {number} so?"}) for number in range(4)]
    parallel_map(lambda prompt: client.call(prompt, SCHEMA), prompts, 4)
    assert len(times) == 5
    assert min(times[1:]) >= times[0] + 0.5


def test_wait_of_hours_fails_at_once(scene):
    set_up = scene(lambda request: rate_limited("86400"))
    with pytest.raises(ProviderError, match="asks to wait 86400 s, and `patience` is 120") as caught:
        set_up.client(patience=120).call(PROMPT, SCHEMA)
    assert caught.value.attempts == 1


def test_outage_is_waited_for_and_reported(scene):
    """It lasts until it is told of."""
    told = []
    set_up = scene(lambda request: obliging(request) if told else reset())
    with waiting_listener(told.append):
        assert set_up.client(patience=30, max_attempts=1).call(PROMPT, SCHEMA).arguments
    assert told[0].startswith(f"{urlsplit(set_up.server.url).netloc}, ")
    assert told[0].endswith(" of 30 s (`patience`): Connection error")
    assert told[-1] == ""


def test_silent_server_is_reported_with_its_attempts(scene, monkeypatch):
    monkeypatch.setattr("factreasoner.llm.send.SILENCE", 0.5)
    set_up, told = scene(sequence(hang(), obliging)), []
    with waiting_listener(told.append), waiting_for("a probe"):
        assert set_up.client(timeout=2.0, max_attempts=3).call(PROMPT, SCHEMA).arguments
    tries = "try 1 of 3 (`max_attempts`), 2 s each (`timeout`)"
    server, told_of = (
        urlsplit(set_up.server.url).netloc,
        [words for words in told if ", silent for " in words],
    )
    assert told_of
    assert all(words.startswith(f"a probe; {server}") and words.endswith(f" s: {tries}") for words in told_of)
    assert (told[0], *told[-2:]) == ("a probe", "a probe", "")


@pytest.fixture
def nobody(tmp_path, monkeypatch):
    """A client of a server that is not there."""
    monkeypatch.setattr("factreasoner.llm.send.SECONDS_AT_START", 0.5)
    place = {"model": "fake", "api_base": "http://127.0.0.1:9/v1", "cache_dir": tmp_path}
    return lambda **settings: LiteLLMClient(Config(**place, **settings))


ABSENT = "Connection refused; is http://127.0.0.1:9/v1 up? "


def test_calls_to_absent_server_end_soon(nobody):
    client = nobody()

    def failed(number):
        with pytest.raises((ConfigError, ProviderError)) as caught:
            client.call(PROMPT.model_copy(update={"user": str(number)}), SCHEMA)
        return type(caught.value), str(caught.value)

    ((kind, words),) = set(parallel_map(failed, range(24), 8))  # most wait for the first one's slot
    assert kind is ConfigError
    up = ABSENT.removeprefix("Connection refused; ")
    assert words.endswith(f"every connection was refused for 0.5 s; {up}(`patience=120` waits longer)")


def test_custom_patience_applies_to_absent_server(nobody):
    told = re.escape(f"{ABSENT}(waited for as long as `patience=1` allows)")
    with pytest.raises(ProviderError, match=told):
        nobody(patience=1.0).call(PROMPT, SCHEMA)


@pytest.fixture
def nameless(tmp_path, monkeypatch):
    """A client of a server whose host's name a resolver answers with that error."""

    def client(error, model="fake", **settings):
        def resolve(*args, **kwargs):
            raise socket.gaierror(error, "Says the resolver")

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none of them")
        place = {"model": model, "api_base": "http://nowhere.invalid/v1", "cache_dir": tmp_path}
        return LiteLLMClient(Config(**place | settings))

    return client


@pytest.mark.parametrize("model", ["fake", "ollama/fake", "anthropic/claude-3-haiku-20240307"])
@pytest.mark.parametrize("error", [socket.EAI_NONAME, socket.EAI_FAIL, socket.EAI_AGAIN])
def test_a_host_without_an_address_ends_at_once(nameless, model, error):
    begun = time.monotonic()
    told = r"does not resolve \(Says the resolver\); check `api_base='http://nowhere.invalid/v1'`"
    with pytest.raises(ConfigError, match=told):
        nameless(error, model).call(PROMPT, SCHEMA)
    assert time.monotonic() - begun < 10  # with the import of the library


@pytest.mark.parametrize("host", ["exa mple.invalid", "a..invalid", "a" * 70 + ".invalid"])
def test_invalid_host_name_fails_at_once(nameless, host):
    with pytest.raises(ConfigError, match=r"the name of the host does not resolve"):
        nameless(socket.EAI_NONAME, api_base=f"http://{host}/v1").call(PROMPT, SCHEMA)


def test_silent_resolver_gets_the_set_patience(nameless):
    with pytest.raises(ConfigError):
        nameless(socket.EAI_NONAME, patience=0.3).call(PROMPT, SCHEMA)
    with pytest.raises(ProviderError, match=r"does not resolve .*waited for as long as `patience=0.3`"):
        nameless(socket.EAI_AGAIN, patience=0.3).call(PROMPT, SCHEMA)


def test_host_with_an_address_gets_patience():
    breaker = CircuitBreaker("here", 60.0, at_start=10.0)
    assert not breaker.there
    breaker.failed(refused=True)
    assert not breaker.there
    breaker.answered()
    breaker.failed(refused=True)
    assert breaker.there


def test_resetting_server_gets_full_patience(scene, monkeypatch):
    monkeypatch.setattr("factreasoner.llm.send.SECONDS_AT_START", 0.0)
    set_up = scene(sequence(*[reset()] * 6, obliging))
    config = Config(model="fake", api_base=set_up.server.url, cache_dir=set_up.folder)
    assert LiteLLMClient(config).call(PROMPT, SCHEMA).arguments


@pytest.mark.parametrize("there", [CircuitBreaker.failed, CircuitBreaker.answered])
def test_server_seen_once_gets_full_patience(there):
    clock, told = Clock(), []
    breaker = CircuitBreaker("here", 60.0, at_start=10.0, clock=clock)
    breaker.failed(refused=True)
    assert (breaker.absent, breaker.left) == (True, 10.0)
    clock.now += 2.0
    with waiting_listener(told.append):
        breaker.report_reason("Connection refused")
    assert told == ["here, 2 of 10 s (at the start; `patience=60` waits longer): Connection refused"]
    there(breaker)  # busy or not
    breaker.failed(refused=True)
    assert (breaker.absent, breaker.patience) == (False, 60.0)


def test_silence_counts_from_the_last_answer():
    clock, told = Clock(), []
    breaker = CircuitBreaker("here", 60.0, clock=clock)
    began = clock.now
    clock.now += 20.0
    breaker.answered()
    with waiting_listener(told.append):
        clock.now += 4.0
        breaker.report_silence(began, "try 1")
        clock.now += 2.0
        breaker.report_silence(began, "try 1")
    assert told == ["here, silent for 6 s: try 1"]


def test_answer_after_timeout_is_used(scene):
    set_up = scene(sequence(hang(), obliging))
    assert set_up.client(timeout=2.0, patience=0).call(PROMPT, SCHEMA).arguments
    assert set_up.server.calls == 2
