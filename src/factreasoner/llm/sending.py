"""One request to a model, sent until it is answered or can't be, and what its provider is found to refuse."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from factreasoner.config import Config
from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, ProviderError
from factreasoner.llm.deadline import turns, within
from factreasoner.llm.faults import Fault, fault_of
from factreasoner.llm.forms import Form
from factreasoner.llm.gate import Gate
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.reading import Answer
from factreasoner.llm.usage import record_usage
from factreasoner.models import Usage

TOP_LOGPROBS = 10
LONGEST_BACKOFF = 60.0
TIMEOUT_STATUS = 408
TOO_MANY_STATUS = 429
CROWDED = 4
"""How many times longer to wait when the provider says it has too many requests, and not until when."""


class FormRefusedError(Exception):
    """The provider does not take requests of this call form; the next one may do."""


class _FaultError(Exception):
    """A request's classified error, on its way to whoever deals with it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Tally:
    """What one call has taken so far, over all its requests."""

    def __init__(self) -> None:
        self.attempts = 0
        self.usage = Usage()


class Wanted(NamedTuple):
    """Parameters a call would like to be answered with; one its provider refuses is left out."""

    temperature: float
    logprobs: bool


class Sender:
    """Sends requests: retried, within a deadline and every limit, without what the provider refuses.

    A fault that only the user can mend ends this request and all later ones. `spent` and `paid` are the
    budget's, see `Gate`; `backoff_seconds` is the longest first wait before a retry.
    """

    def __init__(
        self,
        config: Config,
        provider: LiteLLMProvider,
        *,
        spent: float,
        paid: Callable[[float], None] | None,
        backoff_seconds: float,
    ) -> None:
        self._config = config
        self._provider = provider
        self._gate = Gate(config, provider, spent=spent, paid=paid)
        self._backoff = wait_random_exponential(multiplier=backoff_seconds, max=LONGEST_BACKOFF)
        self.dropped: frozenset[str] = frozenset()
        """Optional parameters the provider refuses."""
        self._fatal: str | None = None
        self._stopped = threading.Event()

    @property
    def spent(self) -> float:
        """US dollars that count towards `max_cost`, 0 where there is no such limit."""
        return 0.0 if self._gate.budget is None else self._gate.budget.spent

    def answer(self, content: Mapping[str, Any], wanted: Wanted, *, form: Form, tally: Tally) -> Answer:
        """The answer to a request of `content` (messages, tools, response format) in call form `form`.

        Raises:
            FormRefusedError: the provider has no such form.
            LLMError: no answer came; `attempts` counts the requests of the whole `tally`.
            ConfigError: the key, the model name or the price is missing or wrong.
            BudgetError: the request could exceed `max_cost`.
        """
        dropped = self.dropped
        while True:
            retrying = Retrying(
                stop=stop_after_attempt(self._config.max_attempts),
                retry=retry_if_exception(lambda e: isinstance(e, _FaultError) and e.fault.kind == "retry"),
                wait=self._wait,
                sleep=self._sleep,
                reraise=True,
            )
            request = self._request(content, wanted, dropped)
            try:
                answer = retrying(self._attempt, request, form, tally)
            except _FaultError as error:
                fault = error.fault
            else:
                self.dropped |= dropped  # now that the request is known to work without them
                return answer
            if fault.kind == "form":
                raise FormRefusedError(fault.message)
            if fault.kind != "parameter":
                raise self._failure(fault, tally)
            dropped |= fault.parameters

    def _request(
        self, content: Mapping[str, Any], wanted: Wanted, dropped: frozenset[str]
    ) -> Mapping[str, Any]:
        optional: dict[str, Any] = {"temperature": wanted.temperature, "max_tokens": self._config.max_tokens}
        if wanted.logprobs:
            optional["logprobs"] = True
        request = {name: value for name, value in optional.items() if name not in dropped}
        if "logprobs" in request:
            request["top_logprobs"] = TOP_LOGPROBS
        return {**content, **request}

    def _attempt(self, request: Mapping[str, Any], form: Form, tally: Tally) -> Answer:
        """Send one request, within every limit."""
        with self._gate.entered(request) as ticket:
            if self._fatal is not None:
                raise ConfigError(self._fatal)
            tally.attempts += 1
            try:
                answer = self._send(request, form)
            except _FaultError as error:
                if error.fault.status == TIMEOUT_STATUS:  # it may have been worked on, and paid for
                    ticket.keep()
                raise
            ticket.settle(answer.usage)
        tally.usage += answer.usage
        record_usage(answer.usage)
        return answer

    def _send(self, request: Mapping[str, Any], form: Form) -> Answer:
        timeout = self._config.timeout
        assert self._provider.ready
        try:  # the library's own limit comes second, and frees the abandoned thread
            return within(timeout, lambda: self._provider.complete(request, timeout=timeout + 1))
        except TimeoutError as error:
            fault = Fault("retry", str(error), TIMEOUT_STATUS)
        except Exception as error:
            optional = {"temperature", "logprobs"} | (
                {"max_tokens"} if self._config.max_cost is None else set()
            )
            fault = fault_of(error, form=form, optional=optional & request.keys(), secret=self._provider.key)
        # Raised here, outside the handler, so that no chain of causes leads to what the provider wrote.
        raise _FaultError(fault)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        assert isinstance(error, _FaultError)
        fault = error.fault
        if fault.retry_after is None:
            return self._backoff(state) * (CROWDED if fault.status == TOO_MANY_STATUS else 1)
        self._gate.pause(fault.retry_after)
        return fault.retry_after + random.uniform(0, 0.1 * fault.retry_after)

    def _sleep(self, seconds: float) -> None:
        any(self._stopped.wait(turn) for turn in turns(seconds))

    def _failure(self, fault: Fault, tally: Tally) -> ConfigError | LLMError:
        """The exception a fault becomes when it is final. One only the user can mend ends all other calls."""
        if fault.kind == "config":
            self._fatal = f"model {self._config.model}: {fault.message}; {self._remedy(fault)}"
            self._stopped.set()
            self._gate.open()
            return ConfigError(self._fatal)
        if fault.status == TIMEOUT_STATUS:
            return CallTimeoutError(fault.message, attempts=tally.attempts)
        status = "" if fault.status is None else f"status {fault.status}: "
        message = f"{fault.message.rstrip('.')}; {self._remedy(fault)}" if fault.remedy else fault.message
        return ProviderError(f"{status}{message}", attempts=tally.attempts)

    def _remedy(self, fault: Fault) -> str:
        if fault.remedy == "connection":
            return f"is {self._config.api_base or 'the server, or the network,'} up?"
        if fault.remedy == "key":
            if self._config.api_key_env:
                return f"check the key in ${self._config.api_key_env}"
            if self._config.api_base:
                return "name the variable that holds this server's key with --api-key-env"
            wanted = " or ".join(f"${name}" for name in self._provider.missing_keys)
            return f"set {wanted or 'the right key'}, or name the variable that holds it with --api-key-env"
        return fault.remedy
