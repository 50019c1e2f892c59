"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.llm.allowance import allowance
from factreasoner.llm.cache import CACHED, ResponseCache, cache_folder, key_of
from factreasoner.llm.dialect import Wanted
from factreasoner.llm.faults import shown
from factreasoner.llm.forms import Form, Ladder, request_of
from factreasoner.llm.gate import Gate
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.reading import Answer, aligned, read
from factreasoner.llm.sending import FormRefusedError, Sender, Tally
from factreasoner.llm.usage import record_usage
from factreasoner.models import Usage

SAMPLE_TEMPERATURE = 0.7
RAISE = 4
"""By how much the limit of a reply's length is raised after one that it cut."""


class _Question(NamedTuple):
    """What one call asks for, whatever the form."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool


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
        backoff_seconds: the longest first wait before a retry; it doubles each time, up to 15.

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
        self._sender = Sender(config, self._gate, self._provider, backoff_seconds=backoff_seconds)
        self._raised = False
        self._ladder = Ladder()
        self._mute: frozenset[Form] = frozenset()

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
                config.model_parameters,
                [prompt.system, prompt.user, prompt.fingerprint],
                question.schema.model_dump(),
                [sample, question.logprobs],
            ]
        )

    def _ask(self, question: _Question) -> Reply:
        """Go down the ladder until an answer can be read."""
        tally = Tally(allowance())
        refused: list[Form] = []
        unusable: list[Form] = []
        answer: Answer | None = None
        for form in self._ladder.forms(skip_tool=question.logprobs and self._tool_is_mute()):
            if answer is not None and tally.allowance.left <= 0:
                break
            try:
                answer = self._long_enough(question, form, tally)
            except FormRefusedError:
                refused.append(form)
                continue
            reply = self._reply(answer, question, form, tally.usage)
            if reply is not None:
                self._ladder.learn(form, refused=refused, unusable=unusable)
                return reply
            if answer.blocked:
                break
            unusable.append(form)
        raise self._unusable(answer, tally)

    def _long_enough(self, question: _Question, form: Form, tally: Tally) -> Answer:
        """The answer in one form; the first of a planned call that is cut is asked for again, longer.

        A limit that has helped is kept for all later calls: a reasoning model needs it each time, and a reply
        that was not cut is the same under any limit.
        """
        content = request_of(form, question.prompt, question.schema)
        raised = self._raised or tally.allowance.raised
        answer = self._sender.answer(content, self._wanted(question, raised=raised), form=form, tally=tally)
        if answer.finish_reason != "length" or raised or tally.allowance.left <= 0:
            return answer
        tally.allowance.raised = True
        answer = self._sender.answer(content, self._wanted(question, raised=True), form=form, tally=tally)
        self._raised = self._raised or answer.finish_reason != "length"
        return answer

    def _wanted(self, question: _Question, *, raised: bool) -> Wanted:
        config = self._config
        return Wanted(
            temperature=question.temperature,
            max_tokens=config.max_tokens * (RAISE if raised else 1),
            logprobs=question.logprobs,
            extra=config.model_parameters,
        )

    def _unusable(self, answer: Answer | None, tally: Tally) -> UnusableReplyError:
        if answer is None:
            return UnusableReplyError("the provider takes no call form at all", attempts=tally.attempts)
        excerpt = shown(answer.said, self._provider.key)
        reason = answer.blocked or ("malformed" if excerpt else "empty")
        message = {
            "content filter": "the provider's content filter stopped the reply",
            "refusal": f"the model refused: {excerpt}",
            "empty": "the reply is empty",
        }.get(reason, f"the reply holds no arguments, but: {excerpt}")
        return UnusableReplyError(message, reason=reason, attempts=tally.attempts)

    def _tool_is_mute(self) -> bool:
        """Whether log-probabilities come with JSON but not with tool calls, as OpenAI does it."""
        if "logprobs" in self._sender.dialect.refused or "json_schema" in self._mute:
            return False
        return "tool" in self._mute or self._provider.is_openai

    def _reply(self, answer: Answer, question: _Question, form: Form, usage: Usage) -> Reply | None:
        if answer.blocked:
            return None
        if answer.finish_reason == "length":
            return Reply(arguments={}, truncated=True, form=form, usage=usage)
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
            usage=usage,
        )
