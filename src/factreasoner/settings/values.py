"""Checks of single values. Settings are written into every run folder, so none may hold a key."""

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
    """Whether nobody would choose this text as a name: letters and digits mixed, or a very long part."""
    mixed = len(text) >= 16 and len(_LETTER_BY_DIGIT.findall(text)) >= 4
    return mixed or max(map(len, re.split(r"[\W_]", text))) >= 32


def checked_variable(name: str) -> str:
    """`name`, if it can name an environment variable.

    Raises ValueError: it can't, or it looks like a key. The message never repeats it.
    """
    if _NAME.fullmatch(name) is None or looks_like_a_key(name):
        raise ValueError(
            "not the name of an environment variable; it looks like the key itself, which would be written "
            "into results: put the key into the environment (export MY_KEY=...) and name the variable"
        )
    return name


def checked_url(url: str) -> str:
    """`url`, if it is a URL without a user, a password or a key.

    Raises ValueError: it is not. The message never repeats a secret.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("not a URL") from error
    if "@" in parts.netloc:
        raise ValueError("a URL with credentials would be written into results; leave them out")
    parameters = [*parse_qsl(parts.query, keep_blank_values=True), ("", parts.fragment)]
    if any(_SECRET_PARAMETER.search(name) or looks_like_a_key(value) for name, value in parameters):
        raise ValueError(
            "its query seems to hold a key, which would be written into results; leave it out, and name the "
            "environment variable that holds the key"
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        shown = url if _HOST.fullmatch(url) and not looks_like_a_key(url) else "... or https://..."
        raise ValueError(f"not a URL; write http://{shown}")
    return url


def checked_service(url: str) -> str:
    """`url` of a search service, if it has neither credentials nor a query. Raises ValueError otherwise."""
    if re.search(r"[@?]", url):
        raise ValueError("a URL with credentials or a query would be written into results; leave them out")
    return url


def parsed_parameters(given: object) -> object:
    """A mapping as it is; `KEY=VALUE` texts as a mapping, with values read as JSON where they are JSON.

    Raises ValueError: a text without a key or a value.
    """
    if not isinstance(given, list | tuple):
        return given
    parameters: dict[str, Any] = {}
    for name, sign, value in (str(one).partition("=") for one in given):
        if not sign or not name.strip():
            raise ValueError(f"{name!r} is not a parameter; write KEY=VALUE, such as num_ctx=8192")
        try:
            parameters[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            parameters[name.strip()] = value
    return parameters


def checked_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """`parameters`, if requests can carry them.

    Raises ValueError: one holds a secret, has its own setting, or is not JSON.
    """
    for name in parameters:
        if _SECRET.search(name):
            raise ValueError(f"{name!r} would be written into results; a key comes from --api-key-env")
        if name in _OWN:
            raise ValueError(f"{name!r} has its own setting: {_OWN[name]}")
        if name in _CONTENT | _DELIVERY:
            raise ValueError(f"{name!r} follows from what is asked, and can't be set")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a value is not JSON: {error}") from None
    return parameters


def checked_k(value: object) -> object:
    """K of F1@K, a number as an integer. Raises ValueError: not a positive integer, median or half."""
    if value in ("median", "half"):
        return value
    if not re.fullmatch(r"0*[1-9]\d{0,17}", str(value)):
        raise ValueError("must be a positive integer, 'median' or 'half'")
    return int(str(value))
