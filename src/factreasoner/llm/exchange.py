"""One question put to a model in one call form, and its answer made a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factreasoner.choices import CallForm
from factreasoner.errors import CallTimeoutError, UnusableReplyError
from factreasoner.llm.abilities import Abilities, sight
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.dialect import Wanted
from factreasoner.llm.faults import shown as fit_to_show
from factreasoner.llm.forms import request_of
from factreasoner.llm.learning import CallRequest, ProbeResult
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.messages import Reply
from factreasoner.llm.reading import Completion, aligned, read
from factreasoner.llm.sending import CallTally, Sender
from factreasoner.settings import Config

RAISE = 4
"""By how much the limit of a reply's length is raised after one that it cut."""


class Exchange:
    """Words questions, has `sender` send them and reads the answers; any number of threads may share it."""

    def __init__(self, config: Config, provider: LiteLLMProvider, sender: Sender | BatchSender) -> None:
        self._config = config
        self._provider = provider
        self._sender = sender
        self._keeps_longer = isinstance(sender, Sender)
        self._raised = False

    def ask(self, question: CallRequest, way: Abilities, tally: CallTally) -> ProbeResult:
        """Ask a question in one way; a reply of no use is in the result, not raised.

        Raises:
            FormRefusedError: the provider takes no requests of this form.
            PendingError: the answer comes with a batch.
            LLMError: no answer came; `attempts` counts the requests of the whole `tally`.
            ConfigError, BudgetError: as the client's.
        """
        if tally.attempts and tally.allowance.left <= 0:
            raise UnusableReplyError("no more replies than these are paid for", attempts=tally.attempts)
        content = request_of(
            way.form,
            question.prompt,
            question.schema,
            listed=way.listed,
            marked=question.prompt.shared and self._provider.wants_marks,
        )
        if way.logprobs is False:
            question = question._replace(logprobs=False)
        answer = self._long_enough(content, question, way.form, tally)
        told = sight(answer.prompt_tokens, content, question.schema)
        return ProbeResult(self._reply(answer, question, way.form, tally), told, answer.prompt_tokens)

    def _long_enough(
        self, content: Mapping[str, Any], question: CallRequest, form: CallForm, tally: CallTally
    ) -> Completion:
        """The answer in one form; the first of a planned call that is cut is asked for again, longer.

        A limit that has helped is kept for all later calls: a reasoning model needs it each time, and a reply
        that was not cut is the same under any limit.
        """
        known = tally.allowance.raised or (RAISE if self._raised else None)
        wanted = self._wanted(question, raised=known or 1)
        answer = self._sender.answer(content, wanted, form=form, tally=tally)
        if answer.finish_reason != "length" or known is not None or tally.allowance.left <= 0:
            return answer
        longer = self._wanted(question, raised=RAISE)
        tally.most_timeouts = tally.timeouts + 1
        try:
            answer = self._sender.answer(content, longer, form=form, tally=tally)
        except CallTimeoutError:
            tally.allowance.raised = 1
            return answer
        tally.allowance.raised = RAISE
        if self._keeps_longer:
            self._raised = self._raised or answer.finish_reason != "length"
        return answer

    def _wanted(self, question: CallRequest, *, raised: int) -> Wanted:
        config = self._config
        return Wanted(
            temperature=question.temperature,
            max_tokens=config.max_tokens * raised,
            logprobs=question.logprobs,
            extra=config.model_parameters,
            only_with_logprobs=question.only_with_logprobs,
        )

    def _reply(
        self, answer: Completion, question: CallRequest, form: CallForm, tally: CallTally
    ) -> Reply | UnusableReplyError:
        if answer.finish_reason == "length" and not answer.blocked:
            return Reply(arguments={}, truncated=True, form=form, usage=tally.usage)
        reading = None if answer.blocked else read(answer, question.schema)
        if reading is None:
            return self._unusable(answer, tally)
        return Reply(
            arguments=reading.arguments,
            text=reading.text,
            form=form,
            tokens=aligned(answer.tokens, reading.text) if question.logprobs else None,
            usage=tally.usage,
        )

    def _unusable(self, answer: Completion, tally: CallTally) -> UnusableReplyError:
        excerpt = fit_to_show(answer.said, self._provider.key)
        reason = answer.blocked or ("malformed" if excerpt else "empty")
        message = {
            "content filter": "the provider's content filter stopped the reply",
            "refusal": f"the model refused: {excerpt}",
            "empty": "the reply is empty",
        }.get(reason, f"the reply holds no arguments, but: {excerpt}")
        return UnusableReplyError(message, reason=reason, attempts=tally.attempts)
