"""What litellm is told, and what is known of a model before any request."""

import os
import warnings

import pytest

from factreasoner.llm.litellm_provider import LiteLLMProvider, load


def test_litellm_is_quiet_and_stays_at_home():
    litellm = load()
    assert litellm.suppress_debug_info
    assert litellm.telemetry is False
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["LITELLM_MODE"] == "PRODUCTION"


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
    found = LiteLLMProvider(model, api_base, None)
    assert (found.model, found.provider) == (resolved, provider)


def test_openai_itself_and_servers_that_talk_like_it(monkeypatch):
    assert LiteLLMProvider("gpt-4o-mini", None, None).is_openai
    assert not LiteLLMProvider("gpt-4o-mini", "http://127.0.0.1:1/v1", None).is_openai
    assert not LiteLLMProvider("anthropic/claude-x", None, None).is_openai
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert not LiteLLMProvider("gpt-4o-mini", None, None).is_openai


def test_the_keys_a_provider_wants(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert LiteLLMProvider("anthropic/claude-x", None, None).missing_keys == ("ANTHROPIC_API_KEY",)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "something")
    assert LiteLLMProvider("anthropic/claude-x", None, None).missing_keys == ()


def test_loading_warns_of_nothing():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        load.__wrapped__()
    assert told == []
