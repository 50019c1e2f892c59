"""How a model must be called: learned from its first answers and refusals, then kept."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import Field, ValidationError, field_serializer

from factreasoner.calls.cache import ReplyCache
from factreasoner.llm.forms import Kind
from factreasoner.llm.settings import CallForm
from factreasoner.models import Model, Probe

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the reply length limit, in the order to try."""
OPTIONAL = ("logprobs", "temperature", *TOKEN_LIMITS)


class FoundForm(Model):
    """The form for one kind of function; `logprobs`: whether they come with it (None: not requested)."""

    form: CallForm
    logprobs: bool | None = None


class Capabilities(Model):
    """How a model must be called.

    `refused` names rejected optional parameters. `most_tokens` is the maximum reply length,
    `most_alternatives` the maximum log-probabilities per token. `system_role` is False if system messages
    must be part of the first user message. `forms` are by kind of function, `probes` by prompt. `thinks`: it
    reasons before it answers, so replies need more tokens.
    """

    refused: frozenset[str] = frozenset()
    most_tokens: int | None = None
    most_alternatives: int | None = None
    system_role: bool = True
    forms: dict[Kind, FoundForm] = Field(default_factory=dict)
    thinks: bool = False
    probes: dict[str, Probe] = Field(default_factory=dict)

    @field_serializer("refused")
    def _in_order(self, names: frozenset[str]) -> list[str]:
        return sorted(names)

    def learnt(self, lesson: Capabilities) -> Capabilities:
        """These capabilities with those of `lesson`."""
        return Capabilities(
            refused=self.refused | lesson.refused,
            most_tokens=_least(self.most_tokens, lesson.most_tokens),
            most_alternatives=_least(self.most_alternatives, lesson.most_alternatives),
            system_role=self.system_role and lesson.system_role,
            forms=self.forms | lesson.forms,
            thinks=self.thinks or lesson.thinks,
            probes=lesson.probes or self.probes,
        )

    def request(
        self, content: Mapping[str, Any], wanted: Mapping[str, Any], *, room: int | None
    ) -> dict[str, Any]:
        """A complete request: `content` (messages, tools, response format) and the `wanted` parameters.

        `room` is the number of tokens left for this reply in the model's context, if known.
        """
        request = {**content}
        if not self.system_role:
            request["messages"] = _without_system(content["messages"])
        if "temperature" not in self.refused:
            request["temperature"] = wanted["temperature"]
        if limit := next((name for name in TOKEN_LIMITS if name not in self.refused), ""):
            request[limit] = _least(wanted["max_tokens"], self.most_tokens, room)
        if "logprobs" in wanted and "logprobs" not in self.refused:
            alternatives = _least(wanted["top_logprobs"], self.most_alternatives)
            request |= {"logprobs": True, "top_logprobs": alternatives}
        return request

    def __str__(self) -> str:
        parts = [str(probe) for probe in self.probes.values()]
        asked = ", ".join(dict.fromkeys(found.form for found in self.forms.values()))
        parts += [f"form: {asked}"] if asked else []
        scored = [found.logprobs for found in self.forms.values() if found.logprobs is not None]
        parts += [f"probabilities: {'' if any(scored) else 'no '}log-probabilities"] if scored else []
        lacking = [*sorted(self.refused), *([] if self.system_role else ["a system role"])]
        parts += [f"without {', '.join(lacking)}"] if lacking else []
        parts += [f"replies of {self.most_tokens:,} tokens maximum"] if self.most_tokens else []
        parts += ["it thinks before it answers"] if self.thinks else []
        return "; ".join(parts)


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def token_limit(request: Mapping[str, Any]) -> int | None:
    """The maximum tokens of the reply to a request, None without a limit."""
    return next((request[name] for name in TOKEN_LIMITS if name in request), None)


def _without_system(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    system = [message["content"] for message in messages if message["role"] == "system"]
    first, *rest = [message for message in messages if message["role"] != "system"]
    contents = [*system, first["content"]]
    if all(isinstance(content, str) for content in contents):
        return [{**first, "content": "\n\n".join(contents)}, *rest]
    parts = [[{"type": "text", "text": c}] if isinstance(c, str) else c for c in contents]
    return [{**first, "content": [part for some in parts for part in some]}, *rest]


class Memory(Protocol):
    """Where a run keeps the capabilities of its models, for resuming."""

    def capabilities(self, model: str) -> Capabilities | None:
        """The known capabilities of that model, if any."""

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Store them. Called from any thread."""


class KeptCapabilities:
    """The known capabilities of one model, kept with the run and in the cache. Thread-safe.

    Initially those this run learned earlier, else those of any run with the same settings. Without a cache
    nothing is kept. Batches have none: the same results must lead to the same requests. A run keeps only the
    probes it used.
    """

    def __init__(self, model: str, key: str, cache: ReplyCache | None, memory: Memory | None) -> None:
        self._model, self._key, self._cache, self._memory = model, key, cache, memory
        self._lock = threading.RLock()
        self.known = Capabilities()
        self._relied_on: dict[str, Probe] = {}
        if cache is None:
            return
        if memory is not None and (found := memory.capabilities(model)) is not None:
            self.known, self._relied_on = found, found.probes
            return
        with contextlib.suppress(ValidationError):  # written by another version
            self.known = Capabilities.model_validate_json(cache.noted(key) or "{}")
        if self.known != Capabilities():
            self._remember()

    def learn(self, lesson: Capabilities) -> None:
        """Add what was learned."""
        with self._lock:
            if (known := self.known.learnt(lesson)) != self.known:
                self.adopt(known)

    def rely_on(self, probes: dict[str, Probe]) -> None:
        """Add a probe result that this run uses."""
        with self._lock:
            if probes != self._relied_on:
                self._relied_on = probes
                self.adopt(self.known.learnt(Capabilities(probes=probes)))

    def adopt(self, known: Capabilities) -> None:
        """Add what another client learned about the same model."""
        with self._lock:
            self.known = known
            if self._cache is not None:
                self._cache.note_all({self._key: known.model_dump_json()})
                self._remember()

    def _remember(self) -> None:
        if self._memory is not None:
            text = self.known.model_copy(update={"probes": self._relied_on})
            self._memory.keep_capabilities(self._model, text)

    def forget(self, kind: Kind) -> None:
        """Forget the form of that kind, since the server has changed."""
        with self._lock:
            left = {known: found for known, found in self.known.forms.items() if known != kind}
            self.known = self.known.model_copy(update={"forms": left})
