"""Any model litellm knows, behind one synchronous call made for thousands of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import NamedTuple

from pydantic import ValidationError

from factreasoner.choices import CallForm
from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, UnseenError, UnusableReplyError
from factreasoner.llm import forms
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.budget import Account
from factreasoner.llm.cache import InFlight, cache_of, key_of, worth_keeping
from factreasoner.llm.commons import Commons
from factreasoner.llm.dialect import Wanted
from factreasoner.llm.faults import shown as fit_to_show
from factreasoner.llm.form_search import (
    MOST_QUESTIONS,
    Capabilities,
    FormSearch,
    FoundForm,
    Memory,
    Tried,
    sees_too_little,
)
from factreasoner.llm.gate import Gate
from factreasoner.llm.responses import Completion
from factreasoner.llm.retry_budget import current_budget
from factreasoner.llm.send import Attempts, FormRefusedError, Sender
from factreasoner.llm.transport import Transport
from factreasoner.llm.usage import CACHED, record_usage
from factreasoner.models import Probe
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM
from factreasoner.settings import Config

SAMPLE_TEMPERATURE = 0.7
KEY_LENGTH = 40
"""Characters of a question's key that stand in the ids of its requests in batches: some providers take 64."""
RAISE = 4
"""By how much `max_tokens` is raised for a model that thinks before it answers."""
ROOM = 100
"""Tokens that a reply may take beyond twice of what is expected of it."""


MOST_FACTS = 32
"""Facts a call where nobody probes how many the model bears."""


log = logging.getLogger(__name__)


class Prober(NamedTuple):
    """Finds out how many facts a model bears at once; `key` names the prompts that it holds for."""

    key: str
    probe: Callable[[LLM], Probe]


class Question(NamedTuple):
    """What one call asks, whatever the form. `key` names it in the cache."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool
    key: str


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
        if config.batch != "none" and batches is None:
            raise ConfigError(
                "batch: batches go with a run folder: `run`, `recall`, `rag` or `verify` of a file"
            )
        self._config = config
        self._batches = batches
        self._transport = Transport(
            config.model, config.api_base, config.api_key_env, batch=batches is not None
        )
        self._cache = cache_of(config, commons)
        self._in_flight = InFlight()
        self.gate = _gate(config, self._transport, gate, account, commons)
        self._sender = Sender(config, self.gate, self._transport, backoff_seconds=backoff_seconds)
        self._answers = self._sender if batches is None else BatchSender(config, self._transport, batches)
        self._learning = threading.RLock()
        self._probing = threading.RLock()
        self._prober: Prober | None = None
        self._facts: int | None = None
        self._probes_left = 2
        self._memory = memory if commons is None else commons.memory
        scored = config.confidence in ("auto", "logprobs")
        self._scored = scored
        asked = [config.model, config.api_base, config.form, config.model_parameters, scored]
        self._note = key_of(["capabilities", *asked])
        self._capabilities = self._recall()
        self._recalled = set(self._capabilities.forms)
        """Kinds of functions whose form an earlier run found."""
        self._questions = 0
        self._sender.dialect = self._capabilities.dialect
        self._helped = False
        """Whether a longer limit has helped; it is kept for all later calls."""

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
        anew = self._batches is not None and self._batches.holds(key[:KEY_LENGTH])
        if self._cache is None:
            found = self._in_flight.reply(key, lambda: None, lambda: self._ask(question))
        else:
            found = self._cache.reply(key, schema, lambda: self._ask(question), anew=anew)
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
    def capabilities(self) -> Capabilities:
        """How the model is asked, as far as that is learnt."""
        return self._capabilities

    @property
    def settled(self) -> bool:
        """Whether it is learnt how the model is asked; until then, calls should come one by one, in order.

        A model that can't be asked at all leaves nothing to learn.
        """
        known = bool(self._capabilities.forms) and (self._prober is None or self._facts is not None)
        return self._batches is not None or known or self._sender.stopped

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
                found = self._capabilities.probes.get(prober.key) or self._probed(prober)
                if found is None:
                    return MOST_FACTS
                self._keep(probe=(prober.key, found))
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

    def adopt(self, known: Capabilities) -> None:
        """Keep what another client learnt of the same model."""
        self._capabilities = known
        self._keep()

    def probed_by(self, prober: Prober | None) -> None:
        """Have `prober` find out how many facts the model bears at once, when that is first needed."""
        self._prober = prober

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
            found = self._capabilities.forms.get(kind)
            if found is None and self._batches is not None:
                order = self._forms(kind)
                found = FoundForm(form="tool" if "tool" in order else order[0])
            if found is None:
                with self._learning:  # one at a time; those that waited know by then
                    if kind not in self._capabilities.forms:
                        return self._learn(kind, question, attempts)
                continue
            try:
                return self._settled(kind, found, question, attempts)
            except FormRefusedError as error:
                if kind not in self._recalled:
                    message = f"call form {found.form} is refused ({error}); try another --form"
                    raise UnusableReplyError(message, attempts=attempts.count) from None
                self._forget(kind)  # the server is not what it was in an earlier run

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
            search.note(self._tried(form, scored, attempts))
        best = search.found
        if best is None and (search.cut or self._questions >= MOST_QUESTIONS):
            # A schema is most often enforced.
            fallback: CallForm = "json_schema" if "json_schema" in order else order[0]
            self._keep(kind, FoundForm(form=fallback))
        if best is not None and best.reply is not None:
            logprobs = bool(best.reply.chances) if self._scored and question.schema.choices else None
            self._keep(kind, FoundForm(form=best.form, logprobs=logprobs))
        reply = search.reply()
        return reply if question.logprobs else reply.model_copy(update={"chances": None})

    def _tried(self, form: CallForm, question: Question, attempts: Attempts) -> Tried:
        """What comes of asking in one form, with room for a model that turns out to think."""
        try:
            return self._exchange(form, question, attempts)
        except FormRefusedError as error:
            if self._config.form == form:
                remedy = f"choose another form than --form {form}"
                raise self._sender.stop(f"{error}; {remedy}") from None
            message = f"call form {form} is refused ({error}); try another --form"
            return Tried(form, None, UnusableReplyError(message, attempts=attempts.count))

    def _settled(self, kind: forms.Kind, found: FoundForm, question: Question, attempts: Attempts) -> Reply:
        """The answer in the form that was found; where that is of no use once, in the others."""
        if found.logprobs is False:
            question = question._replace(logprobs=False)
        search = FormSearch([found.form, *self._others(kind, found.form)], scored=False)
        while (form := search.next()) is not None:
            tried = self._exchange(form, question, attempts) if form == found.form else None
            search.note(tried or self._tried(form, question, attempts))
            reply = None if tried is None else tried.reply
            if reply is not None and (reply.truncated or worth_keeping(reply, question.schema)):
                break  # what it lacks is asked for again, whether its form was obeyed or not
        self._recalled.discard(kind)
        return search.reply()

    def _others(self, kind: forms.Kind, form: CallForm) -> list[CallForm]:
        if self._batches is not None or self._config.form != "auto":
            return []
        return [other for other in self._forms(kind) if other not in (form, "word")]

    def _exchange(self, form: CallForm, question: Question, attempts: Attempts) -> Tried:
        """Ask a question in one form.

        Raises:
            FormRefusedError: the provider takes no requests of this form.
            UnseenError: the model does not see the whole question.
            LLMError: no answer came; `attempts` counts the requests of the whole call.
        """
        if attempts.count and attempts.budget.left <= 0:
            problem = UnusableReplyError("no more replies than these are paid for", attempts=attempts.count)
            return Tried(form, None, problem, final=True)
        content = forms.request(form, question.prompt, question.schema, marked=self._transport.wants_marks)
        answer = self._long_enough(form, content, question, attempts)
        if sees_too_little(answer.prompt_tokens, content["messages"]):
            raise self._sender.stop(str(_unseen(answer.prompt_tokens))) from None
        if answer.cut and form != "word" and not answer.blocked:
            reply = Reply(arguments={}, truncated=True, form=form, usage=attempts.usage)
            return Tried(form, reply, obeyed=False)
        parsed = forms.parse(form, answer, question.schema)
        if answer.blocked or parsed.problem:
            problem = self._unusable(answer, parsed.problem, attempts)
            return Tried(form, None, problem, final=bool(answer.blocked))
        reply = parsed.reply(form, answer).model_copy(update={"usage": attempts.usage})
        if not question.logprobs:
            reply = reply.model_copy(update={"chances": None})
        return Tried(form, reply, obeyed=parsed.obeyed)

    def _long_enough(
        self, form: CallForm, content: dict[str, object], question: Question, attempts: Attempts
    ) -> Completion:
        """The answer in one form; one that is cut, once more and longer.

        Where the form is still searched for, only a model that thinks is asked again.
        """
        long = self._helped or self._capabilities.thinks or attempts.budget.raised
        wanted = self._wanted(form, question, long=long)
        answer = self._answers.answer(content, wanted, form=form, attempts=attempts)
        if answer.thinks and not self._capabilities.thinks:
            self._keep(thinks=True)
        searching = forms.kind_of(question.schema) not in self._capabilities.forms
        if not answer.cut or attempts.budget.left <= 0 or form == "word" or attempts.budget.too_slow:
            return answer
        longer = self._wanted(form, question, long=True)
        if longer.max_tokens <= wanted.max_tokens or (searching and not answer.thinks):
            return answer
        attempts.most_timeouts = attempts.timeouts + 1
        try:
            answer = self._answers.answer(content, longer, form=form, attempts=attempts)
        except CallTimeoutError:
            attempts.budget.raised, attempts.budget.too_slow = False, True
            return answer
        attempts.budget.raised = True
        self._helped = self._helped or (not answer.cut and self._batches is None)
        return answer

    def _wanted(self, form: CallForm, question: Question, *, long: bool) -> Wanted:
        """The parameters of a request; a reply may take twice of what is expected, and a bit more."""
        config = self._config
        expected = forms.expected_tokens(question.schema)
        limit = config.max_tokens if expected is None else min(config.max_tokens, 2 * expected + ROOM)
        if long:
            limit = RAISE * config.max_tokens if self._capabilities.thinks else config.max_tokens
        if form == "word":
            limit = forms.WORD_TOKENS
        return Wanted(
            temperature=question.temperature,
            max_tokens=limit,
            logprobs=question.logprobs and bool(question.schema.choices),
            extra=config.model_parameters,
            alternatives=forms.WORD_ALTERNATIVES if form == "word" else forms.ALTERNATIVES,
        )

    def _unusable(self, answer: Completion, problem: str, attempts: Attempts) -> UnusableReplyError:
        excerpt = fit_to_show(answer.said, self._transport.key)
        reason = answer.blocked or (problem if problem in ("empty", "malformed") else "malformed")
        message = {
            "content filter": "the provider's content filter stopped the reply",
            "refusal": f"the model refused: {excerpt}",
            "empty": "the reply is empty",
        }.get(reason, f"the reply holds no arguments, but: {excerpt}")
        if problem not in ("empty", "malformed", ""):
            message = f"{problem}: {excerpt}"
        return UnusableReplyError(message, reason=reason, attempts=attempts.count)

    def _keep(
        self,
        kind: forms.Kind | None = None,
        found: FoundForm | None = None,
        *,
        thinks: bool = False,
        probe: tuple[str, Probe] | None = None,
    ) -> None:
        """Keep what was learnt, in the cache and with the run."""
        with self._learning:
            known = self._capabilities.with_dialect(self._sender.dialect)
            if kind is not None and found is not None:
                known = known.model_copy(update={"forms": {**known.forms, kind: found}})
            probes = known.probes | dict([probe] if probe else [])
            known = known.model_copy(update={"thinks": known.thinks or thinks, "probes": probes})
            self._capabilities = known
        if self._batches is not None:
            return
        if self._cache is not None:
            self._cache.note(self._note, known.model_dump_json())
        if self._memory is not None:
            self._memory.keep_capabilities(str(self._config.model), known)

    def _recall(self) -> Capabilities:
        """What an earlier run learnt: this one's, or else any with the same model.

        With batches nothing is learnt: the same results are to lead to the same requests.
        """
        if self._batches is not None:
            return Capabilities()
        known = None if self._memory is None else self._memory.capabilities(str(self._config.model))
        if known is not None:
            return known
        stored = None if self._cache is None else self._cache.noted(self._note)
        try:
            return Capabilities() if stored is None else Capabilities.model_validate_json(stored)
        except ValidationError:
            return Capabilities()  # of another version

    def _forget(self, kind: forms.Kind) -> None:
        with self._learning:
            self._recalled.discard(kind)
            left = {known: found for known, found in self._capabilities.forms.items() if known != kind}
            self._capabilities = self._capabilities.model_copy(update={"forms": left})


def _unseen(reported: int | None) -> UnseenError:
    return UnseenError(
        f"it reports {reported} prompt tokens, less than half of what it was sent, so it has not seen all "
        "that it was asked about: raise its context length (num_ctx with Ollama), give its server a chat "
        "template that shows every message, or use another model"
    )


def _gate(
    config: Config,
    transport: Transport,
    gate: Gate | None,
    account: Account | None,
    commons: Commons | None,
) -> Gate:
    if gate is not None:
        return gate.beside(transport)
    if commons is not None:
        return Gate(config, transport, commons.account, commons.turnstile)
    return Gate(config, transport, account or Account.limited(config.max_cost))
