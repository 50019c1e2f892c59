"""The response cache: what is kept, what is shared, and what happens to a broken file."""

import contextlib
import logging
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fake_server import Completion, answering, cut, missing, obliging, prose, replaced, sequence, server_error
from llm_scene import PROMPT, SCHEMA, schema_of

from factreasoner.calls.cache import FILE, Answerers, CacheFile, InFlight, ReplyCache, cache_folder
from factreasoner.calls.threads import AbandonedError
from factreasoner.calls.usage import CACHED, Meter
from factreasoner.errors import ConfigError, FactReasonerError, ProviderError
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Usage
from factreasoner.models.messages import Reply
from factreasoner.pipeline.config import Config

TRUE = {"fact_0": "True", "fact_1": "True"}
TEXT = '{"fact_0": "True"}'
REPLY = Reply(arguments={"fact_0": "True"}, text=TEXT, form="tool", usage=Usage(calls=1, cost=0.5))


@pytest.fixture
def cache(tmp_path):
    made = ReplyCache(tmp_path)
    yield made
    made.close()


def test_the_same_question_is_sent_once(scene):
    set_up, meter = scene(), Meter()
    with meter.stage("evaluator"):
        first = set_up.client(cache=True).call(PROMPT, SCHEMA)
        second = set_up.client(cache=True).call(PROMPT, SCHEMA)
    assert set_up.server.calls == 1
    assert second == first.model_copy(update={"usage": CACHED})
    assert Usage(cached_calls=1, calls=0, prompt_tokens=0, completion_tokens=0, cost=0.0) == CACHED
    usage = meter.usage["evaluator"]
    assert (usage.calls, usage.cached_calls, usage.prompt_tokens) == (1, 1, first.usage.prompt_tokens)


def test_stored_reply_with_bad_probabilities_is_discarded(scene):
    """As is one that another version stored."""
    set_up = scene(logprobs=True)
    set_up.client(cache=True).call(PROMPT, SCHEMA, logprobs=True)
    with contextlib.closing(sqlite3.connect(set_up.folder / FILE)) as connection, connection:
        stored = connection.execute("UPDATE replies SET reply = replace(reply, ':0.', ':7.')")
        assert stored.rowcount == 1
    assert set_up.client(cache=True).call(PROMPT, SCHEMA, logprobs=True).arguments == TRUE
    assert set_up.server.calls == 2


def test_without_a_cache_every_question_is_sent(scene):
    set_up = scene()
    client = set_up.client()
    client.call(PROMPT, SCHEMA)
    client.call(PROMPT, SCHEMA)
    assert set_up.server.calls == 2
    assert not set_up.folder.exists()


@pytest.mark.parametrize(
    ("settings", "prompt", "schema", "options", "calls"),
    [
        ({"timeout": 9, "max_attempts": 2, "concurrency": 1}, {"name": "renamed"}, SCHEMA, {}, 1),
        ({"model": "other"}, {}, SCHEMA, {}, 2),
        ({"temperature": 0.5}, {}, SCHEMA, {}, 2),
        ({"max_tokens": 17}, {}, SCHEMA, {}, 2),
        ({}, {"user": "Else?"}, SCHEMA, {}, 2),
        ({}, {"system": "Else."}, SCHEMA, {}, 2),
        ({}, {"fingerprint": "v2"}, SCHEMA, {}, 2),
        ({}, {}, schema_of(3), {}, 2),
        ({}, {}, SCHEMA.model_copy(update={"description": "Else."}), {}, 2),
        ({}, {}, SCHEMA, {"sample": 1}, 2),
        ({}, {}, SCHEMA, {"logprobs": True}, 2),
    ],
)
def test_cache_key_has_only_what_decides_answers(scene, settings, prompt, schema, options, calls):
    set_up = scene()
    set_up.client(cache=True).call(PROMPT, SCHEMA)
    other = set_up.client(cache=True, **settings)
    for _ in range(2):
        other.call(PROMPT.model_copy(update=prompt), schema, **options)
    assert set_up.server.calls == calls


def test_a_cache_of_an_earlier_version_still_answers(tmp_path):
    """No server is there: only a reply stored under the key that was always made can be the answer."""
    cache = ReplyCache(tmp_path)
    cache.store("0a7e1c54056208f917ea896fe509f47d2fb0e472adc97d3add0eb5a33fc422e1", REPLY)
    cache.close()
    config = Config(model="fake", api_base="http://127.0.0.1:9/v1", cache_dir=tmp_path, patience=0.0)
    client = LiteLLMClient(config)
    assert client.call(PROMPT, SCHEMA).usage == CACHED
    client.close()


A, B = {"model": "qwen", "system_fingerprint": "b1"}, {"model": "llama", "system_fingerprint": "b1"}


@pytest.mark.parametrize(
    ("cached", "live", "warning"),
    [
        (A, A, ""),
        (A, B, "cached answers have the model 'qwen', and new ones 'llama'"),
        (A, A | {"system_fingerprint": "b2"}, "system fingerprint of 'qwen' 'b1', and new ones 'b2'"),
        (A, A | {"system_fingerprint": None}, ""),
        (A | {"system_fingerprint": None}, A, ""),
        (A, {"model": None, "system_fingerprint": None}, ""),
        ({"model": None, "system_fingerprint": None}, B, ""),
        (A, {"model": 7, "system_fingerprint": ["b2"]}, ""),
        ({"model": "q" * 9000}, B, f"cached answers have the model '{'q' * 200}', and"),
        ({"model": "two\n  lines"}, B, "cached answers have the model 'two lines', and"),
    ],
)
def test_cached_answers_of_another_model_warn_once(scene, caplog, cached, live, warning):
    set_up = scene(lambda request: Completion(TRUE, body=cached if request.number == 0 else live))
    client = set_up.client(cache=True, form="tool")
    client.call(PROMPT, SCHEMA)
    assert not caplog.messages
    client = set_up.client(cache=True, form="tool")
    for user in ("Is it so?", "And so?", "Really?"):
        client.call(PROMPT.model_copy(update={"user": user}), SCHEMA)
    assert set_up.server.calls == 3
    assert len(caplog.messages) == bool(warning)
    assert warning in "".join(caplog.messages)
    client.call(PROMPT, SCHEMA)
    assert len(caplog.messages) == bool(warning)


def test_stale_fingerprint_in_cache_is_warned_about(caplog):
    answerers = Answerers("m")
    for fingerprint in ("b1", "b2"):
        answerers.note(REPLY.model_copy(update={"model": "m", "system_fingerprint": fingerprint}))
    old = REPLY.model_copy(update={"model": "m", "system_fingerprint": "b2", "usage": CACHED})
    answerers.note(old)
    assert not caplog.messages
    answerers.note(old.model_copy(update={"system_fingerprint": "b0"}))
    assert "'b0'" in caplog.text


def test_samples_above_the_same_temperature_are_kept_apart(scene):
    set_up = scene()
    client = set_up.client(cache=True)
    for sample in (1, 2, 3, 1, 2, 3):
        client.call(PROMPT, SCHEMA, sample=sample)
    assert set_up.server.calls == 3


@pytest.mark.parametrize(
    "answer",
    [
        sequence(*[cut()] * 4, obliging),
        sequence(*[replaced(fact_0=None, fact_1="Maybe")] * 4, obliging),
        sequence(*[prose()] * 4, obliging),
        sequence(server_error(), obliging),
    ],
    ids=["cut", "nothing valid", "prose", "500"],
)
def test_unusable_reply_is_not_cached(scene, answer):
    set_up = scene(answer)
    client = set_up.client(cache=True, patience=0.0)
    with contextlib.suppress(FactReasonerError):
        client.call(PROMPT, SCHEMA)
    asked = set_up.server.calls
    assert client.call(PROMPT, SCHEMA).arguments == TRUE
    assert set_up.server.calls == asked + 1


def test_one_valid_argument_is_worth_keeping(scene):
    set_up = scene(missing("fact_1"))
    client = set_up.client(cache=True)
    assert [client.call(PROMPT, SCHEMA).arguments for _ in range(2)] == [{"fact_0": "True"}] * 2
    assert set_up.server.calls == 1


def test_reason_without_answer_is_not_cached(scene):
    properties = {"fact_0_reasoning": {"type": "string"}, **SCHEMA.parameters["properties"]}
    schema = SCHEMA.model_copy(update={"parameters": SCHEMA.parameters | {"properties": properties}})
    set_up = scene(sequence(*[missing("fact_0", "fact_1")] * 3, obliging))
    client = set_up.client(cache=True)
    assert list(client.call(PROMPT, schema).arguments) == ["fact_0_reasoning"]
    assert list(client.call(PROMPT, schema).arguments) == ["fact_0_reasoning", "fact_0", "fact_1"]


@pytest.mark.parametrize("cache", [True, False])
def test_threads_that_ask_the_same_share_one_request(scene, cache):
    set_up, meter, together = scene(delay=0.5), Meter(), threading.Barrier(8)
    client = set_up.client(cache=cache)

    def ask(_):
        together.wait(60)
        with meter.stage("evaluator"):
            return client.call(PROMPT, SCHEMA).arguments

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [TRUE] * 8
    assert set_up.server.calls == 1
    assert (meter.total.calls, meter.total.cached_calls) == (1, 7)


def test_threads_share_a_failure_too(scene):
    set_up, together = scene(lambda request: server_error(), delay=0.5), threading.Barrier(4)
    client = set_up.client(cache=True, patience=0.0)

    def ask(_):
        together.wait(60)
        with pytest.raises(ProviderError):
            client.call(PROMPT, SCHEMA)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [None] * 4
    assert set_up.server.calls == 1


def test_abandoned_request_is_taken_over_by_waiters():
    asked, left = threading.Event(), threading.Event()
    in_flight = InFlight()

    def abandoned():
        asked.set()
        assert left.wait(60)
        raise AbandonedError

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(in_flight.get_or_ask, "key", lambda: None, abandoned)
        assert asked.wait(60)
        second = pool.submit(in_flight.get_or_ask, "key", lambda: None, lambda: "answer")
        assert not second.done()
        left.set()
        assert second.result(60) == ("answer", True)
        with pytest.raises(AbandonedError):
            first.result(60)


WRITER = """
import sys, pathlib
from factreasoner.calls.cache import ReplyCache
from factreasoner.models.messages import FunctionSchema, Reply
prop = {"type": "string"}
schema = FunctionSchema(name="f", description="", parameters={"type": "object", "properties": {"a": prop}})
cache = ReplyCache(pathlib.Path(sys.argv[1]))
for number in range(50):
    cache.get_or_ask(f"{sys.argv[2]}-{number}", schema, lambda: Reply(arguments={"a": "x"}))
    cache.get_or_ask(f"shared-{number}", schema, lambda: Reply(arguments={"a": "y"}))
cache.close()
"""


def test_many_processes_write_the_same_new_file(tmp_path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(n)], stderr=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    for writer in writers:
        _, told = writer.communicate(timeout=60)
        assert (writer.returncode, told) == (0, "")
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (250,)
    connection.close()


def test_a_file_that_breaks_later_costs_one_warning(scene, caplog):
    set_up = scene(answering(lambda name, prop, request: "True"))
    client = set_up.client(cache=True)
    client.call(PROMPT, SCHEMA)
    connection = sqlite3.connect(set_up.folder / FILE)
    connection.execute("DROP TABLE replies")
    connection.close()
    for _ in range(3):
        assert client.call(PROMPT, SCHEMA).arguments
    assert [r.levelname for r in caplog.records if r.levelno >= logging.WARNING] == ["WARNING"]
    assert "continuing without it" in caplog.text


def test_cache_folder_follows_settings_then_environment(monkeypatch):
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", "/from/environment")
    assert cache_folder(Config(cache_dir=Path("/configured"))) == Path("/configured")
    assert cache_folder(Config()) == Path("/from/environment")
    monkeypatch.delenv("FACTREASONER_CACHE_DIR")
    assert cache_folder(Config()).name == "factreasoner"


# Any file of rows

TABLES = (
    "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT)",
    "DELETE FROM kept WHERE key = ''",
)
READ = "SELECT value FROM kept WHERE key = ?"
WRITE = "INSERT OR REPLACE INTO kept VALUES (?, ?)"


def opened(path):
    return CacheFile(path, TABLES, remedy="do without")


def test_without_a_path_it_is_this_processs_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = opened(None)
    file.write(WRITE, [("a", "1")])
    assert file.rows(READ, ["a"]) == [("1",)]
    assert opened(None).rows(READ, ["a"]) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("file", r"cache_dir: .*file is damaged .*delete it, or do without"),
        ("file/kept.sqlite", r"kept.sqlite can't be written .*another folder, or do without"),
    ],
)
def test_damaged_cache_file_error_names_fix(tmp_path, name, told):
    (tmp_path / "file").write_bytes(b"no database" * 1000)
    with pytest.raises(ConfigError, match=told):
        opened(tmp_path / name)
