"""A client for any model that litellm knows, and several models as one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from factreasoner.calls.cache import Answerers, key_of
from factreasoner.calls.limits import SharedLimits
from factreasoner.calls.usage import CACHED, record_usage
from factreasoner.errors import ConfigError, LLMError, UnusableReplyError
from factreasoner.llm.ask import MOST_FACTS, current_budget
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.capabilities import KeptCapabilities, Memory
from factreasoner.llm.form_search import FormSearch, Question
from factreasoner.llm.send import SECONDS_BETWEEN_PROBES, Attempts, Sender
from factreasoner.llm.settings import LLMSettings
from factreasoner.llm.transport import Transport
from factreasoner.models import Probe
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM


class Panel:
    """Models that judge together, by name; the first one also does everything else."""

    def __init__(self, members: Mapping[str, LLM]) -> None:
        self.members = dict(members)
        self._first = next(iter(self.members.values()))

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """The first model's answer; see `LLM`."""
        return self._first.call(prompt, schema, sample=sample, logprobs=logprobs)

    @property
    def facts_per_call(self) -> int:
        """How many facts the first model can judge per call."""
        return int(getattr(self._first, "facts_per_call", MOST_FACTS))

    @property
    def settled(self) -> bool:
        """Whether it is known how to call each model."""
        return all(bool(getattr(member, "settled", True)) for member in self.members.values())


SAMPLE_TEMPERATURE = 0.7
KEY_LENGTH = 40
"""Key characters in batch request ids: some providers allow 64 in all."""

log = logging.getLogger(__name__)


class Prober(NamedTuple):
    """Probes how many facts a model can judge per call; `key` names the prompts it is valid for."""

    key: str
    probe: Callable[[LLM], Probe]


class LiteLLMClient:
    """A language model through litellm; one object serves all threads.

    A model name without a provider, together with `api_base`, means an OpenAI-compatible server. Clients may
    share `shared`; `memory` keeps the model's capabilities; `batches` takes the requests with the setting
    `batch`; `prober` finds how many facts the model can judge per call.

    Raises ConfigError: no model, a named key that is not set, an unusable cache, or batches without a folder.
    """

    def __init__(
        self,
        config: LLMSettings,
        *,
        shared: SharedLimits | None = None,
        memory: Memory | None = None,
        batches: BatchFolder | None = None,
        prober: Prober | None = None,
    ) -> None:
        if config.first_model is None:
            raise ConfigError("model: a language model is needed here: add `model=NAME`")
        if config.batch != "none" and batches is None:
            raise ConfigError(
                "batch: batches need a run folder: `run`, `recall`, `rag` or `verify` of a file"
            )
        self._config, self._batches = config, batches
        self.shared = shared or SharedLimits(config)
        self._cache = self.shared.cache
        transport = Transport(
            config.first_model, config.api_base, config.api_key_env, batch=batches is not None
        )
        scored = config.confidence in ("auto", "logprobs")
        asked = [config.first_model, config.api_base, config.form, config.model_param, scored, config.mode]
        note, kept_in = key_of(["capabilities", *asked]), self._cache if batches is None else None
        self.kept = KeptCapabilities(config.first_model, note, kept_in, memory)
        self._sender: Sender | BatchSender = (
            Sender(config, self.shared, transport)
            if batches is None
            else BatchSender(config, transport, batches)
        )
        self._answerers = Answerers(config.first_model)
        self._search = FormSearch(config, transport, self._sender, self.kept)
        self._probing = threading.RLock()
        self._prober = None if batches is not None else prober
        self._facts: int | None = None
        self._probes_left, self._probe_due = 4, 0.0

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """The answer from the model, the cache, or another thread with the same question.

        Raises:
            LLMError: no usable answer; `attempts` counts the requests.
            ConfigError: the key, the model name or the price is missing or wrong.
            BudgetError: the call could exceed `max_cost`.
            PendingError: the answer comes with a batch.
        """
        config, batches = self._config, self._batches
        temperature = max(config.temperature, SAMPLE_TEMPERATURE if sample else 0.0)
        decisive = [
            [config.first_model, config.api_base, config.form, temperature, config.max_tokens],
            config.model_param,
            [prompt.system, prompt.user, prompt.fingerprint],
            [example.model_dump() for example in prompt.examples],
            schema.model_dump(),
            [sample, logprobs],
        ]
        key = key_of(decisive)
        short_key = key[:KEY_LENGTH]

        def ask() -> Reply:
            question = Question(prompt, schema, temperature, logprobs)
            return self._search.answer(question, Attempts(current_budget(), config.max_attempts, short_key))

        renew = batches is not None and batches.holds(short_key)
        reply = self._cache.get_or_ask(key, schema, ask, renew=renew)
        self._answerers.note(reply)
        if reply.usage.cached_calls:
            record_usage(CACHED)
        if batches is not None and renew:
            batches.take(short_key)
        return reply

    def close(self) -> None:
        """Close the cache. Later calls work without it."""
        self._cache.close()

    @property
    def settled(self) -> bool:
        """Whether it is known how to call the model; until then calls are made one by one."""
        known = bool(self.kept.known.forms) and (self._prober is None or self._facts is not None)
        return self._batches is not None or known or self._sender.stopped

    @property
    def facts_per_call(self) -> int:
        """How many facts the model can judge per call: probed, again if its server was down."""
        prober = self._prober
        if prober is None:
            return MOST_FACTS
        with self._probing:
            if self._facts is None:
                if time.monotonic() < self._probe_due:
                    return MOST_FACTS
                try:
                    found = self.kept.known.probes.get(prober.key) or prober.probe(self)
                except LLMError as error:
                    log.warning("can't tell how many facts the model can judge in one call: %s", error)
                    useless = isinstance(error, UnusableReplyError)
                    self._probes_left = 0 if useless else self._probes_left - 1
                    self._probe_due = time.monotonic() + SECONDS_BETWEEN_PROBES
                    self._facts = None if self._probes_left else MOST_FACTS
                    return MOST_FACTS
                self.kept.rely_on({prober.key: found})
                self._facts = found.facts_per_call
            return self._facts


def check_keys(config: LLMSettings) -> None:
    """Raise ConfigError if a model's provider needs a key that is not set, without a request."""
    for model in config.models:
        Transport(model, config.api_base, config.api_key_env).check_key()
