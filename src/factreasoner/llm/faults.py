"""What a provider's error means: who must act on it, and whether asking again can help.

Works on status, headers and message alone, so that it holds whatever class a library wraps them in.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Mapping
from email.utils import parsedate_to_datetime
from typing import Literal, NamedTuple

Kind = Literal["config", "retry", "form", "parameter", "final"]

RETRIED = frozenset({408, 409, 425, 429})
REFUSAL_STATUSES = frozenset({400, 404, 405, 415, 422, 501})


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


NO_PROVIDER = _any("LLM Provider NOT provided")
NO_KEY = _any(
    r"missing credentials|unable to locate credentials|api_key client option must be set",
    r"invalid[ _]api[ _]key|(api[ _]key|credentials).{0,40}(missing|not (found|set|provided|valid))",
)
NO_CREDIT = _any(r"insufficient_quota|exceeded your current quota|billing|insufficient (balance|credit)")
PASSING = _any(
    r"(retry|try again) (in|after)|per (minute|day)"
)  # Gemini says "quota" and "billing" of any limit
NO_MODEL = _any(
    r"model_not_found|(invalid|unknown|not a valid) model",
    r"model.{0,120}(not found|does ?n[o']t exist|not a valid|is not available)",
)
NO_PACKAGE = _any(r"No module named '([\w.]+)'|pip install [\w\[\]-]+")
MODERATED = _any(r"content.?(policy|filter|management)|moderation|flagged|safety")
TOO_LONG = _any(r"context.?(length|window)|maximum context|too many tokens|prompt is too long")
WAIT = re.compile(r"(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s)\b")
NO_ANSWER = _any(r"Connection error\.?$", r"\[Errno -?\d+\] ")
FORM = _any(
    r"\btools?\b|tool_choice|\bfunctions?\b|function.?call",
    r"response_format|json_(schema|object)|\bjson mode|structured.?output|guided|grammar|\bschema\b",
)
UNSUPPORTED = _any(r"support|require|enable|implement|jinja|allowed")
PARAMETERS = {
    "logprobs": _any(r"logprobs"),
    "temperature": _any(r"\btemperature\b"),
    "max_tokens": _any(r"max_tokens|max_completion_tokens|in the completion"),
}
"""Optional parameters of a request, and how an error message names them."""

SECRET_NAME = _any(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
SECRET_TEXT = re.compile(
    r"\b(sk|pk|gsk|hf|xai)[-_][\w*.-]{4,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+|(?<=://)[^/@\s]+@|(?<=[?&]key=)[^&\s]+"
)
MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)+)"')
MESSAGE_LENGTH = 300
LONGEST_TEXT = 20_000
"""Characters of a text that are looked at for what is shown of it."""
LONGEST_WAIT = 300.0
"""Seconds a provider may ask to wait before its refusal is taken as final."""


class Fault(NamedTuple):
    """A classified error. `message` is fit to be shown: short, and free of keys.

    `parameters` names optional parameters the provider refused; `retry_after` is in seconds; `remedy` is
    what the user can do about it ("key": the key is missing or wrong; "connection": nobody answers).
    """

    kind: Kind
    message: str
    status: int | None = None
    retry_after: float | None = None
    parameters: frozenset[str] = frozenset()
    remedy: str = ""


def fault_of(error: BaseException, *, form: str, optional: Collection[str], secret: str | None) -> Fault:
    """Classify `error`, raised by a request of call form `form` that carried the `optional` parameters."""
    status = getattr(error, "status_code", None)
    raw = str(error)[:2000]
    if not isinstance(status, int) or NO_ANSWER.search(raw):  # litellm invents a 500 for a broken connection
        status = None
    message = shown(raw, secret)
    if NO_PROVIDER.search(raw):
        known = "name the provider first ('openai/gpt-4o', 'ollama/llama3'), or add --api-base URL"
        return Fault("config", "unknown provider", status, remedy=known)
    refused = frozenset(name for name in optional if PARAMETERS[name].search(raw))
    unsupported = type(error).__name__ == "UnsupportedParamsError"
    if refused and (unsupported or status in REFUSAL_STATUSES):
        return Fault("parameter", message, status, parameters=refused)
    if unsupported or _refuses_form(raw, status, form):
        return Fault("form" if form != "fenced" else "final", message, status)
    remedy = _remedy(raw, status)
    if remedy is not None:
        return Fault("config", message, status, remedy=remedy)
    if status is None or status in RETRIED or status >= 500:
        wait = retry_after_of(_headers(error), raw)
        if wait is not None and wait > LONGEST_WAIT:
            return Fault("final", f"{message} (it asks to wait {wait:.0f} s)", status)
        remedy = "connection" if NO_ANSWER.search(raw) else ""
        return Fault("retry", message, status, wait, remedy=remedy)
    return Fault("final", message, status)


def _refuses_form(raw: str, status: int | None, form: str) -> bool:
    if form == "fenced" or TOO_LONG.search(raw) or MODERATED.search(raw) or not FORM.search(raw[:600]):
        return False
    return status in REFUSAL_STATUSES or (status == 500 and UNSUPPORTED.search(raw) is not None)


def _remedy(raw: str, status: int | None) -> str | None:
    """What the user can do about an error that no later request can escape; None for any other error."""
    if status == 403 and MODERATED.search(raw):
        return None
    if status == 402 or (status == 429 and NO_CREDIT.search(raw) and not PASSING.search(raw)):
        return "the account has no credit left"
    if status in (401, 403) or (status != 429 and NO_KEY.search(raw)):
        return "key"
    if status in (None, 500) and NO_PACKAGE.search(raw):
        return "install the package this provider needs"
    if status == 404 or (status == 400 and NO_MODEL.search(raw)):
        return "check --model and --api-base"
    return None


def shown(text: str, secret: str | None = None) -> str:
    """`text` on one line, cut, without a traceback and without anything that is or looks like a key."""
    if said := MESSAGE.search(text[:LONGEST_TEXT]):
        text = said[1]
    text = " ".join(text[:LONGEST_TEXT].split())[: 10 * MESSAGE_LENGTH]
    text = re.split(r"Traceback \(most recent call last\)|, Received response - ", text)[0]
    secrets = {value for name, value in os.environ.items() if SECRET_NAME.search(name) and len(value) >= 8}
    for value in sorted(secrets | ({secret} if secret else set()), key=len, reverse=True):
        text = text.replace(value, "***")
    text = " ".join(SECRET_TEXT.sub("***", text).split())
    text = re.sub(r"^(litellm\.\w+: )+(\w+(Error|Exception)( -|:) )*", "", text)
    return text if len(text) <= MESSAGE_LENGTH else f"{text[: MESSAGE_LENGTH - 3]}..."


def _headers(error: BaseException) -> Mapping[str, str]:
    # litellm keeps the provider's headers apart from `response`, whose own headers are empty.
    for owner in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(owner, name, None)
            if isinstance(headers, Mapping) and headers:
                return {str(key).lower(): str(value) for key, value in headers.items()}
    return {}


def retry_after_of(headers: Mapping[str, str], message: str = "") -> float | None:
    """Seconds a provider asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), or its words."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    if value:
        with contextlib.suppress(ValueError):
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    said = WAIT.search(message)
    return None if said is None else float(said[1]) / (1000 if said[2] == "ms" else 1)
