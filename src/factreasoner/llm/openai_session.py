"""The HTTP client under litellm's OpenAI-compatible providers, which takes log-probabilities aside.

litellm and openai validate and copy an object for every alternative of every token, several times: 130 ms of
CPU for the reply to 24 facts with five alternatives, where reading them from the JSON takes 3 ms. So the
session takes them out of a response before those libraries see it. Imported only when litellm is used.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
from pydantic_core import from_json

_aside: contextvars.ContextVar[Aside | None] = contextvars.ContextVar("factreasoner_aside", default=None)

_OF_THE_BODY = ("content-length", "content-encoding", "transfer-encoding")
"""Headers that say how the body was sent: wrong of a new one."""


MOST_BYTES = 16_000_000
"""Some 40,000 tokens with five alternatives each: no answer that was asked for is longer."""
TOO_LONG = {
    "choices": [{"message": {"role": "assistant", "content": "a reply of over 16 MB, which was not read"}}]
}
"""What stands for a longer one."""


class Aside:
    """What a session took out of a response: the first choice's `logprobs` as JSON, None without any."""

    def __init__(self) -> None:
        self.logprobs: Any = None

    def take(self, response: httpx.Response) -> httpx.Response:
        """The response without log-probabilities; as it is where it is no chat completion that has any."""
        if response.status_code != httpx.codes.OK:
            return response
        raw = _read(response)
        if raw is None:
            return _with_body(response, json.dumps(TOO_LONG).encode())
        try:
            body = _json(raw)
            self.logprobs = body["choices"][0].pop("logprobs")
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return _with_body(response, raw)
        return _with_body(response, json.dumps(body).encode())


def _read(response: httpx.Response) -> bytes | None:
    """A body; None where it is longer than any answer: parsing it would keep every thread waiting."""
    chunks, size = [], 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            response.close()
            return None
    return b"".join(chunks)


def _json(body: bytes) -> Any:  # noqa: ANN401 - JSON
    """A JSON value, read in two thirds of the time `json` takes, which reads what is no Unicode too."""
    try:
        return from_json(body)
    except ValueError:
        return json.loads(body)


def _with_body(response: httpx.Response, content: bytes) -> httpx.Response:
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_BODY]
    return httpx.Response(
        response.status_code,
        headers=headers,
        content=content,
        request=response.request,
        extensions=response.extensions,
        history=response.history,
    )


class Session(openai.DefaultHttpxClient):
    """openai's own client, but for what it hands on inside `logprobs_aside`."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request as httpx does."""
        response = super().send(request, **options)
        aside = _aside.get()
        return response if aside is None else aside.take(response)


@contextlib.contextmanager
def logprobs_aside() -> Iterator[Aside]:
    """Take the log-probabilities out of the response to the request made inside, by this thread."""
    aside = Aside()
    token = _aside.set(aside)
    try:
        yield aside
    finally:
        _aside.reset(token)
