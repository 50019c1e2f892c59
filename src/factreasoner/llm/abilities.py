"""What one model can do, as its first answers show, and whether an answer shows that it saw the question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from factreasoner.choices import CallForm
from factreasoner.llm.dialect import Dialect
from factreasoner.llm.messages import FunctionSchema
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Model

ASCII = re.compile(r"[\x00-\x7f]+")
Sight = Literal["seen", "unsure", "short", "unreported"]
TELLING_TOKENS = 64
"""Fewer tokens than these are too few to tell from what a chat template adds."""
MESSAGES_MARGIN, TOOL_SHARE = 1.1, 0.4
"""A model that is shown a function reports at least 1.1 times the messages' estimate and 0.4 times the
function's: servers render it in half as many tokens as its JSON takes, and estimates are off by a tenth."""
USUAL_SHARE = 0.7
"""Tokens of a function as servers mostly render it, beside those of its JSON."""


class Abilities(Model):
    """How a model is asked, learnt from its first answers and then kept.

    `logprobs`: log-probabilities come in this form (None: never asked for). `listed`: in tool calls the
    message lists the items too. `counted`: replies report prompt tokens, so that it can be told whether the
    model saw what it was sent. The others are its `Dialect`.
    """

    form: CallForm
    logprobs: bool | None = None
    listed: bool = False
    counted: bool = True
    refused: tuple[str, ...] = ()
    most_tokens: int | None = None
    system_role: bool = True

    def with_dialect(self, dialect: Dialect) -> Abilities:
        """The same abilities, but with the refused parameters, token limit and roles that `dialect` says."""
        refused, most_tokens, system_role = dialect
        learnt = {"refused": tuple(sorted(refused)), "most_tokens": most_tokens, "system_role": system_role}
        return self.model_copy(update=learnt)

    @property
    def dialect(self) -> Dialect:
        """The part of these abilities that says what requests must heed."""
        return Dialect(frozenset(self.refused), self.most_tokens, self.system_role)

    def __str__(self) -> str:
        source = "log-probabilities" if self.logprobs else "no log-probabilities"
        where = " (facts listed in the message)" if self.form == "tool" and self.listed else ""
        parts = [f"form: {self.form}{where}", f"probabilities: {source}"]
        lacking = [*self.refused, *([] if self.system_role else ["a system role"])]
        parts += [f"without {', '.join(lacking)}"] if lacking else []
        parts += [f"replies of {self.most_tokens:,} tokens at most"] if self.most_tokens else []
        if not self.counted:
            parts.append("prompt tokens are not reported: nobody can tell whether it sees every fact")
        return "; ".join(parts)


class Memory(Protocol):
    """Where a run keeps what it learnt about its models, for when it goes on."""

    def abilities(self, model: str) -> Abilities | None:
        """What was kept of that model, if anything was."""

    def keep_abilities(self, model: str, abilities: Abilities) -> None:
        """Keep it. Called from any thread."""


def sight(reported: int | None, request: Mapping[str, Any], schema: FunctionSchema) -> Sight:
    """Whether a reply that reports so many prompt tokens comes from a model that saw the request.

    "short": less than half of what the messages, and the items of a tool call, must take. "unsure": enough
    for the messages, and not for a function with items beside them: the server may have dropped it.
    """
    if reported is None:
        return "unreported"
    messages = _messages(request)
    items = list(schema.items.values()) if _carries_items(request, schema) else []
    tokens = sum(map(estimate_tokens, messages))
    least = tokens + sum(map(estimate_tokens, items)) - sum(map(_tokens_too_many, messages + items))
    if least >= TELLING_TOKENS and reported < least / 2:
        return "short"
    if not items:
        return "seen"
    wanted = MESSAGES_MARGIN * tokens + TOOL_SHARE * _function_tokens(request)
    return "seen" if reported >= wanted else "unsure"


def tells(request: Mapping[str, Any], schema: FunctionSchema) -> bool:
    """Whether a reply to `request` can be expected to show that the model saw the items of its function.

    Where the messages are long beside the function it can't: estimates of their tokens are not that near.
    """
    if not _carries_items(request, schema):
        return True
    tokens = sum(map(estimate_tokens, _messages(request)))
    return sight(int(tokens + USUAL_SHARE * _function_tokens(request)), request, schema) == "seen"


def _messages(request: Mapping[str, Any]) -> list[str]:
    return [_text(message["content"]) for message in request["messages"]]


def _function_tokens(request: Mapping[str, Any]) -> int:
    return estimate_tokens(json.dumps(request["tools"], ensure_ascii=False))


def _carries_items(request: Mapping[str, Any], schema: FunctionSchema) -> bool:
    """Whether a tool, and nothing else, holds the items."""
    tools = request.get("tools", ())
    return bool(schema.items) and any(t["function"]["parameters"] is schema.parameters for t in tools)


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _tokens_too_many(text: str) -> float:
    """By how much the estimate of a text may be too high: newer tokenizers need half as many beyond ASCII."""
    return 0.0 if text.isascii() else estimate_tokens(ASCII.sub("", text)) / 2
