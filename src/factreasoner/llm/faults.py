"""Classify provider errors: who must act, and whether a retry can help.

Only status, headers and message count, so that wrapping by libraries does not matter.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any, Literal, NamedTuple

from factreasoner.calls.retry import is_transient_status
from factreasoner.errors import LLMError, ProviderError, UnusableReplyError
from factreasoner.llm.capabilities import OPTIONAL, Capabilities, token_limit
from factreasoner.llm.forms import ALTERNATIVES
from factreasoner.text.retry_after import retry_after_of

Kind = Literal["config", "retry", "once", "form", "dialect", "sample", "final"]

REFUSAL_STATUSES = frozenset({400, 404, 422})
NOT_IMPLEMENTED = 501
NO_CHAT_STATUSES = frozenset({404, 405, 415, NOT_IMPLEMENTED})
"""Statuses of a server without that model, or without chat completions at that URL."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


NO_PROVIDER = _any("LLM Provider NOT provided")
WITHOUT_KEY = _any(r"missing credentials|unable to locate credentials|api_key client option must be set")
NO_KEY = _any(
    WITHOUT_KEY.pattern,
    r"(invalid|incorrect)[ _]api[ _]key|invalid x-api-key|security token.{0,40}invalid",
    r"could not resolve authentication",
    r"(api[ _]key|credentials).{0,40}(missing|not (be )?(found|set|provided|valid))",
)
NO_CREDIT = _any(r"billing")
NO_MONEY = _any(
    r"credit balance|insufficient[ _](balance|quota)",
    r"\b(not enough|insufficient|out of|no( more)?) credits?\b(?! card)",
)
PASSING = _any(r"(retry|try again) in|retryDelay")
NO_MODEL = _any(
    r"(invalid|unknown|not a valid) model|model_not_supported|model identifier is invalid|no models loaded",
    r"model.{0,120}(not found|n[o']t exist|decommissioned)",
)
NO_MODULE = _any(r"No module named '([\w.]+)'")
NO_PACKAGE = _any(r"pip install ")
MODERATED = _any(r"content.?(policy|filter|management)|moderation|flagged|\bprompt\b.{0,40}\bblocked")
NO_REGION = _any(r"(territory|location)\b.{0,40}not supported|not available in your country")
TOO_LONG = _any(
    r"context.?(length|window|size|limit)|too many tokens|reduce the length of",
    r"(prompt|input).{0,20} is too (long|large)|token count.{0,40}exceeds",
)
SHORTER = (
    "the request is longer than the model's context: use fewer `atoms_per_call`, shorter contexts "
    "(`summarizer='llm'`) or a smaller `max_tokens`"
)
BAD_SAMPLE = _any(
    r"failed to (call a function|generate JSON)|did not call a tool|tool call validation failed"
)
"""Messages of a provider that could not use the model's text: one bad reply, not a missing feature."""
NO_ANSWER = _any(r"Connection error\.?$", r"\[Errno -?\d+\] ")
FORM = _any(
    r"\btools?\b|tool_choice|\bfunctions?\b",
    r"response_format|json_schema|\bjson mode|structured.?output|guided|grammar|\bschema\b",
)
UNSUPPORTED = _any(r"support|require|literal_error")
PLAIN = ("word", "lines")
"""Call forms in plain text, which a provider cannot refuse."""
NO_SYSTEM_ROLE = _any(
    r"system role not supported|n[o']t support system messages",
    r"only user and assistant roles are supported",
    r"developer instruction is not enabled",
    r"role'? does not support '?system",
    r"conversation roles must alternate",
)
MOST_ALTERNATIVES = _any(r"(?:less than or equal to|max allowed:|between 0 and|<=|\[0,) ?(\d+)")
ABOUT_LENGTH = _any(r"max_\w*tokens|maxOutputTokens|maximum tokens")
MOST_EXCLUDED = _any(r"to (\d+) \(exclusive\)")
MOST = _any(
    r"(?:(?:at most|less than or equal to|model limit of) `?|max_tokens: \d+ > "
    r"|range[^.]{0,60}?\[\s*1\s*,\s*)(\d+)"
)
ROOM = (
    _any(r"context length is (?P<most>\d+)\D.{0,200}?\((?P<taken>\d+) in the (?:messages|prompt)"),
    _any(r"context length is (?P<most>\d+)\D.{0,200}?(?P<taken>\d+) input tokens"),
    _any(r"must be <= (?P<most>\d+)\D.{0,40}?(?P<taken>\d+) `inputs` tokens"),
    _any(r"context limit: (?P<taken>\d+) \+ \d+ > (?P<most>\d+)"),
)
LEAST_ROOM = 16
SECRET_NAME = _any(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
SECRET_TEXT = re.compile(
    r"\b(sk|pk|gsk|hf|xai)[-_][\w*.-]{4,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+|(?<=://)[^/@\s]+@|(?<=[?&]key=)[^&\s]+"
)
MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)+)"')
NOT_TO_SHOW = re.compile(r"Traceback \(most recent call last\)|, Received response - |\. To drop these, set ")
"""Starts of useless message parts: code, and litellm's own advice."""
MESSAGE_LENGTH = 300
LONGEST_TEXT = 20_000
"""Maximum characters of a text to search."""
BEGINNING = 80
"""Maximum characters shown of a body that is not a chat completion."""


class NotACompletionError(Exception):
    """A body with status 200 that is not a chat completion: a login page, half a reply, an error.

    `status_code` is that of the error in it, or 400; 200 without an error.
    """

    def __init__(self, body: bytes, error: object) -> None:
        super().__init__(body[:LONGEST_TEXT].decode("utf-8", "replace"))
        code = error.get("code") if isinstance(error, dict) else None
        is_error = type(code) is int and code >= HTTPStatus.BAD_REQUEST
        self.status_code = code if is_error else int(HTTPStatus.BAD_REQUEST if error else HTTPStatus.OK)


class ProviderFault(NamedTuple):
    """A classified error. `message` can be shown: it is short and holds no key.

    The kinds: "config" is for the user to fix, with `remedy` ("key": the key is missing or wrong); "retry" is
    transient, with `retry_after` seconds if given; "once" is retried once; "form" is a refused call form;
    "dialect" is another refusal, which `lesson` avoids, or a reply limit above `room`; "sample" is a reply
    that the provider could not use; "final" is permanent. `refused`: the connection was refused. `nameless`:
    the host name does not resolve, by an answer ("unknown") or because no resolver answers ("unresolved").
    """

    kind: Kind
    message: str
    status: int | None = None
    retry_after: float | None = None
    lesson: Capabilities = Capabilities()
    room: int | None = None
    remedy: str = ""
    refused: bool = False
    nameless: Literal["", "unknown", "unresolved"] = ""

    def error(self, attempts: int, remedy: str, why: str = "") -> LLMError:
        """The error of an unanswered call after that many attempts; `why` it waits no longer."""
        if self.kind == "sample":
            return UnusableReplyError(self.message, reason="malformed", attempts=attempts)
        status = "" if self.status is None else f"status {self.status}: "
        message = f"{self.message.rstrip('.')}; {remedy}" if remedy else self.message
        return ProviderError(f"{status}{message}{why}", attempts=attempts)


def fault_of(
    error: BaseException,
    *,
    form: str,
    request: Mapping[str, Any],
    fixed: Collection[str] = (),
    secret: str | None = None,
) -> ProviderFault:
    """Classify an error of `request` in call form `form`; `fixed` parameters can't be removed."""
    status = getattr(error, "status_code", None)
    raw = str(error)[:2000]
    unsupported = type(error).__name__ == "UnsupportedParamsError"  # by litellm, which sent nothing
    if not isinstance(status, int) or unsupported or NO_ANSWER.search(raw):
        status = None  # litellm invents a 500 for a broken connection
    message = safe_excerpt(raw, secret)
    if NO_PROVIDER.search(raw):
        known = "name the provider first ('openai/gpt-4o', 'ollama/llama3'), or add `api_base=URL`"
        return ProviderFault("config", "unknown provider", status, remedy=known)
    if wished := [name for name in fixed if unsupported and f"'{name}'" in raw]:
        return ProviderFault("config", message, status, remedy=f"remove {', '.join(sorted(wished))}")
    refused = unsupported or status in REFUSAL_STATUSES or (status == 403 and "request logprobs" in raw)
    if refused and BAD_SAMPLE.search(raw):
        return ProviderFault("sample", message, status)
    if (refused or status == 500) and (lesson := _lesson_of(raw, request, fixed, refused=refused)):
        return ProviderFault("dialect", message, status, lesson=lesson[0], room=lesson[1])
    if unsupported or _refuses_form(raw, status, form):
        return ProviderFault("form" if form not in PLAIN else "final", message, status)
    remedy = _remedy(raw, status)
    if remedy is not None:
        note = "there is no key" if WITHOUT_KEY.search(raw) else message
        return ProviderFault("config", note, status, remedy=remedy)
    if status == 413 or (status not in (None, 429) and TOO_LONG.search(raw)):
        return ProviderFault("final", message, status, remedy=SHORTER)
    if status is None or is_transient_status(status):
        return _passing(error, ProviderFault("retry", message, status, retry_after_of(_headers(error), raw)))
    return _final(error, message, status)


def _passing(error: BaseException, fault: ProviderFault) -> ProviderFault:
    """A transient fault, with the state of the connection."""
    if not NO_ANSWER.search(str(error)[:2000]):
        return fault
    broken = _of_the_system(error)
    message = (isinstance(broken, OSError) and broken.strerror) or fault.message
    if nameless := _nameless(broken):
        message = f"the name of the host does not resolve ({message.rstrip('.')})"
    refused = bool(nameless) or isinstance(broken, ConnectionRefusedError)
    return fault._replace(message=message, remedy="connection", refused=refused, nameless=nameless)


def _final(error: BaseException, message: str, status: int | None) -> ProviderFault:
    """The fault of any other error."""
    if not isinstance(error, NotACompletionError):
        return ProviderFault("final", message, status)
    words = f"not a chat completion: {message[:BEGINNING] or 'nothing at all'}"
    return ProviderFault("once", words, remedy="check `api_base`")


def _of_the_system(error: BaseException | None) -> OSError | UnicodeError | None:
    """The operating system's reason for a missing connection; None if it was another.

    A UnicodeError means an invalid host name.
    """
    while error is not None:
        if isinstance(error, UnicodeError) or (isinstance(error, OSError) and error.strerror):
            return error
        error = error.__cause__ or error.__context__
    return None


def _nameless(error: OSError | UnicodeError | None) -> Literal["", "unknown", "unresolved"]:
    """Whether an error says that the host name has no address."""
    if isinstance(error, socket.gaierror):
        return "unresolved" if error.errno == socket.EAI_AGAIN else "unknown"
    return "unknown" if isinstance(error, UnicodeError) else ""


def _lesson_of(
    complaint: str, request: Mapping[str, Any], fixed: Collection[str], *, refused: bool
) -> tuple[Capabilities, int | None] | None:
    """What a provider's complaint about `request` teaches for later ones; None if nothing.

    Returns it with the tokens that the context leaves for this reply. Unless the request was `refused`, only
    that and a missing system role are recognised.
    """
    sent = token_limit(request)
    found = next(filter(None, (pattern.search(complaint) for pattern in ROOM)), None)
    if found:
        room = int(found["most"]) - int(found["taken"])
        return (Capabilities(), room) if LEAST_ROOM <= room < (sent or 0) else None
    if NO_KEY.search(complaint):
        return None
    if NO_SYSTEM_ROLE.search(complaint) and any(m["role"] == "system" for m in request.get("messages", ())):
        return Capabilities(system_role=False), None
    if not refused:
        return None
    if sent is not None and ABOUT_LENGTH.search(complaint):
        beyond, found = MOST_EXCLUDED.search(complaint), MOST.search(complaint)
        most = int(beyond[1]) - 1 if beyond else int(found[1]) if found else 0
        if LEAST_ROOM <= most < sent:
            return Capabilities(most_tokens=most), None
    alternatives = request.get("top_logprobs", 0)
    limit = MOST_ALTERNATIVES.search(complaint) if "logprobs" in complaint else None
    if alternatives > ALTERNATIVES and (limit or "top_logprobs" in complaint):
        most = int(limit[1]) if limit else ALTERNATIVES
        return Capabilities(most_alternatives=most if 1 <= most < alternatives else ALTERNATIVES), None
    named = {name for name in OPTIONAL if re.search(rf"{name}\b", complaint, re.IGNORECASE)}
    lacking = frozenset(named & request.keys() - set(fixed))
    return (Capabilities(refused=lacking), None) if lacking else None


def _refuses_form(raw: str, status: int | None, form: str) -> bool:
    if form in PLAIN or TOO_LONG.search(raw) or MODERATED.search(raw) or not FORM.search(raw[:600]):
        return False
    refused = status in REFUSAL_STATUSES or status == NOT_IMPLEMENTED
    return refused or (status == 500 and UNSUPPORTED.search(raw) is not None)


def _remedy(raw: str, status: int | None) -> str | None:
    """The user's fix for an error that all later requests would meet; None for other errors."""
    if status == 403 and MODERATED.search(raw):
        return None
    no_credit = status == 429 and NO_CREDIT.search(raw) and not PASSING.search(raw)
    if status == 402 or no_credit or (status in (400, 403, 429) and NO_MONEY.search(raw)):
        return "the account has no credit left"
    if status in (400, 403) and NO_REGION.search(raw):
        return "this provider does not serve your region: use another `model` or `api_base`"
    if status in (401, 403) or (status != 429 and NO_KEY.search(raw)):
        return "key"
    package, module = NO_PACKAGE.search(raw), NO_MODULE.search(raw)
    if module or (package and status in (None, 500)):
        named = f": pip install {module[1]}" if module and not package else ""
        return f"install the package this provider needs{named}"
    if status in NO_CHAT_STATUSES or (status == 400 and NO_MODEL.search(raw)):
        return "check `model` and `api_base`"
    return None


def safe_excerpt(text: str, secret: str | None = None) -> str:
    """`text` on one line, shortened, without tracebacks and possible keys."""
    if words := MESSAGE.search(text[:LONGEST_TEXT]):
        text = words[1]
    text = " ".join(text[:LONGEST_TEXT].split())[: 10 * MESSAGE_LENGTH]
    text = NOT_TO_SHOW.split(text)[0]
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
