"""Parse responses to chat requests, with log-probabilities, of any provider."""

from __future__ import annotations

import bisect
import itertools
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.calls.usage import estimate_request, estimate_tokens
from factreasoner.models import Usage
from factreasoner.models.messages import Chances
from factreasoner.text.reasoning import without_reasoning

MOST_TOKENS = 1_000_000_000
"""Upper limit on a plausible token count."""
MAX_SHOWN = 500_000
"""Maximum characters of a reply, about 100,000 tokens; also bytes of a body without log-probabilities."""
MOST_OF_A_NAME = 200
_LEAST = -sys.float_info.max
"""JSON can hold whole numbers beyond the range of a float."""
_ROUNDING = 1e-3
"""How far rounding may lift a log-probability above 0."""


class Token(NamedTuple):
    """One generated token: its bytes, its natural log-probability and its alternatives.

    `logprob` is None if it, or that of an alternative, is invalid.
    """

    raw: bytes
    logprob: float | None
    top: tuple[tuple[str, float], ...] = ()


class Tokens:
    """The tokens of a reply; joined, they are `raw`."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self.tokens = tuple(tokens)
        self.raw = b"".join(token.raw for token in self.tokens)
        self._ends = list(itertools.accumulate(len(token.raw) for token in self.tokens))

    def chances(self, place: int, value: str, allowed: Sequence[str]) -> Chances | None:
        """The probability of each allowed value where `value` begins, at byte `place`; None if unknown.

        An unlisted value gets that of the least probable alternative, or the remainder to 1 if less.
        """
        number = bisect.bisect_right(self._ends, place)
        if number == len(self.tokens) or (token := self.tokens[number]).logprob is None:
            return None
        words = token.raw.decode("utf-8", "replace")
        before = token.raw[: place - self._ends[number] + len(token.raw)].decode("utf-8", "replace")
        seen = dict(((words, token.logprob), *token.top))
        mass = dict.fromkeys(allowed, 0.0)
        for text, logprob in seen.items():
            if text.startswith(before) and (named := matching_value(text[len(before) :], allowed)):
                mass[named] += math.exp(logprob)
        if mass[value] == 0.0 or matching_value(words[len(before) :], allowed) != value:
            return None
        if len(token.top) <= 1:
            p = min(1.0, mass[value])
            rest = (1.0 - p) / max(len(allowed) - 1, 1)
            return Chances(probabilities={name: p if name == value else rest for name in allowed})
        shares = [math.exp(logprob) for logprob in seen.values()]
        unseen = min(*shares, max(0.0, 1.0 - sum(shares)))
        whole = {name: known or unseen for name, known in mass.items()}
        probabilities = {name: share / sum(whole.values()) for name, share in whole.items()}
        return Chances(probabilities=probabilities, mass=min(1.0, sum(mass.values())))


def matching_value(text: str, allowed: Sequence[str]) -> str | None:
    """The only allowed value that `text` begins, or that begins `text`; None if not exactly one."""
    words = text.strip().casefold()
    if not words or (words == "no" and not any(value.casefold() == "no" for value in allowed)):
        return None  # a word, and not the beginning of "not"
    fits = [v for v in allowed if v.casefold().startswith(words) or words.startswith(v.casefold())]
    return fits[0] if len(fits) == 1 else None


def field_of(owner: object, *names: str) -> Any:  # noqa: ANN401 - JSON, or an object of a library
    """The value at the end of a path through JSON or library objects; None if it ends earlier."""
    for name in names:
        owner = owner.get(name) if isinstance(owner, dict) else getattr(owner, name, None)
    return owner


def tokens_of(logprobs: object) -> Tokens | None:
    """The tokens in a choice's `logprobs`; None if none is valid."""
    entries = field_of(logprobs, "content")
    if not isinstance(entries, list | tuple):
        return None
    try:
        tokens = Tokens(map(_token, entries))
    except (TypeError, ValueError):  # malformed bytes or alternatives
        return None
    return tokens if any(token.logprob is not None for token in tokens.tokens) else None


def _token(entry: object) -> Token:
    raw = bytes(field_of(entry, "bytes") or str(field_of(entry, "token")).encode("utf-8", "replace"))
    others = field_of(entry, "top_logprobs") or ()
    tokens = [(str(field_of(other, "token")), _sound(field_of(other, "logprob"))) for other in others]
    top = tuple((token, logprob) for token, logprob in tokens if logprob is not None)
    return Token(raw, _sound(field_of(entry, "logprob")) if len(top) == len(tokens) else None, top)


def _sound(value: object) -> float | None:
    """`value` as a natural log-probability, at most 0; None if invalid."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _LEAST <= value <= _ROUNDING:
        return None
    return min(float(value), 0.0)


class Completion(NamedTuple):
    """One completion, independent of the provider.

    `tool_calls` holds (function name, raw arguments); `tokens` the log-probabilities of the output, if any;
    `refusal` the model's refusal; `prompt_tokens` the reported number, or None with an estimate in `usage`;
    `thinks`: the model reasoned first, or was cut while it did; `apart`: reasoning separated by the provider;
    `model` and `system_fingerprint`: as in the response.
    """

    content: str
    tool_calls: tuple[tuple[str, Any], ...]
    finish_reason: str
    tokens: Tokens | None
    usage: Usage
    refusal: str = ""
    prompt_tokens: int | None = None
    thinks: bool = False
    apart: str = ""
    model: str = ""
    system_fingerprint: str = ""

    @property
    def reply_text(self) -> str:
        """The text of the reply: content, else raw tool call arguments, else the refusal."""
        return self.content or " ".join(str(raw) for _, raw in self.tool_calls) or self.refusal

    @property
    def cut(self) -> bool:
        """Whether the token limit cut the reply."""
        return self.finish_reason == "length"

    @property
    def blocked(self) -> str:
        """Why no call form would give an answer, in a word or two; else empty."""
        if self.finish_reason == "content_filter":
            return "content filter"
        return "refusal" if self.refusal else ""


def completion_of(response: Any, request: Mapping[str, Any], logprobs: Any = None) -> Completion:  # noqa: ANN401
    """The completion in a response to `request`, without its cost; missing token counts are estimated.

    `logprobs` were removed from the response before.
    """
    choices = field_of(response, "choices")
    choice = choices[0] if isinstance(choices, list | tuple) and choices else None
    message = field_of(choice, "message")
    content, refusal = field_of(message, "content"), field_of(message, "refusal")
    content = content if isinstance(content, str) else ""
    refusal = refusal or field_of(message, "provider_specific_fields", "refusal")
    calls = field_of(message, "tool_calls")
    functions = [field_of(call, "function") for call in (calls if isinstance(calls, list) else ())]
    functions = functions or [field_of(message, "function_call")]  # some send the same call in both fields
    called = tuple((str(field_of(f, "name")), field_of(f, "arguments")) for f in functions if f is not None)
    spoken = content + "".join(str(raw) for _, raw in called)
    prompt_tokens, completion_tokens = reported(response)
    cached = _count(field_of(response, "usage", "prompt_tokens_details", "cached_tokens"))
    reasoned = _count(field_of(response, "usage", "completion_tokens_details", "reasoning_tokens"))
    apart = str(field_of(message, "reasoning_content") or field_of(message, "reasoning") or "")
    finish_reason = str(field_of(choice, "finish_reason") or "")
    hidden = finish_reason == "length" and not spoken.strip()
    return Completion(
        content=content,
        tool_calls=called,
        finish_reason=finish_reason,
        tokens=tokens_of(logprobs or field_of(choice, "logprobs")),
        usage=Usage(
            calls=1,
            prompt_tokens=prompt_tokens or estimate_request(request),
            cached_tokens=min(prompt_tokens, cached),
            completion_tokens=completion_tokens or (estimate_tokens(spoken) if spoken else 0),
        ),
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=prompt_tokens or None,
        thinks=bool(without_reasoning(content) != content or reasoned or apart or hidden),
        apart=apart,
        model=_name_in(response, "model"),
        system_fingerprint=_name_in(response, "system_fingerprint"),
    )


def _name_in(response: object, field: str) -> str:
    """A name in a response, on one line; empty without one."""
    name = field_of(response, field)
    return " ".join(name.split())[:MOST_OF_A_NAME] if isinstance(name, str) else ""


def reported(response: object) -> tuple[int, int]:
    """The reported prompt and completion tokens; 0 if missing."""
    prompt, completion = (field_of(response, "usage", f"{kind}_tokens") for kind in ("prompt", "completion"))
    return _count(prompt), _count(completion)


def _count(value: object) -> int:
    """A reported token count; 0 if missing or implausible."""
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0
