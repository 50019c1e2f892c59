"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

import threading

from pydantic import ValidationError

from factreasoner.errors import (
    ConfigError,
    LLMError,
    ProviderError,
    UnseenError,
    UnusableReplyError,
)
from factreasoner.llm.abilities import Abilities, Memory, tells
from factreasoner.llm.allowance import allowance
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.budget import Account
from factreasoner.llm.cache import cache_of, key_of
from factreasoner.llm.commons import Commons
from factreasoner.llm.exchange import Exchange
from factreasoner.llm.forms import request_of
from factreasoner.llm.gate import Gate
from factreasoner.llm.learning import CallRequest, Learner, ProbeResult, seen, to_be_listed
from factreasoner.llm.litellm_provider import LiteLLMProvider
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.sending import CallTally, FormRefusedError, Sender
from factreasoner.llm.sharing import CACHED, Sharing
from factreasoner.llm.usage import record_usage
from factreasoner.settings import Config

SAMPLE_TEMPERATURE = 0.7
KEY_LENGTH = 40
"""Characters of a question's key that stand in the ids of its requests in batches: some providers take 64."""


class LiteLLMClient:
    """A language model through litellm; one object serves all threads of a process.

    It adds what a run of thousands of calls needs: call forms, own retries, a deadline a request, limits on
    concurrency, rate and cost, a response cache, and usage by stage (see `Meter`).

    A model name without a provider, together with `api_base`, is taken for an OpenAI-compatible server. Such
    a server gets only the key that `api_key_env` names, never one that lies in the environment for another.

    Args:
        config: the settings.
        account: what its requests are paid from; without it `config.max_cost` is the limit.
        memory: keeps how the model is asked, once that is found out; the cache does too.
        gate: that of another model's client; slots, limits and account are shared with it.
        batches: where requests go, and answers come from, with the setting `batch`.
        commons: account, memory, limits and cache that other processes share too.
        backoff_seconds: the longest first wait before a retry; it doubles each time, up to 15.

    Raises:
        ConfigError: no model, no key where one is named, an unusable cache, or no place for batches.
    """

    def __init__(
        self,
        config: Config,
        *,
        account: Account | None = None,
        memory: Memory | None = None,
        gate: Gate | None = None,
        batches: BatchFolder | None = None,
        commons: Commons | None = None,
        backoff_seconds: float = 1.0,
    ) -> None:
        if config.model is None:
            raise ConfigError("model: a language model is needed here: add --model NAME")
        self._config = config
        if config.batch != "none" and batches is None:
            raise ConfigError(
                "batch: batches go with a run folder: `run`, `recall`, `rag` or `verify` of a file"
            )
        self._batches = batches
        self._provider = LiteLLMProvider(
            config.model, config.api_base, config.api_key_env, batch=batches is not None
        )
        self._cache = cache_of(config, commons)
        self._sharing = Sharing()
        self.gate = (
            gate.beside(self._provider)
            if gate is not None
            else _gate(config, self._provider, account, commons)
        )
        self._sender = Sender(config, self.gate, self._provider, backoff_seconds=backoff_seconds)
        self._exchange = Exchange(
            config,
            self._provider,
            self._sender if batches is None else BatchSender(config, self._provider, batches),
        )
        self._learner = Learner(config, tools_lack_logprobs=self._provider.lacks_logprobs_in_tools)
        self._learning = threading.Lock()
        self._memory = memory if commons is None else commons.memory
        scored = config.confidence in ("auto", "logprobs")
        asked = [config.model, config.api_base, config.form, config.model_parameters, scored]
        self._note = key_of(["abilities", *asked])
        self._abilities = self._recall()
        self._recalled = self._abilities is not None and batches is None
        if self._abilities is not None:
            self._sender.dialect = self._abilities.dialect

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """Ask once, or take the answer to the same question from the cache or from whoever asks it now.

        Raises:
            LLMError: no usable answer came; `attempts` counts the requests.
            ConfigError: the key, the model name or the price is missing or wrong.
            BudgetError: the call could exceed `max_cost`.
            PendingError: the answer comes with a batch.
        """
        temperature = self._config.temperature
        if sample > 0:
            temperature = max(temperature, SAMPLE_TEMPERATURE)
        question = CallRequest(prompt, schema, temperature, logprobs)
        key = self._key(question, sample)
        anew = self._batches is not None and self._batches.holds(key[:KEY_LENGTH])
        if self._cache is None:
            found = self._sharing.reply(key, lambda: None, lambda: self._ask(question, key))
        else:
            found = self._cache.reply(key, schema, lambda: self._ask(question, key), anew=anew)
        if not found.fresh:
            record_usage(CACHED)
        if anew and self._batches is not None:
            self._batches.take(key[:KEY_LENGTH])
        return found.reply

    @property
    def spent(self) -> float:
        """US dollars that count towards `max_cost`, 0 where there is no such limit."""
        budget = self.gate.account.budget
        return 0.0 if budget is None else budget.spent

    def close(self) -> None:
        """Close the cache. Calls made later go without it."""
        if self._cache is not None:
            self._cache.close()

    @property
    def abilities(self) -> Abilities | None:
        """How the model is asked; None until it is learnt."""
        return self._abilities

    @property
    def settled(self) -> bool:
        """Whether it is learnt how the model is asked; until then, calls should come one by one, in order.

        A model that can't be asked at all leaves nothing to learn.
        """
        return self._abilities is not None or self._sender.stopped

    def _key(self, question: CallRequest, sample: int) -> str:
        config, prompt = self._config, question.prompt
        return key_of(
            [
                [config.model, config.api_base, config.form, question.temperature, config.max_tokens],
                config.model_parameters,
                [prompt.system, prompt.user, prompt.fingerprint],
                [example.model_dump() for example in prompt.examples],
                question.schema.model_dump(),
                [sample, question.logprobs],
            ]
        )

    def _ask(self, question: CallRequest, key: str) -> Reply:
        tally = CallTally(allowance(), most_timeouts=self._config.max_attempts, key=key[:KEY_LENGTH])
        while True:
            known = self._abilities
            if known is None:
                with self._learning:  # one at a time; those that waited know by then
                    if self._abilities is None:
                        return self._learn(question, tally)
                continue
            try:
                reply = self._as_learnt(question, known, tally)
            except FormRefusedError as error:
                if not self._recalled:
                    message = f"call form {known.form} is refused ({error}); try another --form"
                    raise ProviderError(message, attempts=tally.attempts) from None
                self._forget(known)  # the server is not what it was in an earlier run
            else:
                self._recalled = False
                return reply

    def _learn(self, question: CallRequest, tally: CallTally) -> Reply:
        def ask(asked: CallRequest, way: Abilities) -> ProbeResult:
            return self._exchange.ask(asked, way, tally)

        try:
            lesson = self._learner.ask(question, ask)
        except UnseenError as error:
            raise self._sender.stop(str(error)) from None
        except FormRefusedError as error:
            remedy = f"choose another form than --form {self._config.form}"
            raise self._sender.stop(f"{error}; {remedy}") from None
        except LLMError:
            self._abilities = self._learner.despaired
            raise
        if lesson.settled:
            abilities = lesson.abilities.with_dialect(self._sender.dialect)
            if self._cache is not None:
                self._cache.note(self._note, abilities.model_dump_json())
            if self._memory is not None:
                self._memory.keep_abilities(str(self._config.model), abilities)
            self._abilities = abilities
        return lesson.reply

    def _as_learnt(self, question: CallRequest, known: Abilities, tally: CallTally) -> Reply:
        """The answer in the form that was learnt; facts that a reply shows were not seen are listed too.

        In a batch they are listed from the first where no reply could show it.
        """
        if self._batches is not None and known.form == "tool":
            listed = not tells(request_of("tool", question.prompt, question.schema), question.schema)
            known = known.model_copy(update={"listed": listed})
        shown = self._exchange.ask(question, known, tally)
        short = shown.sight == "short" if self._batches is None else to_be_listed(shown)
        if short and known.form == "tool" and not known.listed:
            shown = self._exchange.ask(question, known.model_copy(update={"listed": True}), tally)
        reply = seen(shown)
        if isinstance(reply, UnusableReplyError):
            raise reply
        return reply

    def _recall(self) -> Abilities | None:
        """What an earlier run learnt: this one's, or else any with the same model.

        With batches nothing is learnt: the same results are to lead to the same requests.
        """
        if self._batches is not None:
            return Abilities(form="tool" if self._config.form == "auto" else self._config.form)
        known = None if self._memory is None else self._memory.abilities(str(self._config.model))
        if known is not None or self._cache is None:
            return known
        stored = self._cache.noted(self._note)
        try:
            return None if stored is None else Abilities.model_validate_json(stored)
        except ValidationError:
            return None  # of another version

    def _forget(self, known: Abilities) -> None:
        with self._learning:
            if self._abilities is known:
                self._abilities, self._recalled = None, False


def _gate(
    config: Config, provider: LiteLLMProvider, account: Account | None, commons: Commons | None
) -> Gate:
    if commons is not None:
        return Gate(config, provider, commons.account, commons.turnstile)
    return Gate(config, provider, account or Account.limited(config.max_cost))
