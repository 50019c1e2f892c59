"""Log-probabilities taken out of a response before any library sees it."""

import gzip
import json
import threading

import httpx
import pytest
from fake_server import Completion, FakeServer
from llm_scene import PROMPT, SCHEMA

from factreasoner.calls.usage import estimate_request
from factreasoner.llm.faults import NotACompletionError
from factreasoner.llm.forms import request
from factreasoner.llm.session import Session, TooLongError, capture_details
from factreasoner.llm.transport import Transport

LOGPROBS = {"content": [{"token": "{}", "logprob": -0.1, "bytes": None, "top_logprobs": []}]}
BODY = {"choices": [{"message": {"content": "a\ud83d"}, "logprobs": LOGPROBS}], "usage": {"prompt_tokens": 3}}
ASKED = {"logprobs": True, "top_logprobs": 5, **request("tool", PROMPT, SCHEMA)}


def session_for(content, *, status=200, headers=()):
    answer = httpx.Response(status, content=content, headers=[*headers, ("x-request-id", "7")])
    return Session(transport=httpx.MockTransport(lambda request: answer))


def said(content, **options):
    """What comes of an answer, and the log-probabilities that were kept."""
    with session_for(content, **options) as session, capture_details() as aside:
        response = session.get("http://model.test/chat/completions")
    return response, aside.logprobs


def test_response_loses_only_its_log_probabilities():
    zipped = gzip.compress(json.dumps(BODY).encode())
    lean, logprobs = said(zipped, headers=[("content-encoding", "gzip")])
    assert logprobs == LOGPROBS
    assert lean.json() == {"choices": [{"message": {"content": "a\ud83d"}}], "usage": {"prompt_tokens": 3}}
    assert (lean.headers["x-request-id"], "content-encoding" in lean.headers) == ("7", False)
    lean.raise_for_status()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (json.dumps(BODY).encode(), 429),
        (b"no JSON", 200),
        (b"[" * 100_000, 200),
        (b'{"choices": []}', 200),
        (b'{"choices": [7]}', 200),
        (b'[{"choices": 1}]', 200),
        (b'{"choices": [{"message": {"content": "x"}}]}', 200),
        (b"", 200),
    ],
)
def test_any_other_response_stays_as_it_is(content, status):
    response, logprobs = said(content, status=status)
    assert (response.content, response.status_code, logprobs) == (content, status, None)


def test_text_parts_are_joined_without_thoughts():
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, None]
    parts += [{"type": "text", "text": text} for text in ("0: True", "\n1: False", None)]
    response, _ = said(json.dumps({"choices": [{"message": {"content": parts}}]}).encode())
    assert response.json()["choices"][0]["message"]["content"] == "0: True\n1: False"


def test_other_threads_keep_theirs():
    with session_for(json.dumps(BODY).encode()) as session, capture_details() as aside:
        found = []
        thread = threading.Thread(target=lambda: found.append(session.get("http://model.test/").json()))
        thread.start()
        thread.join()
    assert (found, aside.logprobs) == ([BODY], None)


@pytest.mark.parametrize("model", ["fake", "lm_studio/x", "hosted_vllm/x", "openrouter/x", "together_ai/x"])
def test_log_probabilities_bypass_litellm_for_every_provider(model, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "none")
    litellm_saw = []
    take = Transport.completion

    def watching(self, response, request, logprobs):
        litellm_saw.append(getattr(response.choices[0], "logprobs", None))
        return take(self, response, request, logprobs)

    monkeypatch.setattr(Transport, "completion", watching)
    text = '{"fact_0": "True", "fact_1": "False"}'
    alternatives = [("True", -0.5), ("False", -1.0)]
    tokens = [
        (part, -0.5, alternatives) for part in ('{"fact_0": "', "True", '", "fact_1": "', "False", '"}')
    ]
    with FakeServer(lambda request: Completion(arguments=text, tokens=tokens)) as server:
        answer = Transport(model, server.url, "SOME_KEY").complete(ASKED, timeout=20)
    assert litellm_saw == [None]
    assert answer.tokens.raw.decode() == text
    assert {token.top for token in answer.tokens.tokens} == {tuple(alternatives)}


def endless():
    """A body without an end: reading on would take for ever."""
    yield b'{"choices": [{"message": {"content": "'
    while True:
        yield b"x" * 100_000


@pytest.mark.parametrize(
    "content",
    [
        endless(),
        json.dumps({"choices": [{"message": {"content": "[" * 600_000}}]}).encode(),
        json.dumps({"choices": [{"message": {"content": "[" * 600_000}, "logprobs": LOGPROBS}]}).encode(),
        b'{"choices": [{"message": {"content": "x"}, "logprobs": [' + b"1," * 600_000 + b"1]}]}",
    ],
    ids=["no end", "content", "content beside log-probabilities", "values"],
)
def test_oversized_reply_is_not_read(content):
    with pytest.raises(TooLongError):
        said(content)


def test_long_answer_keeps_all_log_probabilities():
    entry = {"token": " the", "logprob": -0.1, "bytes": [32, 116, 104, 101]}
    tokens = [{**entry, "top_logprobs": [entry] * 5}] * 4096
    choice = {"message": {"content": " the" * 16_000}, "logprobs": {"content": tokens}}
    response, logprobs = said(json.dumps({"choices": [choice]}, indent=2).encode())
    assert response.json()["choices"][0]["message"]["content"] == " the" * 16_000
    assert logprobs["content"] == tokens


def test_endless_error_keeps_only_its_beginning():
    response, _ = said(endless(), status=500)
    assert response.status_code == 500
    assert 100_000 < len(response.content) < 1_000_000


@pytest.mark.parametrize(
    "failed", [{"error": {"code": 502, "message": "Upstream died"}}, {"finish_reason": "error"}]
)
def test_choice_ended_by_error_is_no_answer(failed):
    choice = {"index": 0, "message": {"role": "assistant", "content": "True"}} | failed
    with (
        FakeServer(lambda request: Completion(arguments={}, body={"choices": [choice]})) as server,
        pytest.raises(NotACompletionError) as caught,
    ):
        Transport("openai/fake", server.url, None).complete(ASKED, timeout=5)
    assert caught.value.status_code == (502 if "error" in failed else 400)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": "many", "completion_tokens": 1e400}, None),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": "some"}}, None),
        ({"prompt_tokens": 9, "completion_tokens_details": []}, None),
        ("none", None),
        ({"prompt_tokens": 9.0, "completion_tokens": 3.0, "total_tokens": 12.0}, 9),
    ],
)
def test_answer_with_senseless_usage_is_kept(usage, tokens):
    message = {"role": "assistant", "content": "True"}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    with FakeServer(lambda request: Completion(arguments={}, body=body)) as server:
        found = Transport("openai/fake", server.url, None).complete(ASKED, timeout=5)
    assert found.content == "True"
    assert found.usage.prompt_tokens == (tokens or estimate_request(ASKED))
