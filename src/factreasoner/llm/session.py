"""The HTTP client under litellm: no reply longer than any answer is read, log-probabilities are taken aside.

Parsing megabytes of JSON keeps all threads of the process waiting, and Ctrl-C with them. litellm and openai
validate and copy an object for every alternative of every token, several times: 130 ms of CPU for the reply
to 24 facts with five alternatives, where reading them from the JSON takes 3 ms. So the session does both
before those libraries see a response. Imported only when litellm is used.
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

from factreasoner.llm.responses import MOST_SAID

_aside: contextvars.ContextVar[Aside | None] = contextvars.ContextVar("factreasoner_aside", default=None)

_OF_THE_BODY = ("content-length", "content-encoding", "transfer-encoding")
"""Headers that say how the body was sent: wrong of a new one."""

MOST_BYTES = 8_000_000
"""Largest body of a reply: 16,000 tokens with five alternatives each, 5,000 where the JSON is indented."""
MOST_COMMAS = 500_000
"""Commas in a body: so many values take half a second to parse, and no other thread runs meanwhile."""


class TooLongError(Exception):
    """A reply is longer than any answer."""


class Aside:
    """What a session saw of a response that litellm does not.

    `logprobs`: those of the first choice, as JSON, None without any. `too_long`: it was too long to be read.
    """

    logprobs: Any = None
    too_long = False

    def take(self, response: httpx.Response) -> httpx.Response:
        """The response, read, without log-probabilities, or as it is without any; an error's beginning.

        Raises TooLongError for one that is longer than any answer.
        """
        read = bytearray()
        with contextlib.closing(response):
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > MOST_BYTES:
                    break
        raw = bytes(read)
        if response.status_code != httpx.codes.OK:
            return _with_body(response, raw[:MOST_SAID])
        self._bound(len(raw) <= MOST_BYTES and raw.count(b",") <= MOST_COMMAS)
        try:
            body = _json(raw)
            self.logprobs = body["choices"][0].pop("logprobs")
            raw = json.dumps(body).encode()
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            pass
        self._bound(len(raw) <= MOST_SAID)
        return _with_body(response, raw)

    def _bound(self, short_enough: bool) -> None:
        self.too_long = not short_enough
        if self.too_long:
            raise TooLongError


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
    """openai's own client, but for what it hands on inside `with_aside`."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request as httpx does. Raises TooLongError for a reply that is longer than any answer."""
        aside = _aside.get()
        if aside is None:
            return super().send(request, **options)
        return aside.take(super().send(request, **{**options, "stream": True}))


@contextlib.contextmanager
def with_aside() -> Iterator[Aside]:
    """Bound the response to the request made inside, by this thread, and take its log-probabilities out."""
    aside = Aside()
    token = _aside.set(aside)
    try:
        yield aside
    finally:
        _aside.reset(token)
