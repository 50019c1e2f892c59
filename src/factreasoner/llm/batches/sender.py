"""Requests that go into batches instead of being sent at once."""

from __future__ import annotations

import copy
import functools
from collections.abc import Collection, Mapping
from typing import Any

from factreasoner.errors import ConfigError, LLMError, PendingError, RunError
from factreasoner.llm.batches.folder import BatchFolder, UsageOf
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.responses import MOST_SAID, Completion
from factreasoner.llm.send import Attempts
from factreasoner.llm.transport import TOO_LONG, Transport, load
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

WORDED = frozenset({"openai", "hosted_vllm"})
"""Providers whose requests litellm writes as OpenAI's: it knows which parameters a model takes."""


class _ResultError(Exception):
    """An error that a batch's results hold instead of a completion."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status_code = status


class BatchSender:
    """Answers requests from the results of batches, and puts those without one into the next batch.

    A result that is a passing error is asked for again, `max_attempts` times in all. An error that only the
    user can mend is a failure: the next command asks again.
    """

    stopped = False

    def __init__(self, config: Config, transport: Transport, batches: BatchFolder) -> None:
        self._config, self._transport, self._batches = config, transport, batches

    def tried(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """The answer to a request, or the fault; PendingError if it comes with a later batch."""
        for _ in range(self._config.max_attempts):
            try:
                return self._result(request, attempts)
            except (PendingError, ConfigError, RunError):
                raise
            except Exception as error:  # noqa: BLE001 - from a result, or litellm's about a parameter
                secret = self._transport.key
                fault = fault_of(error, form=form, request=request, fixed=fixed, secret=secret)
            if fault.kind == "sample":
                attempts.budget.left -= 1
            if fault.kind != "retry":
                break
        return fault

    def _result(self, request: Mapping[str, Any], attempts: Attempts) -> Completion:
        custom_id = f"{attempts.key}-{attempts.count}"
        result = self._batches.result(custom_id)
        if result is None:
            most = self._transport.most_cost(request, self._config.max_tokens)
            self._batches.ask(str(self._config.model), custom_id, self._body(request), most_cost=most)
            raise PendingError(f"{custom_id}: goes into the next batch")
        attempts.count += 1
        if result.completion is None:
            raise _ResultError(result.problem, result.status)
        answer = self._transport.completion(result.completion, request)
        if len(answer.said) > MOST_SAID:  # as when it is sent at once
            answer = answer._replace(content=TOO_LONG, tool_calls=())
        attempts.pay(answer)
        return answer

    def _body(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a request as OpenAI has it. Raises what litellm raises about a parameter."""
        transport, worded = self._transport, copy.deepcopy(dict(request))
        messages = worded.pop("messages")
        if transport.provider in WORDED:
            worded = load().utils.get_optional_params(
                model=transport.bare,
                custom_llm_provider=transport.provider,
                allowed_openai_params=transport.untold(request),
                **worded,
            )
            worded.pop("stream", None)
            worded |= worded.pop("extra_body", None) or {}
        return {"model": transport.bare, "messages": messages, **worded}

    def stop(self, reason: str) -> ConfigError:
        """The error for a reason that only the user can mend."""
        return ConfigError(f"model {self._config.model}: {reason}")

    def failure(self, fault: ProviderFault, attempts: Attempts) -> LLMError:
        """The exception for a final fault."""
        return fault.error(attempts.count, "" if fault.remedy in ("key", "connection") else fault.remedy)


def counting(config: Config) -> UsageOf:
    """A function for the usage of completions, at the price of batches."""

    @functools.cache
    def provider(model: str) -> Transport:
        return Transport(model, config.api_base, config.api_key_env, batch=True)

    return lambda model, completion, body: provider(model).completion(completion, body).usage
