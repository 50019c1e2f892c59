"""What a response to a chat request says, whatever it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from factreasoner.llm.json_text import thinks
from factreasoner.llm.logprobs import Tokens, field_of, tokens_of
from factreasoner.llm.tokens import estimate_request, estimate_tokens
from factreasoner.models import Usage

MOST_TOKENS = 1_000_000_000
"""No request takes more, whatever its provider reports."""


class Completion(NamedTuple):
    """One completion, free of any provider's types.

    `tool_calls` holds (function name, raw arguments); `tokens` the log-probabilities of the output, if any;
    `refusal` the words in which the model declined to answer, where the provider tells them apart;
    `prompt_tokens` what the provider reported, None where it did not, when `usage` holds an estimate.
    `thinks`: the model reasoned before it answered, or was cut while it did.
    """

    content: str
    tool_calls: tuple[tuple[str, Any], ...]
    finish_reason: str
    tokens: Tokens | None
    usage: Usage
    refusal: str = ""
    prompt_tokens: int | None = None
    thinks: bool = False

    @property
    def said(self) -> str:
        """The text of the reply: content, else the raw arguments of its tool calls, else the refusal."""
        return self.content or " ".join(str(raw) for _, raw in self.tool_calls) or self.refusal

    @property
    def cut(self) -> bool:
        """Whether the limit of its length cut the reply."""
        return self.finish_reason == "length"

    @property
    def blocked(self) -> str:
        """Why there is no answer whatever the call form, in a word or two; empty where none of that is so."""
        if self.finish_reason == "content_filter":
            return "content filter"
        return "refusal" if self.refusal else ""


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
        thinks=thinks(content) or _reasoned(response, message),
    )


def _reasoned(response: object, message: object) -> bool:
    """Whether the provider says that the model reasoned."""
    details = field_of(field_of(response, "usage"), "completion_tokens_details")
    return bool(_count(field_of(details, "reasoning_tokens")) or field_of(message, "reasoning_content"))


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
