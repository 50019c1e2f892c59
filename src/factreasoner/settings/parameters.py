"""Parameters that users add to a model's requests: `--model-param KEY=VALUE` or a profile's `model_param`."""

from __future__ import annotations

import json
import re
from typing import Any

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


def parsed_parameters(given: object) -> object:
    """A mapping as it is; of `KEY=VALUE` texts one whose values are JSON where they can be read as that.

    Raises:
        ValueError: a text without a key or a value.
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

    Raises:
        ValueError: one that would hold a secret, that has a setting of its own, or whose value is no JSON.
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
