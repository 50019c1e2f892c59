"""Ask a question in one call form, and search for the form that a model obeys."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.calls.cache import worth_keeping
from factreasoner.calls.slots import give_slot_back
from factreasoner.calls.usage import estimate_tokens, tokens_too_many
from factreasoner.errors import CallTimeoutError, LLMError, UnusableReplyError
from factreasoner.llm import forms
from factreasoner.llm.batches.sender import BatchSender
from factreasoner.llm.capabilities import TOKEN_LIMITS, Capabilities, FoundForm, KeptCapabilities
from factreasoner.llm.faults import safe_excerpt as fit_to_show
from factreasoner.llm.replies import is_complete_json, parse, repeats_endlessly
from factreasoner.llm.responses import Completion
from factreasoner.llm.send import Attempts, Sender
from factreasoner.llm.settings import CallForm, LLMSettings
from factreasoner.llm.transport import Transport
from factreasoner.models.messages import FunctionSchema, Prompt, Reply

MOST_QUESTIONS = 4
"""Questions without a usable answer after which a form is fixed anyway."""
RAISE = 4
"""Factor on `max_tokens` for a model that thinks before it answers."""
ROOM = 100
"""Extra tokens of a reply beyond twice its expected length."""
TELLING_TOKENS = 64
"""With fewer tokens, the chat template hides whether all was seen."""
NO_LOGPROBS = Capabilities(refused=frozenset({"logprobs"}))
_USELESS = {
    "content filter": "the provider's content filter stopped the reply",
    "refusal": "the model refused: {}",
    "empty": "the reply is empty",
    "malformed": "the reply has no arguments, but: {}",
}
"""Messages for replies without a usable answer, by reason; {} is the reply."""


class Question(NamedTuple):
    """One call's question, in any form."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool


class FormResult(NamedTuple):
    """The result of asking in one form: a reply, or the problem; neither if no calls are left.

    `obeyed`: the reply has the requested form. `final`: no other form would do better. `refused` quotes a
    provider that refuses the form.
    """

    form: CallForm
    reply: Reply | None
    problem: LLMError | None = None
    obeyed: bool = False
    final: bool = False
    refused: str = ""

    @property
    def scored(self) -> bool:
        """Whether log-probabilities came."""
        return self.reply is not None and bool(self.reply.chances)


class _FormRefusedError(Exception):
    """The provider refuses requests in this form."""


class FormSearch:
    """Asks each question in the form that the model obeys, searching for it while unknown.

    After a refused form, or a useless or cut reply, the next form is tried. If a tool call lacks requested
    log-probabilities, a JSON schema is tried too. Requests use the parameters that the provider accepts.
    Batches learn nothing: the same results must lead to the same requests.
    """

    def __init__(
        self, config: LLMSettings, transport: Transport, sender: Sender | BatchSender, kept: KeptCapabilities
    ) -> None:
        self._config, self._transport, self._sender, self._kept = config, transport, sender, kept
        self._scored = config.confidence in ("auto", "logprobs")
        self._learns = config.batch == "none"
        self._searching = threading.Lock()
        self._questions = 0
        self._with_choices: set[forms.Kind] = set()
        """Kinds whose form was searched for with a question that has choices."""
        self._helped = False
        """Whether a longer limit has helped: later calls then begin with it."""
        self._forms_without_logprobs: frozenset[CallForm] = frozenset()
        """Forms in which the provider refuses log-probabilities; others may have them."""
        self._longest_seen: dict[tuple[CallForm, str], int] = {}
        """Characters of the longest request that the model saw in full, by form and prompt."""

    def answer(self, question: Question, attempts: Attempts) -> Reply:
        """The best reply to a question, in any form; LLMError if there is none."""
        kind = forms.kind_of(question.schema)
        if self._config.only_chooses and (reason := _beyond_choices(question.schema, self._config)):
            raise self._sender.stop(reason)
        order = order_of(kind, self._config, self._transport)
        found = self._known_form(kind, question.schema)
        if found is None and self._learns:
            give_slot_back()
            with self._searching:  # one at a time; those that waited find the form known
                found = self._known_form(kind, question.schema)
                if found is None:
                    return self._searched(kind, order, question, attempts)
        found = found or FoundForm(form=order[0])
        asked = question._replace(logprobs=question.logprobs and found.logprobs is not False)
        first = self._ask(found.form, asked, attempts)
        if not self._learns or self._config.form != "auto":
            return _best_reply([first])
        if first.refused:
            self._kept.forget(kind)
            return self.answer(question, attempts)
        reply = first.reply
        # Whether its form was obeyed or not, what a reply lacks is asked for again.
        useful = reply is not None and (reply.truncated or worth_keeping(reply, question.schema))
        if useful or first.obeyed or first.final:
            return _best_reply([first])
        others = [form for form in order if form not in (found.form, "word")]
        return _best_reply([first, *self._tried(others, asked, attempts)])

    def _known_form(self, kind: forms.Kind, schema: FunctionSchema) -> FoundForm | None:
        """The known form of a kind; one found for texts says nothing of log-probabilities of choices."""
        found = self._kept.known.forms.get(kind)
        unsure = found is not None and found.logprobs is None and self._scored and schema.choices
        return None if unsure and kind not in self._with_choices else found

    def _searched(
        self, kind: forms.Kind, order: Sequence[CallForm], question: Question, attempts: Attempts
    ) -> Reply:
        """The answer to a question of a kind whose form is not yet known; it is known afterwards."""
        self._questions += 1
        wanted = question._replace(logprobs=self._scored or question.logprobs)
        scored = self._scored and bool(question.schema.choices)
        tried = self._tried(order, wanted, attempts, scored=scored)
        best = _obeyed(tried, scored=scored)
        failed = any(not isinstance(one.problem, UnusableReplyError | None) for one in tried)
        if best is not None and failed and self._questions < MOST_QUESTIONS:
            return _best_reply(tried)  # the failed form may have log-probabilities: it is asked again
        if question.schema.choices:
            self._with_choices.add(kind)
        if best is not None:
            logprobs = best.scored if scored else None
            self._kept.learn(Capabilities(forms={kind: FoundForm(form=best.form, logprobs=logprobs)}))
        elif self._questions >= MOST_QUESTIONS or any(one.reply and one.reply.truncated for one in tried):
            likely: CallForm = "json_schema" if "json_schema" in order else order[0]
            self._kept.learn(Capabilities(forms={kind: FoundForm(form=likely)}))  # servers enforce it most
        reply = _best_reply(tried, scored=scored)
        return reply if question.logprobs else reply.model_copy(update={"chances": None})

    def _tried(
        self, order: Sequence[CallForm], question: Question, attempts: Attempts, *, scored: bool = False
    ) -> list[FormResult]:
        """The results of one form after another, until one is obeyed."""
        tried: list[FormResult] = []
        left = list(order)
        while left:
            form = left.pop(0)
            try:
                one = self._ask(form, question, attempts)
            except LLMError as error:
                if not any(one.obeyed for one in tried):
                    raise
                one = FormResult(form, None, error)
            if one.refused and one.form == self._config.form:
                raise self._sender.stop(f"{one.refused}; choose another form than `form={one.form!r}`")
            tried.append(one)
            if one.final:
                break
            if one.obeyed:
                lacking = scored and one.form == "tool" and not one.scored
                left = [form for form in left if lacking and form == "json_schema"]
        return tried

    def _ask(self, form: CallForm, question: Question, attempts: Attempts) -> FormResult:
        """The result of a question in one form. Raises what the sender raises."""
        if attempts.count and attempts.budget.left <= 0:
            return FormResult(form, None, final=True)
        content = forms.request(form, question.prompt, question.schema, marked=self._transport.wants_marks)
        try:
            answer = self._long_enough(form, content, question, attempts)
        except _FormRefusedError as error:
            note = f"call form {form} is refused ({error}); try another `form`"
            return FormResult(
                form, None, UnusableReplyError(note, attempts=attempts.count), refused=str(error)
            )
        except UnusableReplyError as error:
            return FormResult(form, None, error)
        if form != "systemone":  # it counts tokens in its own way
            self._check_all_was_seen((form, question.prompt.fingerprint), answer, content["messages"])
        if answer.cut and form != "word" and not answer.blocked:
            return FormResult(form, Reply(arguments={}, truncated=True, form=form, usage=attempts.usage))
        parsed = parse(form, answer, question.schema)
        if reason := answer.blocked or parsed.problem:
            excerpt = fit_to_show(answer.reply_text, self._transport.key)
            note = _USELESS[reason].format(excerpt) if reason in _USELESS else f"{reason}: {excerpt}"
            note += (
                "; the model put its answer into reasoning_content"
                if reason == "empty" and answer.apart
                else ""
            )
            reason = reason if reason in _USELESS else "malformed"
            problem = UnusableReplyError(note, reason=reason, attempts=attempts.count)
            return FormResult(form, None, problem, final=bool(answer.blocked))
        chances = parsed.chances if question.logprobs else None
        reply = Reply(
            arguments=parsed.arguments,
            text=answer.reply_text,
            form=form,
            chances=chances,
            model=answer.model,
            system_fingerprint=answer.system_fingerprint,
            usage=attempts.usage,
        )
        return FormResult(form, reply, obeyed=parsed.obeyed)

    def _long_enough(
        self, form: CallForm, content: Mapping[str, Any], question: Question, attempts: Attempts
    ) -> Completion:
        """The answer in one form; a cut one is retried once with more tokens, unless searching."""
        budget = attempts.budget
        wanted = self._wanted(form, question, long=self._helped or self._kept.known.thinks or budget.raised)
        answer = self._answer(form, content, wanted, attempts)
        if answer.thinks:
            self._kept.learn(Capabilities(thinks=True))
        if answer.cut and is_complete_json(form, answer, question.schema):
            return answer._replace(finish_reason="stop")
        if not answer.cut or budget.left <= 0 or form == "word" or budget.too_slow:
            return answer
        unknown = forms.kind_of(question.schema) not in self._kept.known.forms
        searching = self._learns and unknown and not answer.thinks
        longer = self._wanted(form, question, long=True)
        if searching or longer["max_tokens"] <= wanted["max_tokens"] or repeats_endlessly(answer.reply_text):
            return answer
        attempts.most_timeouts = attempts.timeouts + 1
        try:
            answer = self._answer(form, content, longer, attempts)
        except CallTimeoutError:
            budget.raised, budget.too_slow = False, True
            return answer
        budget.raised = True
        if answer.cut and is_complete_json(form, answer, question.schema):
            answer = answer._replace(finish_reason="stop")
        self._helped = self._helped or (not answer.cut and self._learns)
        return answer

    def _answer(
        self, form: CallForm, content: Mapping[str, Any], wanted: Mapping[str, Any], attempts: Attempts
    ) -> Completion:
        """The answer to a request of `content`, adapted to the provider's refusals.

        A lesson is kept for direct calls; with batches it applies only to this request.
        """
        lesson = NO_LOGPROBS if form in self._forms_without_logprobs else Capabilities()
        room, extra = None, self._config.model_param
        while True:
            request = self._kept.known.learnt(lesson).request(content, wanted, room=room) | extra
            answer = self._sender.tried(request, form, extra.keys(), attempts)
            if isinstance(answer, Completion):
                if self._learns and lesson != Capabilities():
                    if "logprobs" in lesson.refused:
                        self._forms_without_logprobs |= {form}
                    refused = lesson.refused - NO_LOGPROBS.refused
                    self._kept.learn(lesson.model_copy(update={"refused": refused}))
                return answer
            if answer.kind == "form":
                raise _FormRefusedError(answer.message)
            if answer.kind != "dialect":
                raise self._sender.failure(answer, attempts)
            lesson, room = lesson.learnt(answer.lesson), answer.room or room
            limitless = self._kept.known.learnt(lesson).refused.issuperset(TOKEN_LIMITS)
            if limitless and self._config.max_cost is not None:
                remedy = "neither the length of a reply nor its cost can be limited: run without `max_cost`"
                raise self._sender.failure(answer._replace(kind="config", remedy=remedy), attempts)

    def _check_all_was_seen(
        self, kind: tuple[CallForm, str], answer: Completion, messages: Sequence[Mapping[str, Any]]
    ) -> None:
        """Compare a request with the reported prompt tokens, if it is the longest of its kind."""
        reported = answer.prompt_tokens
        texts = [_text(message.get("content")) for message in messages]
        length = sum(map(len, texts))
        if reported is None or length <= self._longest_seen.get(kind, 0):
            return
        least = sum(map(estimate_tokens, texts)) - sum(map(tokens_too_many, texts))
        if least >= TELLING_TOKENS and reported < least / 2:
            raise self._sender.stop(
                f"it reports {reported} prompt tokens, less than half of what it was sent, so it has not "
                "seen everything it was asked about: raise its context length (num_ctx with Ollama), give "
                "its server a chat template that shows every message, or use another model"
            )
        self._longest_seen[kind] = length

    def _wanted(self, form: CallForm, question: Question, *, long: bool) -> dict[str, Any]:
        """The parameters of a request; a reply may take twice its expected length, and a bit more."""
        config, word = self._config, form == "word"
        expected = forms.expected_tokens(question.schema)
        limit = config.max_tokens if expected is None else min(config.max_tokens, 2 * expected + ROOM)
        if long:
            limit = RAISE * config.max_tokens if self._kept.known.thinks else config.max_tokens
        wanted = {"temperature": question.temperature, "max_tokens": forms.WORD_TOKENS if word else limit}
        if question.logprobs and question.schema.choices:
            alternatives = forms.WORD_ALTERNATIVES if word else forms.ALTERNATIVES
            wanted |= {"logprobs": True, "top_logprobs": alternatives}
        return wanted


def order_of(kind: forms.Kind, config: LLMSettings, transport: Transport) -> tuple[CallForm, ...]:
    """The forms for that kind of function, in the order to try; batches use one."""
    if config.only_chooses:
        return ("systemone",)
    if config.batch != "none":
        order = forms.forms_of(kind, json_first=False, fixed=config.form)
        return ("tool",) if "tool" in order else order
    # Tool calls of OpenAI's models bring no log-probabilities.
    json_first = config.api_base is not None or (
        config.confidence in ("auto", "logprobs") and transport.provider in ("openai", "azure")
    )
    return forms.forms_of(kind, json_first=json_first, fixed=config.form)


def _beyond_choices(schema: FunctionSchema, config: LLMSettings) -> str:
    """Why a model that only chooses can't answer a question, and the fix; empty if it can."""
    if config.api_base is None or config.batch != "none":
        return "a System One model needs `api_base=URL`, the address of its server, and takes no `batch`"
    if config.confidence == "votes":
        return "a System One model gives probabilities of its own: use `confidence='auto'`"
    if schema.arguments == schema.choices:
        return ""
    remedy = (
        "`mode='tf'` or tfn without `confidence='verbal'`, and parts that need no model (`atomizer='rules'`)"
    )
    return f"a System One model answers only questions with choices, and this asks for text: use {remedy}"


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content) if content else ""


def _obeyed(tried: Sequence[FormResult], *, scored: bool) -> FormResult | None:
    """The first result that obeyed its form; if wanted, one with log-probabilities comes first."""
    obeyed = [one for one in tried if one.obeyed]
    return min(obeyed, key=lambda one: scored and not one.scored, default=None)


def _best_reply(tried: Sequence[FormResult], *, scored: bool = False) -> Reply:
    """The best reply, obedient or not; without one the last problem is raised."""
    best = _obeyed(tried, scored=scored)
    replies = [one.reply for one in (best, *tried) if one is not None and one.reply is not None]
    if replies:
        return min(replies, key=lambda reply: reply.truncated)
    problems = [one.problem for one in tried if one.problem is not None]
    raise problems[-1] if problems else UnusableReplyError("no more replies are paid for")
