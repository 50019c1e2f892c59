"""What a response to a chat request says, whatever it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factreasoner.llm.logprobs import field_of, tokens_of
from factreasoner.llm.reading import Completion
from factreasoner.llm.tokens import estimate_request, estimate_tokens
from factreasoner.models import Usage

MOST_TOKENS = 1_000_000_000
"""No request takes more, whatever its provider reports."""


def completion_of(response: Any, request: Mapping[str, Any], logprobs: Any = None) -> Completion:  # noqa: ANN401
    """What a response to `request` says; `logprobs` were taken aside. Its usage has no cost yet.

    Tokens that it does not report are estimated.
    """
    choices = field_of(response, "choices")
    choice = choices[0] if isinstance(choices, list | tuple) and choices else None
    message = field_of(choice, "message")
    content = field_of(message, "content")
    tool_calls = field_of(message, "tool_calls")
    functions = [field_of(call, "function") for call in (tool_calls if isinstance(tool_calls, list) else ())]
    if not functions:  # some servers send both, which are one
        functions = [field_of(message, "function_call")]
    called = tuple((str(field_of(f, "name")), field_of(f, "arguments")) for f in functions if f is not None)
    content = content if isinstance(content, str) else ""
    spoken = content + "".join(str(raw) for _, raw in called)
    prompt_tokens, completion_tokens = reported(response)
    usage = Usage(
        calls=1,
        prompt_tokens=prompt_tokens or estimate_request(request),
        cached_tokens=min(prompt_tokens, cached_tokens_of(response)),
        completion_tokens=completion_tokens or (estimate_tokens(spoken) if spoken else 0),
    )
    return Completion(
        content=content,
        tool_calls=called,
        finish_reason=str(field_of(choice, "finish_reason") or ""),
        tokens=tokens_of(logprobs or field_of(choice, "logprobs")),
        usage=usage,
        refusal=_refusal(message),
        prompt_tokens=prompt_tokens or None,
    )


def reported(response: object) -> tuple[int, int]:
    """The prompt and completion tokens that a response reports, 0 for what it does not."""
    counted = field_of(response, "usage")
    return _count(field_of(counted, "prompt_tokens")), _count(field_of(counted, "completion_tokens"))


def cached_tokens_of(response: object) -> int:
    """The prompt tokens that the server took from its prefix cache, 0 where it does not say."""
    details = field_of(field_of(response, "usage"), "prompt_tokens_details")
    return _count(field_of(details, "cached_tokens"))


def _refusal(message: object) -> str:
    given = field_of(message, "refusal") or field_of(field_of(message, "provider_specific_fields"), "refusal")
    return given if isinstance(given, str) else ""


def _count(value: object) -> int:
    """A number of tokens as it was reported; 0 where it was not, or is none."""
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0
