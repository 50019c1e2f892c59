"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.llm.cache import CACHED, ResponseCache, cache_folder, key_of
from factreasoner.llm.faults import shown
from factreasoner.llm.forms import Form, Ladder, request_of
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.reading import Answer, aligned, read
from factreasoner.llm.sending import FormRefusedError, Sender, Tally, Wanted
from factreasoner.llm.usage import record_usage
from factreasoner.models import Usage

SAMPLE_TEMPERATURE = 0.7


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
        self._sender = Sender(config, self._provider, spent=spent, paid=paid, backoff_seconds=backoff_seconds)
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
        return self._sender.spent

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
        tally = Tally()
        refused: list[Form] = []
        unusable: list[Form] = []
        said = ""
        for form in self._ladder.forms(skip_tool=question.logprobs and self._tool_is_mute()):
            content = request_of(form, question.prompt, question.schema)
            wanted = Wanted(question.temperature, question.logprobs)
            try:
                answer = self._sender.answer(content, wanted, form=form, tally=tally)
            except FormRefusedError:
                refused.append(form)
                continue
            reply = self._reply(answer, question, form, tally.usage)
            if reply is not None:
                self._ladder.learn(form, refused=refused, unusable=unusable)
                return reply
            unusable.append(form)
            said = answer.content or " ".join(str(raw) for _, raw in answer.tool_calls)
        excerpt = shown(said, self._provider.key) or "nothing"
        raise UnusableReplyError(f"the reply holds no arguments, but: {excerpt}", attempts=tally.attempts)

    def _tool_is_mute(self) -> bool:
        """Whether log-probabilities come with JSON but not with tool calls, as OpenAI does it."""
        if "logprobs" in self._sender.dropped or "json_schema" in self._mute:
            return False
        return "tool" in self._mute or self._provider.is_openai

    def _reply(self, answer: Answer, question: _Question, form: Form, usage: Usage) -> Reply | None:
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
