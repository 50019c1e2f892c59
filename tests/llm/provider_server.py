"""A server on loopback that answers as many providers do, each in its own words, and keeps what it was sent.

::

    with ProviderServer({"fact_0": "True"}) as server:
        LiteLLMClient(Config(model="anthropic/claude-x", api_base=server.url, ...)).call(...)
        server.requests[0].body["messages"]

The provider is told by the request's path. `usage` holds fields that are added to those of the reply's usage.
"""

import json

from fake_server import Completion, Request, completion_body
from json_server import Answer, JsonServer

PROMPT_TOKENS, COMPLETION_TOKENS = 900, 20
GRAMMARS = {"response_format", "output_format", "outputConfig", "generationConfig", "format"}


def texts(body):
    """Every text in a request's body but those of a schema that constrains the reply's text, in its order."""
    said = leaves({name: value for name, value in body.items() if name not in GRAMMARS})
    return [leaf for leaf in said if isinstance(leaf, str)]


def leaves(value):
    """Every number, text and truth value in a JSON value."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [leaf for item in inner for leaf in leaves(item)]
    return [value]


def _openai(body, arguments, usage):
    counted = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS, "total_tokens": 920}
    completion = Completion(arguments=arguments, usage=counted | usage)
    return completion_body(Request(0, body, {}), completion, logprobs=False)


def _groq(body, arguments, usage):
    return _openai(body, arguments, usage) | {"service_tier": "on_demand"}


def _anthropic(body, arguments, usage):
    content = {"type": "text", "text": json.dumps(arguments)}
    if body.get("tools"):
        content = {"type": "tool_use", "id": "tool_0", "name": body["tools"][0]["name"], "input": arguments}
    return {
        "id": "msg_0",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [content],
        "stop_reason": "tool_use" if body.get("tools") else "end_turn",
        "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": COMPLETION_TOKENS} | usage,
    }


def _gemini(body, arguments, usage):
    part = {"text": json.dumps(arguments)}
    if body.get("tools"):
        name = body["tools"][0]["function_declarations"][0]["name"]
        part = {"functionCall": {"name": name, "args": arguments}}
    counted = {"promptTokenCount": PROMPT_TOKENS, "candidatesTokenCount": 20, "totalTokenCount": 920}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": counted | usage,
    }


def _converse(body, arguments, usage):
    content = {"text": json.dumps(arguments)}
    if "toolConfig" in body:
        name = body["toolConfig"]["tools"][0]["toolSpec"]["name"]
        content = {"toolUse": {"toolUseId": "tool_0", "name": name, "input": arguments}}
    return {
        "output": {"message": {"role": "assistant", "content": [content]}},
        "stopReason": "tool_use" if "toolConfig" in body else "end_turn",
        "usage": {"inputTokens": PROMPT_TOKENS, "outputTokens": 20, "totalTokens": 920} | usage,
        "metrics": {"latencyMs": 1},
    }


def _ollama_chat(body, arguments, usage):
    message = {"role": "assistant", "content": json.dumps(arguments)}
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": arguments}
        message = {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}
    counted = {"prompt_eval_count": PROMPT_TOKENS, "eval_count": COMPLETION_TOKENS}
    return {
        "model": "model",
        "created_at": "2025-01-01T00:00:00Z",
        "message": message,
        "done": True,
        "done_reason": "stop",
    } | (counted | usage)


def _ollama(body, arguments, usage):
    counted = {"prompt_eval_count": PROMPT_TOKENS, "eval_count": COMPLETION_TOKENS}
    return {"model": "model", "response": json.dumps(arguments), "done": True} | counted | usage


def _cohere(body, arguments, usage):
    message = {"role": "assistant", "content": [{"type": "text", "text": json.dumps(arguments)}]}
    if body.get("tools"):
        calls = _openai(body, arguments, {})["choices"][0]["message"]["tool_calls"]
        message = {"role": "assistant", "tool_calls": calls}
    counted = {"input_tokens": PROMPT_TOKENS, "output_tokens": COMPLETION_TOKENS} | usage
    return {
        "id": "reply_0",
        "finish_reason": "COMPLETE",
        "message": message,
        "usage": {"tokens": counted, "billed_units": counted},
    }


REPLIES = {
    "/groq/": _groq,
    ":generateContent": _gemini,
    "/v1/messages": _anthropic,
    ":rawPredict": _anthropic,  # Claude at Vertex AI
    "/converse": _converse,
    "/api/chat": _ollama_chat,
    "/api/generate": _ollama,
    "/v2/chat": _cohere,
    "/token": lambda body, arguments, usage: {"access_token": "token", "expires_in": 3600},
}
"""How a reply is worded, by a part of the request's path; else as OpenAI's."""


class ProviderServer(JsonServer):
    """The server: a context manager. `url` has no path, and `requests` none for a token."""

    def __init__(self, arguments):
        super().__init__(self.reply)
        self.arguments = arguments
        self.usage = {}

    def reply(self, request):
        if "/token" in request.path:
            self.requests.remove(request)
        worded = next((worded for part, worded in REPLIES.items() if part in request.path), _openai)
        body = worded(request.body or {}, self.arguments, self.usage)
        return Answer(body, headers={"Content-Type": "application/json"})
