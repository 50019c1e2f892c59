"""What single values must be. Settings are written into every run folder: none may hold a key."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_PARAMETER = re.compile(r"key|token|secret|sig|pass|auth|cred|code|sas", re.IGNORECASE)
_HOST = re.compile(r"[\w.-]+(:\d+|\.\w+)(/[\w./-]*)?")
_LETTER_BY_DIGIT = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_SECRET = re.compile(r"(^|_)(key|secret|password|credentials?|token|headers?|auth\w*)$", re.IGNORECASE)
_OWN = {
    "model": "--model",
    "api_base": "--api-base",
    "base_url": "--api-base",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
    "max_completion_tokens": "--max-tokens",
    "timeout": "--timeout",
    "logprobs": "--confidence",
    "top_logprobs": "--confidence",
}
_CONTENT = {"messages", "tools", "tool_choice", "functions", "function_call", "response_format"}
_DELIVERY = {"stream", "n", "stop", "max_retries", "num_retries"}


def looks_like_a_key(text: str) -> bool:
    """Whether a text is of the kind that no person makes up: letters and digits mixed, or very long parts."""
    mixed = len(text) >= 16 and len(_LETTER_BY_DIGIT.findall(text)) >= 4
    return mixed or max(map(len, re.split(r"[\W_]", text))) >= 32


def checked_variable(name: str) -> str:
    """`name` as that of an environment variable. The message never holds what was given.

    Raises ValueError: it is no such name, or looks like a key.
    """
    if _NAME.fullmatch(name) is None or looks_like_a_key(name):
        raise ValueError(
            "is no name of an environment variable; it seems to be a key itself, which would be written into "
            "results: put the key into the environment (export MY_KEY=...) and give the variable's name"
        )
    return name


def checked_url(url: str) -> str:
    """`url` without a user, a password or a key in it. The message never holds what was given.

    Raises ValueError: there is one, or it is no URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("is no URL") from error
    if "@" in parts.netloc:
        raise ValueError("a URL with credentials would be written into results; leave them out")
    parameters = [*parse_qsl(parts.query, keep_blank_values=True), ("", parts.fragment)]
    if any(_SECRET_PARAMETER.search(name) or looks_like_a_key(value) for name, value in parameters):
        raise ValueError(
            "its query seems to hold a key, which would be written into results; leave it out, and name the "
            "environment variable of the key instead"
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        shown = url if _HOST.fullmatch(url) and not looks_like_a_key(url) else "... or https://..."
        raise ValueError(f"is no URL; write http://{shown}")
    return url


def checked_service(url: str) -> str:
    """`url` of a search service, which takes neither credentials nor a query.

    Raises ValueError: there is one.
    """
    if re.search(r"[@?]", url):
        raise ValueError("a URL with credentials or a query would be written into results; leave them out")
    return url


def parsed_parameters(given: object) -> object:
    """A mapping as it is; of `KEY=VALUE` texts one whose values are JSON where they can be read as that.

    Raises ValueError: a text without a key or a value.
    """
    if not isinstance(given, list | tuple):
        return given
    parameters: dict[str, Any] = {}
    for name, sign, value in (str(one).partition("=") for one in given):
        if not sign or not name.strip():
            raise ValueError(f"{name!r} is no parameter; write KEY=VALUE, as num_ctx=8192")
        try:
            parameters[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            parameters[name.strip()] = value
    return parameters


def checked_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """`parameters`, if requests can carry them.

    Raises ValueError: one that would hold a secret, that has a setting of its own, or whose value is no JSON.
    """
    for name in parameters:
        if _SECRET.search(name):
            raise ValueError(f"{name!r} would be written into results; a key comes from --api-key-env")
        if name in _OWN:
            raise ValueError(f"{name!r} has a setting of its own: {_OWN[name]}")
        if name in _CONTENT | _DELIVERY:
            raise ValueError(f"{name!r} is decided by what is asked, and can't be set")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a value is no JSON: {error}") from None
    return parameters


def checked_k(value: object) -> object:
    """K of F1@K as it is, a number as an integer.

    Raises ValueError: it is neither a positive integer nor a word for one.
    """
    if value in ("median", "half"):
        return value
    if not str(value).isdecimal() or int(str(value)) < 1:
        raise ValueError("must be a positive integer, 'median' or 'half'")
    return int(str(value))
