"""One question asked in one form: a request, its reply, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import CallTimeoutError, LLMError, UnusableReplyError
from factreasoner.llm import forms
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.capabilities import TOKEN_LIMITS, Capabilities, Dialect, KeptCapabilities
from factreasoner.llm.faults import shown as fit_to_show
from factreasoner.llm.replies import parse, runs_in_circles
from factreasoner.llm.responses import Completion
from factreasoner.llm.send import Attempts, Sender
from factreasoner.llm.tokens import estimate_tokens, tokens_too_many
from factreasoner.llm.transport import Transport
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

RAISE = 4
"""By how much `max_tokens` is raised for a model that thinks before it answers."""
ROOM = 100
"""Tokens that a reply may take beyond twice of what is expected of it."""
TELLING_TOKENS = 64
"""Fewer tokens than these are too few to tell from what a chat template adds."""
NO_LOGPROBS = Dialect(refused=frozenset({"logprobs"}))


class Question(NamedTuple):
    """What one call asks, whatever the form."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool


class Tried(NamedTuple):
    """What came of asking in one form: a reply, or why there is none.

    `obeyed`: the reply came as the form says. `final`: no other form would do better. `refused` are the
    provider's words where it does not take the form.
    """

    form: CallForm
    reply: Reply | None
    problem: LLMError | None = None
    obeyed: bool = False
    final: bool = False
    refused: str = ""

    @property
    def scored(self) -> bool:
        """Whether log-probabilities came."""
        return self.reply is not None and bool(self.reply.chances)


class _FormRefusedError(Exception):
    """The provider does not take requests of this call form; the next one may do."""


class Exchange:
    """Asks a question in one form, in the dialect its provider takes, and longer where the reply is cut.

    With batches nothing is learnt.
    """

    def __init__(
        self, config: Config, transport: Transport, sender: Sender | BatchSender, kept: KeptCapabilities
    ) -> None:
        self._config, self._transport, self.sender, self._kept = config, transport, sender, kept
        self._learns = config.batch == "none"
        self._helped = False
        """Whether a longer limit has helped; it is kept for all later calls."""
        self._forms_without_logprobs: frozenset[CallForm] = frozenset()
        """Forms in which the provider refuses log-probabilities: there may be others."""
        self._longest_seen: dict[tuple[CallForm, str], int] = {}
        """Characters of the longest request that the model saw whole, by form and prompt."""

    def ask(self, form: CallForm, question: Question, attempts: Attempts) -> Tried:
        """What comes of a question in one form. Raises what the sender does."""
        if attempts.count and attempts.budget.left <= 0:
            problem = UnusableReplyError("no more replies than these are paid for", attempts=attempts.count)
            return Tried(form, None, problem, final=True)
        content = forms.request(form, question.prompt, question.schema, marked=self._transport.wants_marks)
        try:
            answer = self._long_enough(form, content, question, attempts)
        except _FormRefusedError as error:
            told = f"call form {form} is refused ({error}); try another --form"
            problem = UnusableReplyError(told, attempts=attempts.count)
            return Tried(form, None, problem, refused=str(error))
        self._see_that_all_was_seen((form, question.prompt.fingerprint), answer, content["messages"])
        if answer.cut and form != "word" and not answer.blocked:
            reply = Reply(arguments={}, truncated=True, form=form, usage=attempts.usage)
            return Tried(form, reply, obeyed=False)
        parsed = parse(form, answer, question.schema)
        if answer.blocked or parsed.problem:
            problem = self._unusable(answer, parsed.problem, attempts)
            return Tried(form, None, problem, final=bool(answer.blocked))
        chances = parsed.chances if question.logprobs else None
        reply = Reply(
            arguments=parsed.arguments, text=answer.said, form=form, chances=chances, usage=attempts.usage
        )
        return Tried(form, reply, obeyed=parsed.obeyed)

    def _long_enough(
        self, form: CallForm, content: Mapping[str, Any], question: Question, attempts: Attempts
    ) -> Completion:
        """The answer in one form; a cut one once more and longer, unless the form is still searched for."""
        long = self._helped or self._kept.known.thinks or attempts.budget.raised
        wanted = self._wanted(form, question, long=long)
        answer = self._answer(form, content, wanted, attempts)
        if answer.thinks:
            self._kept.learn(Capabilities(thinks=True))
        searching = forms.kind_of(question.schema) not in self._kept.known.forms
        if not answer.cut or attempts.budget.left <= 0 or form == "word" or attempts.budget.too_slow:
            return answer
        longer = self._wanted(form, question, long=True)
        if longer["max_tokens"] <= wanted["max_tokens"] or (searching and not answer.thinks):
            return answer
        if runs_in_circles(answer.said):
            return answer
        attempts.most_timeouts = attempts.timeouts + 1
        try:
            answer = self._answer(form, content, longer, attempts)
        except CallTimeoutError:
            attempts.budget.raised, attempts.budget.too_slow = False, True
            return answer
        attempts.budget.raised = True
        self._helped = self._helped or (not answer.cut and self._learns)
        return answer

    def _answer(
        self, form: CallForm, content: Mapping[str, Any], wanted: Mapping[str, Any], attempts: Attempts
    ) -> Completion:
        """The answer to a request of `content`, put as the provider's refusals teach.

        What they teach is kept where the server is asked; with batches it holds for this request alone, so
        that the same results lead to the same requests.
        """
        lesson = NO_LOGPROBS if form in self._forms_without_logprobs else Dialect()
        room, extra = None, self._config.model_parameters
        while True:
            request = self._kept.known.learnt(lesson).request(content, wanted, room=room) | extra
            answer = self.sender.tried(request, form, extra.keys(), attempts)
            if isinstance(answer, Completion):
                if self._learns and lesson != Dialect():
                    self._learn(form, lesson)
                return answer
            if answer.kind == "form":
                raise _FormRefusedError(answer.message)
            if answer.kind != "dialect":
                raise self.sender.failure(answer, attempts)
            lesson, room = lesson.learnt(answer.lesson), answer.room or room
            limitless = self._kept.known.learnt(lesson).refused.issuperset(TOKEN_LIMITS)
            if limitless and self._config.max_cost is not None:
                remedy = "no reply's length can be limited, nor what it costs: run without --max-cost"
                raise self.sender.failure(answer._replace(kind="config", remedy=remedy), attempts)

    def _learn(self, form: CallForm, lesson: Dialect) -> None:
        """Keep what a request taught that was answered; log-probabilities are refused in its form alone."""
        if "logprobs" in lesson.refused:
            self._forms_without_logprobs |= {form}
        self._kept.learn(lesson.model_copy(update={"refused": lesson.refused - NO_LOGPROBS.refused}))

    def _see_that_all_was_seen(
        self, kind: tuple[CallForm, str], answer: Completion, messages: Sequence[Mapping[str, Any]]
    ) -> None:
        """Hold a request against the tokens that the model saw of it, if none of its kind was longer."""
        reported = answer.prompt_tokens
        texts = [_text(message.get("content")) for message in messages]
        length = sum(map(len, texts))
        if reported is None or length <= self._longest_seen.get(kind, 0):
            return
        least = sum(map(estimate_tokens, texts)) - sum(map(tokens_too_many, texts))
        if least >= TELLING_TOKENS and reported < least / 2:
            raise self.sender.stop(
                f"it reports {reported} prompt tokens, less than half of what it was sent, so it has not "
                "seen all that it was asked about: raise its context length (num_ctx with Ollama), give its "
                "server a chat template that shows every message, or use another model"
            )
        self._longest_seen[kind] = length

    def _wanted(self, form: CallForm, question: Question, *, long: bool) -> dict[str, Any]:
        """The parameters of a request; a reply may take twice of what is expected, and a bit more."""
        config, word = self._config, form == "word"
        expected = forms.expected_tokens(question.schema)
        limit = config.max_tokens if expected is None else min(config.max_tokens, 2 * expected + ROOM)
        if long:
            limit = RAISE * config.max_tokens if self._kept.known.thinks else config.max_tokens
        wanted = {"temperature": question.temperature, "max_tokens": forms.WORD_TOKENS if word else limit}
        if question.logprobs and question.schema.choices:
            alternatives = forms.WORD_ALTERNATIVES if word else forms.ALTERNATIVES
            wanted |= {"logprobs": True, "top_logprobs": alternatives}
        return wanted

    def _unusable(self, answer: Completion, problem: str, attempts: Attempts) -> UnusableReplyError:
        reason = answer.blocked or problem
        excerpt = fit_to_show(answer.said, self._transport.key)
        told = {
            "content filter": "the provider's content filter stopped the reply",
            "refusal": f"the model refused: {excerpt}",
            "empty": "the reply is empty",
            "malformed": f"the reply holds no arguments, but: {excerpt}",
        }
        message = told.get(reason, f"{problem}: {excerpt}")
        return UnusableReplyError(
            message, reason=reason if reason in told else "malformed", attempts=attempts.count
        )


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content) if content else ""
