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


class Aside:
    """What a session took out of a response: the first choice's `logprobs` as JSON, None without any."""

    def __init__(self) -> None:
        self.logprobs: Any = None

    def take(self, response: httpx.Response) -> httpx.Response:
        """The response without log-probabilities; as it is where it is no chat completion that has any."""
        if response.status_code != httpx.codes.OK:
            return response
        response.read()
        try:
            body = _json(response.content)
            self.logprobs = body["choices"][0].pop("logprobs")
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return response
        return httpx.Response(
            response.status_code,
            headers=[
                (name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_BODY
            ],
            content=json.dumps(body).encode(),
            request=response.request,
            extensions=response.extensions,
            history=response.history,
        )


def _json(body: bytes) -> Any:  # noqa: ANN401 - JSON
    """A JSON value, read in two thirds of the time `json` takes, which reads what is no Unicode too."""
    try:
        return from_json(body)
    except ValueError:
        return json.loads(body)


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
