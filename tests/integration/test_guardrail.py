"""The guardrail in litellm's own proxy, before a model that says what it is told to."""

import json

import httpx
import pytest

TRUE, FALSE = "The tower was built in 1889.", "The tower was built in 1898."


def asked(url, said, *, contexts=None, tool=None, stream=False):
    messages = [{"role": "user", "content": said}]
    if tool is not None:
        call = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "t1", "content": tool},
        ]
    body = {"model": "m", "messages": messages, "stream": stream}
    if contexts is not None:
        body["metadata"] = {"contexts": contexts}
    return httpx.post(url, json=body, timeout=60, trust_env=False)


@pytest.mark.parametrize("given", [{"contexts": [TRUE]}, {"tool": TRUE}], ids=["contexts", "tool"])
def test_guardrail_passes_supported_and_blocks_others(guarded, given):
    found = asked(guarded, TRUE, **given)
    assert found.status_code == 200, found.text
    assert found.json()["choices"][0]["message"]["content"] == TRUE
    blocked = asked(guarded, FALSE, **given)
    assert blocked.status_code == 400
    assert "contradicted: The tower was built in 1898." in blocked.json()["error"]["message"]


def test_guardrail_stream_is_whole_or_empty(guarded):
    def words(reply):
        lines = [line[6:] for line in reply.text.splitlines() if line.startswith("data: {")]
        choices = [choice for line in lines for choice in json.loads(line).get("choices", ())]
        return "".join(choice["delta"].get("content") or "" for choice in choices)

    assert words(asked(guarded, TRUE, contexts=[TRUE], stream=True)).strip() == TRUE
    blocked = asked(guarded, FALSE, contexts=[TRUE], stream=True)
    assert words(blocked) == ""
    assert "contradicted" in blocked.text


def test_requests_without_contexts_pass(guarded):
    assert asked(guarded, FALSE).status_code == 200
