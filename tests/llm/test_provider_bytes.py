"""What leaves for each provider through litellm, byte for byte, in every call form."""

import json
import socket

import pytest
from provider_server import ProviderServer, leaves, texts

from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.judges import functions
from factreasoner.llm.capabilities import Capabilities
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.forms import MANY, MARK, request
from factreasoner.models import Claim
from factreasoner.models.messages import Prompt
from factreasoner.pipeline.config import Config

PATHS = {
    "openai/gpt-4o-mini": "/v1",
    "openai/gpt-5-mini": "/v1",
    "azure/gpt-of-ours": "",
    "anthropic/claude-sonnet-4-5": "",
    "gemini/gemini-2.5-flash": "/v1beta",
    "ollama/llama3": "",
    "ollama_chat/llama3": "",
    "hosted_vllm/qwen": "/v1",
    "lm_studio/qwen": "/v1",
    "together_ai/meta-llama/Llama-3-70b": "/v1",
    "openrouter/openai/gpt-4o": "/v1",
    "openrouter/anthropic/claude-sonnet-4.5": "/v1",
    "watsonx/ibm/granite-3-8b-instruct": "",
    "groq/llama-3.3-70b-versatile": "/groq/v1",
    "mistral/mistral-large-latest": "/v1",
    "deepseek/deepseek-chat": "/v1",
    "cohere_chat/command-r": "/v2/chat",
    "xai/grok-3": "/v1",
    "bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0": "",
    "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0": "",
}
"""Models, and the path at which their provider is asked."""
CLAUDES = [model for model in PATHS if "claude" in model]
REFUSED = {("cohere_chat/command-r", "json_schema"), ("cohere_chat/command-r", "json_object")}
"""What litellm knows no way to ask for."""
NO_CALL = ("ollama/llama3", "tool")
"""Ollama's way before chats: litellm asks in words, and what comes back is text and no call."""
NEVER_FORCED = ("ollama_chat/llama3", "cohere_chat/command-r")
"""They are not made to call: Ollama has no such thing, and litellm drops it for Cohere."""
CLAIMS = [
    Claim("a", 'Revenue fell by -3.5 % to "$1.2 billion".'),
    Claim("b", "Łódź lies 75 m² </given_facts> above it; {x: 1}."),
]
JUDGING = functions.inquiry("tfn").build(CLAIMS)
ANSWER = {"fact_0": "True", "fact_1": "Not clear"}
PASSAGES = ("Passage one.", "Another passage.")


@pytest.fixture
def server():
    with ProviderServer(ANSWER) as running:
        yield running


@pytest.fixture(autouse=True)
def hosts(monkeypatch):
    """Keys of no worth; and the hosts that were looked for, all our own: libraries swallow a refusal."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "WATSONX_TOKEN", "SOME_KEY"):
        monkeypatch.setenv(name, "of-no-worth")
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")
    monkeypatch.setenv("WATSONX_PROJECT_ID", "project")
    monkeypatch.setenv("AZURE_API_VERSION", "2024-10-21")
    looked_up = []
    find, connect = socket.getaddrinfo, socket.create_connection

    def finding(host, *arguments, **options):
        looked_up.append(host)
        return find(host, *arguments, **options)

    def connecting(address, *arguments, **options):
        looked_up.append(address[0])
        return connect(address, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", finding)
    monkeypatch.setattr(socket, "create_connection", connecting)
    yield looked_up
    assert set(looked_up) <= {"127.0.0.1", b"127.0.0.1"}


def client_of(server, model, folder=None, **settings):
    place = {"api_base": server.url + PATHS.get(model, "/v1"), "api_key_env": "SOME_KEY"}
    cache = {"cache": folder is not None, "cache_dir": folder}
    values = {"model": model, "patience": 0.0, "max_attempts": 1, "max_tokens": 120, "temperature": 0.25}
    return LiteLLMClient(Config(**values | place | cache | settings))


def prompt_of(passage=PASSAGES[0]):
    return Prompt(name="p", system="You judge.", user=passage, fingerprint="v1")


@pytest.mark.parametrize("form", MANY)
@pytest.mark.parametrize("model", PATHS)
def test_every_fact_is_sent_once_and_schemas_unchanged(model, form, server, tmp_path, hosts):
    before = JUDGING.model_dump_json()
    if (model, form) in REFUSED:
        with pytest.raises(ConfigError, match=f"choose another form than `form='{form}'`$"):
            client_of(server, model, form=form).call(prompt_of(), JUDGING)
        return
    if (model, form) == NO_CALL:
        with pytest.raises(UnusableReplyError, match="has no arguments"):
            client_of(server, model, form=form).call(prompt_of(), JUDGING)
        return
    for _ in range(2):  # as two runs would
        client = client_of(server, model, tmp_path, form=form)
        reply = client.call(prompt_of(), JUDGING, logprobs=True)
        client.close()
        assert (reply.form, reply.arguments) == (form, ANSWER)
    (sent,) = server.requests
    assert hosts
    assert JUDGING.model_dump_json() == before
    said = "\n".join(texts(sent.body))
    for claim in CLAIMS:
        assert claim.text.replace("<", "&lt;") in said
    for text in ("You judge.", PASSAGES[0], *{"True", "False", "Not clear"}):
        assert text in said
    assert (marked_prefix(sent.body) is None) == (model not in CLAUDES)
    if form == "tool" and model not in NEVER_FORCED:
        forced = sent.body.get("tool_choice") or sent.body.get("toolConfig")
        assert forced == "any" or "verify_facts" in leaves(forced)
    assert 120 in leaves(sent.body)
    assert (0.25 in leaves(sent.body)) == (model != "openai/gpt-5-mini")


# Parameters of the user's own


EFFORT = {
    "ollama/llama3": True,
    "ollama_chat/llama3": True,
    "anthropic/claude-sonnet-4-5": 1024,
    "bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0": 1024,
    "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0": 1024,
    "gemini/gemini-2.5-flash": 1024,
    "deepseek/deepseek-chat": "enabled",
}
"""What reasoning_effort=low becomes; elsewhere it stays as it is."""


@pytest.mark.parametrize("model", PATHS)
def test_parameters_unknown_to_litellm_still_arrive(model, server):
    wished = {"reasoning_effort": "low", "seed": 31, "top_p": 0.75, "num_ctx": 8192}
    form = "json_object" if model == NO_CALL[0] else "tool"
    client = client_of(server, model, form=form, model_param=wished)
    client.call(prompt_of(), JUDGING)
    arrived = leaves(server.requests[0].body)
    assert EFFORT.get(model, "low") in arrived
    assert {31, 0.75} <= {leaf for leaf in arrived if isinstance(leaf, int | float)}
    assert (8192 in arrived) == (not model.startswith("gemini/"))  # Google has a closed list


# The mark that makes Claude's hosts cache


def marked_prefix(body):
    """All of a request up to the mark, in the order in which providers cache; None without one."""
    parts = [("tools", part) for part in [body.get("tools"), body.get("toolConfig")] if part]
    messages = [{"role": "system", "content": body.get("system", [])}, *body.get("messages", [])]
    for message in messages:
        content = message["content"]
        parts += [(message["role"], part) for part in (content if isinstance(content, list) else [content])]
    for number, (_, part) in enumerate(parts):
        if "cachePoint" in part:
            return parts[:number]
        if "cache_control" in part:
            assert part["cache_control"] == MARK["cache_control"]
            return parts[: number + 1]
    return None


@pytest.mark.parametrize("form", MANY)
@pytest.mark.parametrize("model", CLAUDES)
def test_claude_requests_mark_the_shared_prefix(model, form, server):
    client = client_of(server, model, form=form)
    for passage in PASSAGES:
        client.call(prompt_of(passage), JUDGING)
    first, second = (sent.body for sent in server.requests)
    prefix = marked_prefix(first)
    assert prefix == marked_prefix(second)
    kept = json.dumps(prefix, ensure_ascii=False)
    assert "You judge." in kept
    assert "Revenue fell" not in kept
    assert not any(passage in kept for passage in PASSAGES)
    assert json.dumps(first).count("cache_control") + json.dumps(first).count("cachePoint") == 1


def test_cache_mark_survives_missing_system_role():
    content = request("tool", prompt_of(), JUDGING, marked=True)
    wanted = {"temperature": 0.0, "max_tokens": 9}
    (message,) = Capabilities(system_role=False).request(content, wanted, room=None)["messages"]
    assert message["role"] == "user"
    assert sum("cache_control" in part for part in message["content"]) == 1
    texts = [part["text"] for part in message["content"]]
    assert texts[0].startswith("You judge.")
    assert texts[-1].startswith(PASSAGES[0])


@pytest.mark.parametrize(
    ("model", "usage"),
    [
        ("anthropic/claude-sonnet-4-5", {"input_tokens": 9, "cache_read_input_tokens": 891}),
        ("anthropic/claude-sonnet-4-5", {"input_tokens": 9, "cache_creation_input_tokens": 891}),
        (CLAUDES[-1], {"inputTokens": 9, "cacheReadInputTokens": 891}),
        (CLAUDES[-1], {"inputTokens": 9, "cacheWriteInputTokens": 891}),
    ],
)
def test_cached_prompt_tokens_are_counted(model, usage, server):
    server.usage = usage
    reply = client_of(server, model, form="tool").call(prompt_of("long " * 300), JUDGING)
    assert reply.usage.prompt_tokens == 900


# What litellm stumbles over


def test_unreadable_reply_is_paid_and_not_retried(server):
    # Groq's replies name a service tier, or else litellm breaks off: at this path they do not.
    with pytest.raises(UnusableReplyError, match="the reply is empty"):
        client_of(server, "groq/llama-3", form="tool").call(prompt_of(), JUDGING)
    assert len(server.requests) == 1


@pytest.mark.parametrize("model", [model for model in PATHS if "cohere" not in model])
def test_overlong_reply_is_not_retried(model, server):
    server.arguments = {"fact_0": "True", "fact_1": "x" * 600_000}
    with pytest.raises(UnusableReplyError, match="a reply longer than any answer, which was not read"):
        client_of(server, model, form="tool").call(prompt_of(), JUDGING)
    assert len(server.requests) == 1
