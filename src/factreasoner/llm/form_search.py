"""Which call form a model obeys, found out from the first questions of a kind and then kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from pydantic import Field, model_validator

from factreasoner.choices import CallForm
from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.llm.dialect import Dialect
from factreasoner.llm.forms import Kind
from factreasoner.llm.tokens import estimate_tokens, tokens_too_many
from factreasoner.models import Model, Probe
from factreasoner.models.messages import Reply

MOST_QUESTIONS = 4
"""Questions without one usable answer after which a form is taken all the same."""
TELLING_TOKENS = 64
"""Fewer tokens than these are too few to tell from what a chat template adds."""


class FoundForm(Model):
    """The form for one kind of function; `logprobs`: they come in it (None: nobody wants any)."""

    form: CallForm
    logprobs: bool | None = None


class Capabilities(Model):
    """How a model is asked, learnt from its first answers and then kept.

    `forms` are by kind of function. `thinks`: it reasons before it answers, so that replies need room.
    `refused`, `most_tokens`, `most_alternatives` and `system_role` are its `Dialect`. `probes` say how many
    facts it may be asked about at once, by the prompt that asks.
    """

    forms: dict[Kind, FoundForm] = Field(default_factory=dict)
    thinks: bool = False
    refused: tuple[str, ...] = ()
    most_tokens: int | None = None
    most_alternatives: int | None = None
    system_role: bool = True
    probes: dict[str, Probe] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_this_version(cls, given: Any) -> Any:  # noqa: ANN401 - JSON
        """Nothing is known of what an earlier version kept, which searched otherwise."""
        return {} if isinstance(given, dict) and "form" in given else given

    def with_dialect(self, dialect: Dialect) -> Capabilities:
        """The same capabilities with what `dialect` says that requests must heed."""
        refused, most, alternatives, system_role = dialect
        learnt = {"refused": tuple(sorted(refused)), "most_tokens": most, "system_role": system_role}
        return self.model_copy(update=learnt | {"most_alternatives": alternatives})

    @property
    def dialect(self) -> Dialect:
        """The part of these capabilities that says what requests must heed."""
        return Dialect(frozenset(self.refused), self.most_tokens, self.most_alternatives, self.system_role)

    def __str__(self) -> str:
        forms = [str(probe) for probe in self.probes.values()]
        forms += dict.fromkeys(f"form: {found.form}" for found in self.forms.values())
        scored = any(found.logprobs for found in self.forms.values())
        parts = [*forms, f"probabilities: {'log-probabilities' if scored else 'no log-probabilities'}"]
        lacking = [*self.refused, *([] if self.system_role else ["a system role"])]
        parts += [f"without {', '.join(lacking)}"] if lacking else []
        parts += [f"replies of {self.most_tokens:,} tokens at most"] if self.most_tokens else []
        parts += ["it thinks before it answers"] if self.thinks else []
        return "; ".join(parts)


class Memory(Protocol):
    """Where a run keeps what it learnt about its models, for when it goes on."""

    def capabilities(self, model: str) -> Capabilities | None:
        """What was kept of that model, if anything was."""

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Keep it. Called from any thread."""


class Tried(NamedTuple):
    """What came of asking in one form: a reply, or why there is none.

    `obeyed`: the reply came as the form says. `final`: no other form would do better.
    """

    form: CallForm
    reply: Reply | None
    problem: LLMError | None = None
    obeyed: bool = False
    final: bool = False


class FormSearch:
    """Asks one question in form after form, until one is obeyed.

    A refused form, a reply of no use and one that was cut go on to the next. Where log-probabilities are
    wanted and a tool call is obeyed without them, a JSON schema is tried too.
    """

    def __init__(self, forms: Sequence[CallForm], *, scored: bool) -> None:
        self._left = list(forms)
        self._scored = scored
        self._tried: list[Tried] = []

    def next(self) -> CallForm | None:
        """The form to try next; None where the search is over."""
        last = self._tried[-1] if self._tried else None
        if last is not None and last.final:
            return None
        obeyed = [tried for tried in self._tried if tried.obeyed]
        if obeyed:
            lacking = self._scored and obeyed[0].form == "tool" and not _scored(obeyed[0])
            if not lacking or len(self._tried) > self._tried.index(obeyed[0]) + 1:
                return None
            self._left = [form for form in self._left if form == "json_schema"]
        return self._left.pop(0) if self._left else None

    def note(self, tried: Tried) -> None:
        """Take in what came of a form."""
        self._tried.append(tried)

    @property
    def cut(self) -> bool:
        """Whether a reply was cut, and none was obeyed: fewer items may fit."""
        return self.found is None and any(t.reply is not None and t.reply.truncated for t in self._tried)

    @property
    def found(self) -> Tried | None:
        """The best that was tried, where one was obeyed."""
        obeyed = [tried for tried in self._tried if tried.obeyed]
        return min(obeyed, key=lambda tried: self._scored and not _scored(tried), default=None)

    def reply(self) -> Reply:
        """The best reply, though its form may not have been obeyed.

        Raises:
            LLMError: there is none; the last problem.
        """
        best = self.found or next((tried for tried in self._tried if _whole(tried)), None)
        best = best or next((tried for tried in self._tried if tried.reply), None)
        if best is not None and best.reply is not None:
            return best.reply
        problems = [tried.problem for tried in self._tried if tried.problem is not None]
        raise problems[-1] if problems else UnusableReplyError("no call form is left to try")


def _scored(tried: Tried) -> bool:
    return tried.reply is not None and bool(tried.reply.chances)


def _whole(tried: Tried) -> bool:
    return tried.reply is not None and not tried.reply.truncated


def sees_too_little(reported: int | None, messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a model reports less than half of the prompt tokens that the messages alone must take."""
    if reported is None:
        return False
    texts = [_text(message.get("content")) for message in messages]
    least = sum(map(estimate_tokens, texts)) - sum(map(tokens_too_many, texts))
    return least >= TELLING_TOKENS and reported < least / 2


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content) if content else ""
