"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from factreasoner.config import Config
from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, ProviderError, UnusableReplyError
from factreasoner.llm.cache import CACHED, ResponseCache, cache_folder, key_of
from factreasoner.llm.deadline import turns, within
from factreasoner.llm.faults import Fault, fault_of, shown
from factreasoner.llm.forms import Form, Ladder, request_of
from factreasoner.llm.gate import Gate
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.reading import Answer, aligned, read
from factreasoner.llm.usage import record_usage
from factreasoner.models import Usage

SAMPLE_TEMPERATURE = 0.7
TOP_LOGPROBS = 10
LONGEST_BACKOFF = 60.0
TIMEOUT_STATUS = 408
TOO_MANY_STATUS = 429
CROWDED = 4
"""How many times longer to wait when the provider says it has too many requests, and not until when."""


class _Question(NamedTuple):
    """What one call asks for, whatever the form."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool


class _FaultError(Exception):
    """A request's classified error, on its way to whoever deals with it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Tally:
    """What one call has taken and learnt so far, over all its requests."""

    def __init__(self, dropped: frozenset[str]) -> None:
        self.attempts = 0
        self.usage = Usage()
        self.dropped = set(dropped)
        self.refused: list[Form] = []
        self.unusable: list[Form] = []


class LiteLLMClient:
    """A language model through litellm; one object serves all threads of a process.

    It adds what a run of thousands of calls needs: call forms, own retries, a deadline a request, limits on
    concurrency, rate and cost, a response cache, and usage by stage (see `Meter`).

    A model name without a provider, together with `api_base`, is taken for an OpenAI-compatible server. Such
    a server gets only the key that `api_key_env` names, never one that lies in the environment for another.

    Args:
        config: the settings.
        spent: US dollars already paid, which count towards `config.max_cost`.
        paid: told the US dollars of each answered request whose price is known.
        backoff_seconds: the longest first wait before a retry; it doubles each time, up to 60.

    Raises:
        ConfigError: no model, no key where one is named, or an unusable cache.
    """

    def __init__(
        self,
        config: Config,
        *,
        spent: float = 0.0,
        paid: Callable[[float], None] | None = None,
        backoff_seconds: float = 1.0,
    ) -> None:
        if config.model is None:
            raise ConfigError("model: a language model is needed here: add --model NAME")
        self._config = config
        self._provider = LiteLLMProvider(config.model, config.api_base, config.api_key_env)
        self._cache = ResponseCache(cache_folder(config)) if config.cache else None
        self._gate = Gate(config, self._provider, spent=spent, paid=paid)
        self._backoff = wait_random_exponential(multiplier=backoff_seconds, max=LONGEST_BACKOFF)
        self._ladder = Ladder()
        self._dropped: frozenset[str] = frozenset()
        self._mute: frozenset[Form] = frozenset()
        self._fatal: str | None = None
        self._stopped = threading.Event()

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """Ask once, or read the answer to the same question from the cache.

        Raises:
            LLMError: no usable answer came; `attempts` counts the requests.
            ConfigError: the key, the model name or the price is missing or wrong.
            BudgetError: the call could exceed `max_cost`.
        """
        temperature = self._config.temperature
        if sample > 0:
            temperature = max(temperature, SAMPLE_TEMPERATURE)
        question = _Question(prompt, schema, temperature, logprobs)
        if self._cache is None:
            return self._ask(question)
        found = self._cache.reply(self._key(question, sample), schema, lambda: self._ask(question))
        if not found.fresh:
            record_usage(CACHED)
        return found.reply

    @property
    def spent(self) -> float:
        """US dollars that count towards `max_cost`, 0 where there is no such limit."""
        return 0.0 if self._gate.budget is None else self._gate.budget.spent

    def close(self) -> None:
        """Close the cache. Calls made later go without it."""
        if self._cache is not None:
            self._cache.close()

    def _key(self, question: _Question, sample: int) -> str:
        config, prompt = self._config, question.prompt
        return key_of(
            [
                [config.model, config.api_base, question.temperature, config.max_tokens],
                [prompt.system, prompt.user, prompt.fingerprint],
                question.schema.model_dump(),
                [sample, question.logprobs],
            ]
        )

    def _ask(self, question: _Question) -> Reply:
        """Go down the ladder until an answer can be read."""
        tally = _Tally(self._dropped)
        for form in self._ladder.forms(skip_tool=question.logprobs and self._tool_is_mute()):
            try:
                answer = self._answer(question, form, tally)
            except _FaultError as error:
                fault = error.fault
            else:
                reply = self._reply(answer, question, form, tally)
                if reply is not None:
                    self._learn(form, tally)
                    return reply
                tally.unusable.append(form)
                continue
            if fault.kind != "form":
                raise self._failure(fault, tally)
            tally.refused.append(form)
        said = answer.content or " ".join(str(raw) for _, raw in answer.tool_calls)
        excerpt = shown(said, self._provider.key) or "nothing"
        raise UnusableReplyError(f"the reply holds no arguments, but: {excerpt}", attempts=tally.attempts)

    def _tool_is_mute(self) -> bool:
        """Whether log-probabilities come with JSON but not with tool calls, as OpenAI does it."""
        if "logprobs" in self._dropped or "json_schema" in self._mute:
            return False
        return "tool" in self._mute or self._provider.is_openai

    def _reply(self, answer: Answer, question: _Question, form: Form, tally: _Tally) -> Reply | None:
        if answer.finish_reason == "length":
            return Reply(arguments={}, truncated=True, form=form, usage=tally.usage)
        reading = read(answer, question.schema)
        if reading is None:
            return None
        if question.logprobs and answer.tokens is None:
            self._mute |= {form}
        return Reply(
            arguments=reading.arguments,
            text=reading.text,
            form=form,
            tokens=aligned(answer.tokens, reading.text) if question.logprobs else None,
            usage=tally.usage,
        )

    def _learn(self, form: Form, tally: _Tally) -> None:
        """Remember what the provider refused, now that the request is known to work without it."""
        self._ladder.learn(form, refused=tally.refused, unusable=tally.unusable)
        self._dropped |= tally.dropped

    def _answer(self, question: _Question, form: Form, tally: _Tally) -> Answer:
        """One form's answer, retried, without the optional parameters the provider refuses."""
        while True:
            retrying = Retrying(
                stop=stop_after_attempt(self._config.max_attempts),
                retry=retry_if_exception(lambda e: isinstance(e, _FaultError) and e.fault.kind == "retry"),
                wait=self._wait,
                sleep=self._sleep,
                reraise=True,
            )
            try:
                return retrying(self._attempt, self._request(question, form, tally), form, tally)
            except _FaultError as error:
                if error.fault.kind != "parameter":
                    raise
                tally.dropped |= error.fault.parameters

    def _request(self, question: _Question, form: Form, tally: _Tally) -> dict[str, Any]:
        optional: dict[str, Any] = {
            "temperature": question.temperature,
            "max_tokens": self._config.max_tokens,
        }
        if question.logprobs:
            optional["logprobs"] = True
        request = {name: value for name, value in optional.items() if name not in tally.dropped}
        if "logprobs" in request:
            request["top_logprobs"] = TOP_LOGPROBS
        return request_of(form, question.prompt, question.schema) | request

    def _attempt(self, request: Mapping[str, Any], form: Form, tally: _Tally) -> Answer:
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

    def _failure(self, fault: Fault, tally: _Tally) -> ConfigError | LLMError:
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
