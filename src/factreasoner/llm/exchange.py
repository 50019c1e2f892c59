"""One question asked in one form: a request, its reply, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import CallTimeoutError, UnseenError, UnusableReplyError
from factreasoner.llm import forms
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.capabilities import KeptCapabilities
from factreasoner.llm.dialect import Wanted
from factreasoner.llm.faults import shown as fit_to_show
from factreasoner.llm.form_search import Tried
from factreasoner.llm.replies import parse
from factreasoner.llm.responses import Completion
from factreasoner.llm.send import Attempts, FormRefusedError, Sender
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


class Question(NamedTuple):
    """What one call asks, whatever the form. `key` names it in the cache."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool
    key: str


class Exchange:
    """Asks a question in one form, and once more where the reply is cut and a longer one is to be had.

    With `batches` requests go there in the place of being sent.
    """

    def __init__(
        self,
        config: Config,
        transport: Transport,
        sender: Sender,
        batches: BatchSender | None,
        kept: KeptCapabilities,
    ) -> None:
        self._config = config
        self._transport = transport
        self._sender = sender
        self._answers = sender if batches is None else batches
        self._kept = kept
        self._learns = batches is None
        self._helped = False
        """Whether a longer limit has helped; it is kept for all later calls."""
        self._longest_seen: dict[tuple[CallForm, str], int] = {}
        """Characters of the longest request that the model saw whole, by form and prompt."""

    def ask(self, form: CallForm, question: Question, attempts: Attempts) -> Tried:
        """What comes of a question in one form.

        Raises:
            FormRefusedError: the provider takes no requests of this form.
            ConfigError: the model does not see the whole question.
            LLMError: no answer came; `attempts` counts the requests of the whole call.
        """
        if attempts.count and attempts.budget.left <= 0:
            problem = UnusableReplyError("no more replies than these are paid for", attempts=attempts.count)
            return Tried(form, None, problem, final=True)
        content = forms.request(form, question.prompt, question.schema, marked=self._transport.wants_marks)
        answer = self._long_enough(form, content, question, attempts)
        self._see_that_all_was_seen((form, question.prompt.fingerprint), answer, content["messages"])
        if answer.cut and form != "word" and not answer.blocked:
            reply = Reply(arguments={}, truncated=True, form=form, usage=attempts.usage)
            return Tried(form, reply, obeyed=False)
        parsed = parse(form, answer, question.schema)
        if answer.blocked or parsed.problem:
            problem = self._unusable(answer, parsed.problem, attempts)
            return Tried(form, None, problem, final=bool(answer.blocked))
        reply = parsed.reply(form, answer).model_copy(update={"usage": attempts.usage})
        if not question.logprobs:
            reply = reply.model_copy(update={"chances": None})
        return Tried(form, reply, obeyed=parsed.obeyed)

    def ask_unless_refused(self, form: CallForm, question: Question, attempts: Attempts) -> Tried:
        """As `ask`; a form that the provider does not take is one more that does not do.

        Raises:
            ConfigError: it is the one that the settings name.
        """
        try:
            return self.ask(form, question, attempts)
        except FormRefusedError as error:
            if self._config.form == form:
                remedy = f"choose another form than --form {form}"
                raise self._sender.stop(f"{error}; {remedy}") from None
            return Tried(form, None, refused(form, error, attempts))

    def _long_enough(
        self, form: CallForm, content: dict[str, object], question: Question, attempts: Attempts
    ) -> Completion:
        """The answer in one form; one that is cut, once more and longer.

        Where the form is still searched for, only a model that thinks is asked again.
        """
        long = self._helped or self._kept.known.thinks or attempts.budget.raised
        wanted = self._wanted(form, question, long=long)
        answer = self._answers.answer(content, wanted, form=form, attempts=attempts)
        if answer.thinks and not self._kept.known.thinks:
            self._kept.keep(self._sender.dialect, thinks=True)
        searching = forms.kind_of(question.schema) not in self._kept.known.forms
        if not answer.cut or attempts.budget.left <= 0 or form == "word" or attempts.budget.too_slow:
            return answer
        longer = self._wanted(form, question, long=True)
        if longer.max_tokens <= wanted.max_tokens or (searching and not answer.thinks):
            return answer
        attempts.most_timeouts = attempts.timeouts + 1
        try:
            answer = self._answers.answer(content, longer, form=form, attempts=attempts)
        except CallTimeoutError:
            attempts.budget.raised, attempts.budget.too_slow = False, True
            return answer
        attempts.budget.raised = True
        self._helped = self._helped or (not answer.cut and self._learns)
        return answer

    def _see_that_all_was_seen(
        self, kind: tuple[CallForm, str], answer: Completion, messages: Sequence[Mapping[str, Any]]
    ) -> None:
        """Hold a request against the tokens that the model saw of it, if none of its kind was longer."""
        reported = answer.prompt_tokens
        texts = [_text(message.get("content")) for message in messages]
        length = sum(map(len, texts))
        if reported is None or length <= self._longest_seen.get(kind, 0):
            return
        if sees_too_little(reported, texts):
            raise self._sender.stop(str(_unseen(reported))) from None
        self._longest_seen[kind] = length

    def _wanted(self, form: CallForm, question: Question, *, long: bool) -> Wanted:
        """The parameters of a request; a reply may take twice of what is expected, and a bit more."""
        config = self._config
        expected = forms.expected_tokens(question.schema)
        limit = config.max_tokens if expected is None else min(config.max_tokens, 2 * expected + ROOM)
        if long:
            limit = RAISE * config.max_tokens if self._kept.known.thinks else config.max_tokens
        if form == "word":
            limit = forms.WORD_TOKENS
        return Wanted(
            temperature=question.temperature,
            max_tokens=limit,
            logprobs=question.logprobs and bool(question.schema.choices),
            extra=config.model_parameters,
            alternatives=forms.WORD_ALTERNATIVES if form == "word" else forms.ALTERNATIVES,
        )

    def _unusable(self, answer: Completion, problem: str, attempts: Attempts) -> UnusableReplyError:
        excerpt = fit_to_show(answer.said, self._transport.key)
        reason = answer.blocked or (problem if problem in ("empty", "malformed") else "malformed")
        message = {
            "content filter": "the provider's content filter stopped the reply",
            "refusal": f"the model refused: {excerpt}",
            "empty": "the reply is empty",
        }.get(reason, f"the reply holds no arguments, but: {excerpt}")
        if problem not in ("empty", "malformed", ""):
            message = f"{problem}: {excerpt}"
        return UnusableReplyError(message, reason=reason, attempts=attempts.count)


def refused(form: CallForm, error: FormRefusedError, attempts: Attempts) -> UnusableReplyError:
    """What a refused form means for a call that has no other."""
    return UnusableReplyError(
        f"call form {form} is refused ({error}); try another --form", attempts=attempts.count
    )


def sees_too_little(reported: int, texts: Sequence[str]) -> bool:
    """Whether a model reports less than half of the prompt tokens that its messages alone must take."""
    least = sum(map(estimate_tokens, texts)) - sum(map(tokens_too_many, texts))
    return least >= TELLING_TOKENS and reported < least / 2


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content) if content else ""


def _unseen(reported: int | None) -> UnseenError:
    return UnseenError(
        f"it reports {reported} prompt tokens, less than half of what it was sent, so it has not seen all "
        "that it was asked about: raise its context length (num_ctx with Ollama), give its server a chat "
        "template that shows every message, or use another model"
    )
