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

MOST_BYTES = 8_000_000
"""Of a body: 16,000 tokens with five alternatives each, 5,000 where the JSON is indented."""
MOST_COMMAS = 500_000
"""In a body: as many values take half a second to parse, in which no other thread of the process runs."""
MOST_SAID = 500_000
"""Bytes of a body without its log-probabilities: some 100,000 tokens. litellm takes its time over them."""
TOO_LONG = "a reply longer than any answer, which was not read"


class Aside:
    """What a session took out of a response: the first choice's `logprobs` as JSON, None without any."""

    def __init__(self) -> None:
        self.logprobs: Any = None

    def take(self, response: httpx.Response) -> httpx.Response:
        """The response, read, without log-probabilities; as it is where it is no completion that has any.

        One that is longer than any answer is replaced by a short one that says so: parsing it would keep all
        threads waiting. Of an error's text the beginning is kept.
        """
        raw = _read(response)
        if response.status_code != httpx.codes.OK:
            return _with_body(response, raw[:MOST_SAID])
        if len(raw) > MOST_BYTES or raw.count(b",") > MOST_COMMAS:
            return _with_body(response, _spoken(TOO_LONG))
        try:
            body = _json(raw)
            self.logprobs = body["choices"][0].pop("logprobs")
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            rest = raw
        else:
            rest = json.dumps(body).encode()
        return _with_body(response, rest if len(rest) <= MOST_SAID else _spoken(TOO_LONG))


def _read(response: httpx.Response) -> bytes:
    """A body, up to a little more than `MOST_BYTES` of it."""
    chunks, size = [], 0
    with contextlib.closing(response):
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                break
    return b"".join(chunks)


def _spoken(text: str) -> bytes:
    """A completion of this text."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


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
        aside = _aside.get()
        if aside is None:
            return super().send(request, **options)
        return aside.take(super().send(request, **{**options, "stream": True}))


@contextlib.contextmanager
def logprobs_aside() -> Iterator[Aside]:
    """Take the log-probabilities out of the response to the request made inside, by this thread."""
    aside = Aside()
    token = _aside.set(aside)
    try:
        yield aside
    finally:
        _aside.reset(token)
