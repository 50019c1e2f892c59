"""A server on loopback that answers as many providers do, each in its own words, and keeps what it was sent.

::

    with ProviderServer({"fact_0": "True"}) as server:
        LiteLLMClient(Config(model="anthropic/claude-x", api_base=server.url, ...)).call(...)
        server.requests[0].body["messages"]

The provider is told by the request's path. `usage` holds fields that are added to those of the reply's usage.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PROMPT_TOKENS, COMPLETION_TOKENS = 900, 20
Json = dict[str, Any]


class Sent(NamedTuple):
    """One request as it arrived."""

    path: str
    body: Json

    @property
    def texts(self):
        """Every text in the body but those of a schema that constrains the reply's text, in its order."""
        grammars = {"response_format", "output_format", "outputConfig", "generationConfig", "format"}
        return list(_texts({name: value for name, value in self.body.items() if name not in grammars}))


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _openai(body, arguments, usage):
    raw = json.dumps(arguments)
    message = {"role": "assistant", "content": raw}
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": raw}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
        }
    counted = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS, "total_tokens": 920}
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "model",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": counted | usage,
    }


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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(raw) if raw.startswith(b"{") else {}
        owner = self.server.owner
        reply = next((worded for part, worded in REPLIES.items() if part in self.path), _openai)
        if "/token" not in self.path:
            owner.requests.append(Sent(self.path, body))
        answer = json.dumps(reply(body, owner.arguments, owner.usage)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format, *args):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True


class ProviderServer:
    """The server: a context manager, listening from the moment it is made. `url` has no path."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.usage = {}
        self.requests = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
