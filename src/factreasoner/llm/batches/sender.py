"""Requests that go into batches, in the place of those that are sent at once."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping
from typing import Any

from factreasoner.errors import LLMError, PendingError, ProviderError, UnusableReplyError
from factreasoner.llm.batches.folder import BatchFolder, UsageOf
from factreasoner.llm.dialect import Dialect, Wanted
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.responses import Completion
from factreasoner.llm.send import Attempts, FormRefusedError
from factreasoner.llm.transport import TOO_LONG, Transport, load
from factreasoner.llm.usage import record_usage
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

WORDED = frozenset({"openai", "hosted_vllm"})
"""Providers whose requests litellm puts in OpenAI's words: it knows which parameters a model takes."""


class ResultError(Exception):
    """An error that a batch's results hold in the place of a completion."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status_code = status


class BatchSender:
    """Answers requests from the results of batches, and has those made that are in none.

    What one call's results teach (a parameter refused) holds for that call alone: so the same results lead
    to the same requests, in whatever order and however often a run goes through them. A result that is an
    error which may pass is asked for again, `max_attempts` times in all; one that the user must mend
    is a failure, as the next command asks again.
    """

    def __init__(self, config: Config, transport: Transport, batches: BatchFolder) -> None:
        self._config = config
        self._transport = transport
        self._batches = batches

    def answer(
        self, content: Mapping[str, Any], wanted: Wanted, *, form: CallForm, attempts: Attempts
    ) -> Completion:
        """The answer to a request of `content` (messages, tools, response format) in call form `form`.

        Raises:
            PendingError: it comes with a batch.
            FormRefusedError: the provider has no such form.
            UnusableReplyError: the provider says that the model's reply is of no use.
            ProviderError: there is no answer; `attempts` counts the requests of the whole `attempts`.
        """
        dialect, room, tries = Dialect(), None, 0
        while True:
            request = dialect.request(content, wanted, room=room)
            answer = self._answer(request, form, wanted, attempts)
            if isinstance(answer, Completion):
                return answer
            if answer.kind == "form":
                raise FormRefusedError(answer.message)
            tries += 1
            if answer.kind == "dialect":
                dialect, room = dialect.learnt(answer.lesson), answer.room or room
            elif answer.kind != "retry" or tries >= self._config.max_attempts:
                raise _failure(answer, attempts)

    def _answer(
        self, request: Mapping[str, Any], form: CallForm, wanted: Wanted, attempts: Attempts
    ) -> Completion | ProviderFault:
        def fault(error: Exception) -> ProviderFault:
            fixed = wanted.extra.keys()
            return fault_of(error, form=form, request=request, fixed=fixed, secret=self._transport.key)

        custom_id = f"{attempts.key}-{attempts.count}"
        result = self._batches.result(custom_id)
        if result is None:
            try:
                body = body_of(self._transport, request)
            except Exception as error:  # noqa: BLE001 - litellm's, of a parameter; it is classified
                return fault(error)
            model = str(self._config.model)
            self._batches.ask(
                model, custom_id, body, most_cost=self._transport.most_cost(request, self._config.max_tokens)
            )
            raise PendingError(f"{custom_id}: goes into the next batch")
        attempts.count += 1
        if result.completion is None:
            found = fault(ResultError(result.problem, result.status))
            if found.kind == "sample":
                attempts.budget.spend()
            return found
        answer = answer_of(self._transport, result.completion, request)
        attempts.usage += answer.usage
        record_usage(answer.usage)
        attempts.budget.spend()
        return answer


def _failure(fault: ProviderFault, attempts: Attempts) -> LLMError:
    if fault.kind == "sample":
        return UnusableReplyError(fault.message, reason="malformed", attempts=attempts.count)
    status = "" if fault.status is None else f"status {fault.status}: "
    remedy = "" if fault.remedy in ("", "key", "connection") else f"; {fault.remedy}"
    return ProviderError(f"{status}{fault.message.rstrip('.')}{remedy}", attempts=attempts.count)


def body_of(provider: Transport, request: Mapping[str, Any]) -> dict[str, Any]:
    """The request in OpenAI's words, the model under its bare name.

    Raises whatever litellm raises of a parameter that the model is known not to take.
    """
    worded = copy.deepcopy(dict(request))
    messages = worded.pop("messages")
    if provider.provider in WORDED:
        worded = load().utils.get_optional_params(
            model=provider.bare,
            custom_llm_provider=provider.provider,
            allowed_openai_params=provider.untold(request),
            **worded,
        )
        worded.pop("stream", None)
        worded |= worded.pop("extra_body", None) or {}
    return {"model": provider.bare, "messages": messages, **worded}


def answer_of(provider: Transport, completion: Mapping[str, Any], request: Mapping[str, Any]) -> Completion:
    """What a completion says; one that is longer than any answer is not read, as where it is sent at once."""
    from factreasoner.llm.session import MOST_SAID  # with litellm, which takes its time to import

    choices = completion["choices"]
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    logprobs = first.get("logprobs")
    said = {**completion, "choices": [{key: value for key, value in first.items() if key != "logprobs"}]}
    if not first or len(json.dumps(said)) > MOST_SAID:
        said = TOO_LONG if first else {**completion, "choices": []}
    return provider.completion(said, request, logprobs)


def counting(config: Config) -> UsageOf:
    """What counts what completions took, at the price of batches."""

    @functools.cache
    def provider(model: str) -> Transport:
        return Transport(model, config.api_base, config.api_key_env, batch=True)

    return lambda model, completion, body: answer_of(provider(model), completion, body).usage
