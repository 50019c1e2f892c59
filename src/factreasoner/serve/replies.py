"""Replies as bytes: results as JSON, and errors as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import InputProblem

TITLES: Mapping[int, str] = {
    400: "The body is not JSON",
    401: "A token is needed",
    403: "Pages of other origins may not ask",
    404: "No such path",
    405: "Wrong method",
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: "The body must be sent as application/json",
    421: "The service does not answer to this name",
    422: "The record can't be assessed",
    502: "The record could not be judged",
    503: "Not now",
    504: "The record took too long",
}
"""What each error is called; `errors` in its body say more."""
JSON, PROBLEM = "application/json", "application/problem+json"


class Reply(NamedTuple):
    """One reply. `retry_after` is in seconds; `close`: nothing more is read from this connection."""

    status: int
    body: bytes
    retry_after: int | None = None
    close: bool = False

    @property
    def media_type(self) -> str:
        """What the body is sent as."""
        return JSON if self.status < 400 else PROBLEM


class Refused(Exception):  # noqa: N818 - it is an answer, no fault
    """A request is not worked on, and this is the `reply`."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def result(content: Mapping[str, Any]) -> Reply:
    """A result, as one line of JSON."""
    return Reply(200, _encoded(content))


def problem(
    status: int, message: str = "", *, field: str = "", retry_after: int | None = None, close: bool = False
) -> Reply:
    """An error with one thing to say, or nothing beyond its title."""
    errors = [InputProblem("", field, message)] if message else []
    return problems(status, errors)._replace(retry_after=retry_after, close=close)


def problems(status: int, errors: Sequence[InputProblem]) -> Reply:
    """An error with everything that is wrong, field by field."""
    told = [{"field": error.field, "message": error.message} for error in errors]
    return Reply(
        status, _encoded({"type": "about:blank", "title": TITLES[status], "status": status, "errors": told})
    )


def _encoded(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
