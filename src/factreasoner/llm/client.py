"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import NamedTuple

from factreasoner.errors import ConfigError, LLMError
from factreasoner.llm import forms
from factreasoner.llm.ask import current_budget
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.cache import Cache, key_of, worth_keeping
from factreasoner.llm.capabilities import Capabilities, FoundForm, KeptCapabilities
from factreasoner.llm.exchange import Exchange, Question, refused
from factreasoner.llm.form_search import FormSearch
from factreasoner.llm.limits import SharedLimits
from factreasoner.llm.send import Attempts, FormRefusedError, Sender
from factreasoner.llm.transport import Transport
from factreasoner.llm.usage import CACHED, record_usage
from factreasoner.models import Probe
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

SAMPLE_TEMPERATURE = 0.7
KEY_LENGTH = 40
"""Characters of a question's key that stand in the ids of its requests in batches: some providers take 64."""
MOST_FACTS = 32
"""Facts a call where nobody probes how many the model bears."""
MOST_QUESTIONS = 4
"""Questions without one usable answer after which a form is taken all the same."""

log = logging.getLogger(__name__)


class Prober(NamedTuple):
    """Finds out how many facts a model bears at once; `key` names the prompts that it holds for."""

    key: str
    probe: Callable[[LLM], Probe]


class LiteLLMClient:
    """A language model through litellm; one object serves all threads of a process.

    It adds what a run of thousands of calls needs: call forms, own retries, a deadline a request, limits on
    concurrency, rate and cost, a response cache, and usage by stage (see `Meter`).

    A model name without a provider, together with `api_base`, is taken for an OpenAI-compatible server. Such
    a server gets only the key that `api_key_env` names, never one that lies in the environment for another.

    Args:
        config: the settings.
        shared: limits, money, cache and memory that other clients share; without it those of `config`.
        batches: where requests go, and answers come from, with the setting `batch`.
        backoff_seconds: the longest first wait before a retry; it doubles each time, up to 15.

    Raises:
        ConfigError: no model, no key where one is named, an unusable cache, or no place for batches.
    """

    def __init__(
        self,
        config: Config,
        *,
        shared: SharedLimits | None = None,
        batches: BatchFolder | None = None,
        backoff_seconds: float = 1.0,
    ) -> None:
        if config.model is None:
            raise ConfigError("model: a language model is needed here: add --model NAME")
        if config.batch != "none" and batches is None:
            raise ConfigError(
                "batch: batches go with a run folder: `run`, `recall`, `rag` or `verify` of a file"
            )
        self._config = config
        self._batches = batches
        self.shared = shared or SharedLimits.of(config)
        self._cache: Cache = self.shared.cache
        self._transport = Transport(
            config.model, config.api_base, config.api_key_env, batch=batches is not None
        )
        self._sender = Sender(config, self.shared, self._transport, backoff_seconds=backoff_seconds)
        self._scored = config.confidence in ("auto", "logprobs")
        asked = [config.model, config.api_base, config.form, config.model_parameters, self._scored]
        note, kept_in = key_of(["capabilities", *asked]), self._cache if batches is None else None
        self._kept = KeptCapabilities(config.model, note, kept_in, self.shared.memory)
        self._sender.dialect = self._kept.known.dialect
        batched = None if batches is None else BatchSender(config, self._transport, batches)
        self._exchange = Exchange(config, self._transport, self._sender, batched, self._kept)
        self._questions = 0
        self._probing = threading.RLock()
        self._prober: Prober | None = None
        self._facts: int | None = None
        self._probes_left = 2

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
        key = self._key(prompt, schema, temperature, [sample, logprobs])
        question = Question(prompt, schema, temperature, logprobs, key)
        batches = self._batches
        anew = batches is not None and batches.holds(key[:KEY_LENGTH])
        found = self._cache.get_or_ask(key, schema, lambda: self._ask(question), anew=anew)
        if not found.fresh:
            record_usage(CACHED)
        if anew and batches is not None:
            batches.take(key[:KEY_LENGTH])
        return found.reply

    def close(self) -> None:
        """Close the cache. Calls made later go without it."""
        self._cache.close()

    @property
    def capabilities(self) -> Capabilities:
        """How the model is asked, as far as that is learnt."""
        return self._kept.known

    def adopt(self, known: Capabilities) -> None:
        """Keep what another client learnt of the same model."""
        self._kept.adopt(known)

    @property
    def settled(self) -> bool:
        """Whether it is learnt how the model is asked; until then, calls should come one by one, in order.

        A model that can't be asked at all leaves nothing to learn.
        """
        known = bool(self._kept.known.forms) and (self._prober is None or self._facts is not None)
        return self._batches is not None or known or self._sender.stopped

    def probed_by(self, prober: Prober | None) -> None:
        """Have `prober` find out how many facts the model bears at once, when that is first needed."""
        self._prober = prober

    @property
    def facts_per_call(self) -> int:
        """How many facts the model bears at once, probed where that is not known.

        Where it can't be probed, as its server is down, it is probed later once more.
        """
        prober = self._prober
        if prober is None or self._batches is not None:
            return MOST_FACTS
        with self._probing:
            if self._facts is None:
                found = self._kept.known.probes.get(prober.key) or self._probed(prober)
                if found is None:
                    return MOST_FACTS
                self._kept.keep(self._sender.dialect, probes={prober.key: found})
                self._facts = found.facts_per_call
            return self._facts

    def _probed(self, prober: Prober) -> Probe | None:
        """What a probe finds, None where there is no answer."""
        try:
            return prober.probe(self)
        except LLMError as error:
            log.warning("how many facts the model bears at once is not known: %s", error)
            self._probes_left -= 1
            if not self._probes_left:
                self._facts = MOST_FACTS
            return None

    def _key(self, prompt: Prompt, schema: FunctionSchema, temperature: float, rest: list[object]) -> str:
        config = self._config
        return key_of(
            [
                [config.model, config.api_base, config.form, temperature, config.max_tokens],
                config.model_parameters,
                [prompt.system, prompt.user, prompt.fingerprint],
                [example.model_dump() for example in prompt.examples],
                schema.model_dump(),
                rest,
            ]
        )

    def _ask(self, question: Question) -> Reply:
        attempts = Attempts(current_budget(), most_timeouts=self._config.max_attempts)
        attempts.key = question.key[:KEY_LENGTH]
        kind = forms.kind_of(question.schema)
        while True:
            found = self._kept.known.forms.get(kind)
            if found is None and self._batches is not None:
                order = self._forms(kind)
                found = FoundForm(form="tool" if "tool" in order else order[0])
            if found is None:
                with self._kept.lock:  # one at a time; those that waited know by then
                    if kind not in self._kept.known.forms:
                        return self._learn(kind, question, attempts)
                continue
            try:
                return self._settled(kind, found, question, attempts)
            except FormRefusedError as error:
                if not self._kept.forget(kind):  # else the server is not what it was in an earlier run
                    raise refused(found.form, error, attempts) from None

    def _forms(self, kind: forms.Kind) -> tuple[CallForm, ...]:
        json_first = self._config.api_base is not None
        json_first = json_first or (self._scored and self._transport.lacks_logprobs_in_tools)
        return forms.forms_of(kind, json_first=json_first, fixed=self._config.form)

    def _learn(self, kind: forms.Kind, question: Question, attempts: Attempts) -> Reply:
        """The answer to a question of a kind whose form is not known yet; the form is known then."""
        self._questions += 1
        order = self._forms(kind)
        scored = question._replace(logprobs=self._scored or question.logprobs)
        search = FormSearch(order, scored=self._scored)
        while (form := search.next()) is not None:
            search.note(self._exchange.ask_unless_refused(form, scored, attempts))
        best = search.found
        if best is None and (search.cut or self._questions >= MOST_QUESTIONS):
            # A schema is most often enforced.
            fallback: CallForm = "json_schema" if "json_schema" in order else order[0]
            self._kept.keep(self._sender.dialect, forms={kind: FoundForm(form=fallback)})
        if best is not None and best.reply is not None:
            logprobs = bool(best.reply.chances) if self._scored and question.schema.choices else None
            found = FoundForm(form=best.form, logprobs=logprobs)
            self._kept.keep(self._sender.dialect, forms={kind: found})
        reply = search.reply()
        return reply if question.logprobs else reply.model_copy(update={"chances": None})

    def _settled(self, kind: forms.Kind, found: FoundForm, question: Question, attempts: Attempts) -> Reply:
        """The answer in the form that was found; where that is of no use once, in the others."""
        if found.logprobs is False:
            question = question._replace(logprobs=False)
        search = FormSearch([found.form, *self._others(kind, found.form)], scored=False)
        while (form := search.next()) is not None:
            ask = self._exchange.ask if form == found.form else self._exchange.ask_unless_refused
            tried = ask(form, question, attempts)
            search.note(tried)
            reply = tried.reply if form == found.form else None
            if reply is not None and (reply.truncated or worth_keeping(reply, question.schema)):
                break  # what it lacks is asked for again, whether its form was obeyed or not
        self._kept.confirm(kind)
        return search.reply()

    def _others(self, kind: forms.Kind, form: CallForm) -> list[CallForm]:
        if self._batches is not None or self._config.form != "auto":
            return []
        return [other for other in self._forms(kind) if other not in (form, "word")]


def check_keys(config: Config) -> None:
    """Raise ConfigError where a model's provider wants a key and there is none; asks nobody."""
    for model in (str(config.model), *config.further_models):
        Transport(model, config.api_base, config.api_key_env).check_key()
