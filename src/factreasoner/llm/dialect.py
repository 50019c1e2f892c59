"""How a provider wants its requests put, as its complaints teach it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the limit of a reply's length, the one tried first first."""
LEAST_ROOM = 16
"""Tokens below which there is no use in asking for a reply."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


PARAMETERS = {
    "logprobs": _any(r"logprobs"),
    "temperature": _any(r"\btemperature\b"),
    "max_tokens": _any(r"\bmax_tokens\b"),
    "max_completion_tokens": _any(r"\bmax_completion_tokens\b"),
}
"""Optional parameters of a request, and how an error message names them."""
NO_SYSTEM_ROLE = _any(
    r"system (role|message|prompt)s?\b.{0,20}not (supported|enabled|allowed)",
    r"only user and assistant roles are supported",
    r"developer instruction is not enabled",
    r"role'? does not support '?system",
    r"conversation roles must alternate",
)
ABOUT_ALTERNATIVES = _any(r"\btop_logprobs\b")
MOST_ALTERNATIVES = _any(
    r"(?:at most|less than or equal to|up to|no more than|between 0 and|<=|\[0, ?) ?(\d+)"
)
FEW_ALTERNATIVES = 5
"""Alternatives that whoever gives any gives."""
ABOUT_LENGTH = _any(r"max_(completion_|new_|output_)?tokens", "maxOutputTokens", "in the completion")
MOST = _any(
    r"(?:at most|less than or equal to|up to|no more than) `?(\d+)",
    r"max_tokens: \d+ > (\d+)",
    r"range[^.]{0,60}?\[\s*1\s*,\s*(\d+)\s*\]",
)
MOST_EXCLUDED = _any(r"to (\d+) \(exclusive\)")
ROOM = (
    re.compile(r"context length is (\d+)\D.{0,200}?\((\d+) in the (?:messages|prompt)", re.IGNORECASE),
    re.compile(r"context length is (\d+)\D.{0,200}?(\d+) input tokens", re.IGNORECASE),
    re.compile(r"must be <= (\d+)\D.{0,40}?(\d+) `inputs` tokens", re.IGNORECASE),
)
ROOM_REVERSED = re.compile(r"context limit: (\d+) \+ \d+ > (\d+)", re.IGNORECASE)


class Wanted(NamedTuple):
    """Parameters a call would like to be answered with. `extra` ones are sent whatever the provider says.

    `alternatives` are how many are asked for at each token, with `logprobs`.
    """

    temperature: float
    max_tokens: int
    logprobs: bool
    extra: Mapping[str, Any]
    alternatives: int = FEW_ALTERNATIVES


class Dialect(NamedTuple):
    """What a model's requests must heed.

    `refused` names optional parameters it does not take, `most_tokens` is the largest limit of a reply's
    length and `most_alternatives` the most log-probabilities at a token; `system_role` is False where system
    messages are to be part of the first user message.
    """

    refused: frozenset[str] = frozenset()
    most_tokens: int | None = None
    most_alternatives: int | None = None
    system_role: bool = True

    def learnt(self, lesson: Dialect) -> Dialect:
        """A dialect that heeds what this one heeds and what `lesson` does."""
        return Dialect(
            self.refused | lesson.refused,
            _least(self.most_tokens, lesson.most_tokens),
            _least(self.most_alternatives, lesson.most_alternatives),
            self.system_role and lesson.system_role,
        )

    def request(self, content: Mapping[str, Any], wanted: Wanted, *, room: int | None) -> dict[str, Any]:
        """A whole request: `content` (messages, tools, response format) with the parameters it may carry.

        `room` is what the model's context leaves for the reply to this very content, where that is known.
        """
        optional: dict[str, Any] = {"temperature": wanted.temperature}
        limits = [n for n in (wanted.max_tokens, self.most_tokens, room) if n is not None]
        if name := next((name for name in TOKEN_LIMITS if name not in self.refused), None):
            optional[name] = min(limits)
        if wanted.logprobs:
            optional["logprobs"] = True
        request = {name: value for name, value in optional.items() if name not in self.refused}
        if "logprobs" in request:
            request["top_logprobs"] = _least(wanted.alternatives, self.most_alternatives)
        messages = content["messages"] if self.system_role else _without_system(content["messages"])
        return {**content, "messages": messages, **request, **wanted.extra}


def _least(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def token_limit(request: Mapping[str, Any]) -> int | None:
    """The most tokens the reply to a request may take, None where it names none."""
    return next((request[name] for name in TOKEN_LIMITS if name in request), None)


def _without_system(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    system = [message["content"] for message in messages if message["role"] == "system"]
    first, *rest = [message for message in messages if message["role"] != "system"]
    contents = [*system, first["content"]]
    if all(isinstance(content, str) for content in contents):
        return [{**first, "content": "\n\n".join(contents)}, *rest]
    parts = [[{"type": "text", "text": c}] if isinstance(c, str) else c for c in contents]
    return [{**first, "content": [part for some in parts for part in some]}, *rest]


def lesson_of(complaint: str, request: Mapping[str, Any], fixed: Collection[str]) -> Dialect | None:
    """What a provider's refusal of `request` teaches about later ones, None when it is about nothing known.

    Parameters named in `fixed` are the user's wish and can't be left out.
    """
    if NO_SYSTEM_ROLE.search(complaint) and any(m["role"] == "system" for m in request.get("messages", ())):
        return Dialect(system_role=False)
    sent = token_limit(request)
    if sent is not None and ABOUT_LENGTH.search(complaint):
        most = _most(complaint)
        if most is not None and LEAST_ROOM <= most < sent:
            return Dialect(most_tokens=most)
    alternatives = request.get("top_logprobs", 0)
    if alternatives > FEW_ALTERNATIVES and ABOUT_ALTERNATIVES.search(complaint):
        said = MOST_ALTERNATIVES.search(complaint)
        most = int(said[1]) if said else FEW_ALTERNATIVES
        return Dialect(most_alternatives=most if 1 <= most < alternatives else FEW_ALTERNATIVES)
    refused = {
        name
        for name, pattern in PARAMETERS.items()
        if name in request and name not in fixed and pattern.search(complaint)
    }
    return Dialect(refused=frozenset(refused)) if refused else None


def room_of(complaint: str, request: Mapping[str, Any]) -> int | None:
    """Tokens that the model's context leaves for a reply to `request`, as the refusal of a longer one says.

    None when it says nothing of the kind, or when there is no room to speak of.
    """
    sent = token_limit(request)
    room = None
    for pattern in ROOM:
        if found := pattern.search(complaint):
            room = int(found[1]) - int(found[2])
            break
    if room is None and (found := ROOM_REVERSED.search(complaint)):
        room = int(found[2]) - int(found[1])
    return room if sent is not None and room is not None and LEAST_ROOM <= room < sent else None


def _most(complaint: str) -> int | None:
    if found := MOST_EXCLUDED.search(complaint):
        return int(found[1]) - 1
    found = MOST.search(complaint)
    return None if found is None else int(next(group for group in found.groups() if group))
