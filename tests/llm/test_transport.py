"""What litellm is told, and what is known of a model before any request."""

import gc
import logging
import math
import os
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.llm.responses import MOST_TOKENS
from factreasoner.llm.transport import Transport, load


def test_litellm_is_quiet_and_stays_at_home():
    litellm = load()
    assert litellm.suppress_debug_info
    assert litellm.telemetry is False
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["LITELLM_MODE"] == "PRODUCTION"
    for name in ("LiteLLM", "litellm.llms.huggingface.chat.transformation"):
        assert not logging.getLogger(name).isEnabledFor(logging.WARNING)


@pytest.mark.parametrize(
    ("model", "api_base", "resolved", "provider"),
    [
        ("gpt-4o-mini", None, "gpt-4o-mini", "openai"),
        ("anthropic/claude-x", None, "anthropic/claude-x", "anthropic"),
        ("my-model", "http://127.0.0.1:1/v1", "openai/my-model", "openai"),
        ("gpt-4o-mini", "http://127.0.0.1:1/v1", "openai/gpt-4o-mini", "openai"),
        ("lab/model", "http://127.0.0.1:1/v1", "openai/lab/model", "openai"),
        ("ollama/llama3", "http://127.0.0.1:1", "ollama/llama3", "ollama"),
        ("hosted_vllm/lab/model", "http://127.0.0.1:1/v1", "hosted_vllm/lab/model", "hosted_vllm"),
        ("who-is-this", None, "who-is-this", ""),
    ],
)
def test_models_and_their_providers(model, api_base, resolved, provider):
    found = Transport(model, api_base, None)
    assert (found.model, found.provider) == (resolved, provider)


def test_the_keys_a_provider_wants(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert Transport("anthropic/claude-x", None, None).missing_keys == ("ANTHROPIC_API_KEY",)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "something")
    assert Transport("anthropic/claude-x", None, None).missing_keys == ()


def test_litellm_import_warns_nothing_and_keeps_gc():
    was_on = gc.isenabled()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        load.__wrapped__()
    assert told == []
    assert gc.isenabled() == was_on


# What a provider reports of an answer, however wrong

NO_NUMBERS = st.sampled_from([None, "x", True, math.nan, math.inf, -math.inf, 1e400, 1e308, 3.0, 800, [], {}])
LOGPROBS = NO_NUMBERS | st.floats(max_value=0.0) | st.floats() | st.sampled_from([-(10**400), 10**400, -7])
COUNTS = NO_NUMBERS | st.integers(-(10**20), 10**20) | st.floats()
BYTES = st.none() | st.lists(st.integers(-5, 300), max_size=4) | st.text(max_size=3)
TOKENS = st.none() | st.text(max_size=4) | st.integers()
TOP = st.none() | st.lists(st.fixed_dictionaries({"token": TOKENS, "logprob": LOGPROBS}), max_size=3)
ENTRY = st.fixed_dictionaries({"token": TOKENS, "logprob": LOGPROBS, "bytes": BYTES, "top_logprobs": TOP})
ENTRIES = st.none() | st.text(max_size=3) | st.lists(ENTRY | st.none() | st.integers(), max_size=6)
REQUEST = {"messages": [{"role": "user", "content": "Is it so?"}]}
PRICED = Transport("openai/gpt-4o-mini", None, None)


def answer_of(**choice):
    usage = choice.pop("usage", None)
    response = {
        "choices": [{"message": {"content": "{}"}, "finish_reason": "stop", **choice}],
        "usage": usage,
    }
    return PRICED.completion(response, REQUEST)


@given(ENTRIES)
def test_only_valid_log_probabilities_are_kept(entries):
    found = answer_of(logprobs={"content": entries}).tokens
    for token in found.tokens if found else ():
        numbers = [token.logprob] * (token.logprob is not None) + [logprob for _, logprob in token.top]
        assert all(0.0 <= math.exp(number) <= 1.0 for number in numbers)


@given(COUNTS, COUNTS)
def test_usage_is_always_sane(prompt_tokens, completion_tokens):
    usage = answer_of(usage={"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}).usage
    for told, taken in ((prompt_tokens, usage.prompt_tokens), (completion_tokens, usage.completion_tokens)):
        assert type(taken) is int
        assert 0 < taken <= MOST_TOKENS
        assert taken == told or taken < 100  # reported, or estimated from the few words there are
    assert 0 < usage.cost < math.inf


@pytest.mark.parametrize(
    "choices", [None, [], "x", 7, [None], [{}], [{"message": None}], [{"message": {"tool_calls": [None]}}]]
)
def test_response_without_message_is_empty(choices):
    answer = PRICED.completion({"choices": choices}, REQUEST)
    assert (answer.content, answer.tool_calls) == ("", ())
