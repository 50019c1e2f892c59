"""The HTTP client under litellm: limits reply sizes, and removes log-probabilities.

litellm and openai copy an object for every alternative of every token, several times (130 ms of CPU for 24
facts; 3 ms here). Imported only when litellm is used.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
from contextlib import AbstractContextManager
from typing import Any

import httpx
import openai
from pydantic_core import from_json

from factreasoner.calls.threads import bound
from factreasoner.llm.faults import NotACompletionError
from factreasoner.llm.responses import MAX_SHOWN, field_of

_aside: contextvars.ContextVar[ReplyDetails | None] = contextvars.ContextVar(
    "factreasoner_aside", default=None
)

_OF_THE_BODY = ("content-length", "content-encoding", "transfer-encoding")
"""Headers that describe the old body."""

MOST_BYTES = 8_000_000
"""Maximum bytes of a reply: 16,000 tokens with five alternatives each, 5,000 if indented."""
MOST_COMMAS = 500_000
"""Maximum commas in a body: so many values take half a second to parse."""


class TooLongError(Exception):
    """A reply exceeds the maximum length."""


class ReplyDetails:
    """What a session keeps from litellm.

    `logprobs`: those of the first choice as JSON, or None. `too_long`: the response was too long to read.
    `without_choices`: the meaning of a body with status 200 and no choices.
    """

    logprobs: Any = None
    too_long = False
    without_choices: NotACompletionError | None = None

    def take(self, response: httpx.Response) -> httpx.Response:
        """The response without log-probabilities; only the beginning of an error.

        Raises TooLongError: it exceeds the maximum length.
        """
        read = bytearray()
        with contextlib.closing(response):
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > MOST_BYTES:
                    break
        raw = bytes(read)
        if not response.is_success:
            return _with_body(response, raw[:MAX_SHOWN])
        self._bound(len(raw) <= MOST_BYTES and raw.count(b",") <= MOST_COMMAS)
        body = None
        with contextlib.suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
            body = _json(raw)
            self.logprobs = body["choices"][0].pop("logprobs")
            raw = json.dumps(body).encode()
        message = field_of(_first_choice(body), "message")
        if isinstance(parts := field_of(message, "content"), list):  # no library reads text in parts
            message["content"] = "".join(str(field_of(part, "text") or "") for part in parts)
            raw = json.dumps(body).encode()
        self._bound(len(raw) <= MAX_SHOWN)
        if isinstance(body, dict) and _miscounted(body.get("usage")):
            del body["usage"]  # no library reads an answer beside it
            raw = json.dumps(body).encode()
        if (failed := _failed(body)) is not None:
            body = {"error": failed}
            raw = json.dumps(body).encode()
        if not isinstance(field_of(body, "choices"), list):
            self.without_choices = NotACompletionError(raw, field_of(body, "error"))
        return _with_body(response, raw)

    def _bound(self, short_enough: bool) -> None:
        self.too_long = not short_enough
        if self.too_long:
            raise TooLongError


def _miscounted(usage: object) -> bool:
    """Whether reported token counts are misplaced or not whole numbers."""
    details = [field_of(usage, f"{kind}_tokens_details") for kind in ("prompt", "completion")]
    parts = [part for part in (usage, *details) if part is not None]
    return not all(isinstance(part, dict) for part in parts) or not all(
        count is None or type(count) is int or (isinstance(count, float) and count.is_integer())
        for part in parts
        for name, count in part.items()
        if name.endswith("_tokens")
    )


def _first_choice(body: object) -> object:
    choices = field_of(body, "choices")
    return choices[0] if isinstance(choices, list) and choices else None


def _failed(body: object) -> object:
    """The error in a provider's first choice, as OpenRouter sends it; None without one."""
    first = _first_choice(body)
    if not (error := field_of(first, "error")) and field_of(first, "finish_reason") == "error":
        return {"message": "the provider stopped with an error"}
    return error or None


def _json(body: bytes) -> Any:  # noqa: ANN401 - JSON
    """A JSON value, in two thirds of the time of `json`, which also reads invalid Unicode."""
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
    """openai's client, with special treatment inside `capture_details`."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request. Raises TooLongError for an oversized reply."""
        aside = _aside.get()
        if aside is None:
            return super().send(request, **options)
        aside.without_choices = None
        return aside.take(super().send(request, **{**options, "stream": True}))


def capture_details() -> AbstractContextManager[ReplyDetails]:
    """Limit the response to this thread's request made inside, and remove its log-probabilities."""
    return bound(_aside, ReplyDetails())
