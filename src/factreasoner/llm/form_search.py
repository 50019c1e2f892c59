"""Which call form a model obeys: found out from the first questions of a kind, and then kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from factreasoner.llm import forms
from factreasoner.llm.cache import worth_keeping
from factreasoner.llm.capabilities import Capabilities, FoundForm, KeptCapabilities
from factreasoner.llm.exchange import Exchange, Question, Tried
from factreasoner.llm.send import Attempts
from factreasoner.llm.transport import Transport
from factreasoner.models.messages import Reply
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

MOST_QUESTIONS = 4
"""Questions without one usable answer after which a form is taken all the same."""


class FormSearch:
    """Asks each question in the form that the model obeys, searching for it where that is not known.

    A refused form, a reply of no use and one that was cut go on to the next. Where log-probabilities are
    wanted and a tool call is obeyed without them, a JSON schema is tried too. Batches search for nothing.
    """

    def __init__(
        self, config: Config, transport: Transport, exchange: Exchange, kept: KeptCapabilities
    ) -> None:
        self._config, self._transport, self._exchange, self._kept = config, transport, exchange, kept
        self._scored = config.confidence in ("auto", "logprobs")
        self._searching = threading.Lock()
        self._questions = 0

    def answer(self, question: Question, attempts: Attempts) -> Reply:
        """The best reply to a question, in whatever form; LLMError where there is none."""
        kind = forms.kind_of(question.schema)
        while True:
            found = self._kept.known.forms.get(kind)
            if found is None and self._config.batch != "none":
                order = self._forms(kind)
                found = FoundForm(form="tool" if "tool" in order else order[0])
            if found is None:
                with self._searching:  # one at a time; those that waited know by then
                    if kind not in self._kept.known.forms:
                        return self._learn(kind, question, attempts)
            elif (reply := self._settled(kind, found, question, attempts)) is not None:
                return reply

    def _forms(self, kind: forms.Kind) -> tuple[CallForm, ...]:
        # Tool calls of OpenAI's models bring no log-probabilities.
        unscored = self._scored and self._transport.provider in ("openai", "azure")
        json_first = self._config.api_base is not None or unscored
        return forms.forms_of(kind, json_first=json_first, fixed=self._config.form)

    def _learn(self, kind: forms.Kind, question: Question, attempts: Attempts) -> Reply:
        """The answer to a question of a kind whose form is not known yet; the form is known then."""
        self._questions += 1
        order = self._forms(kind)
        wanted = question._replace(logprobs=self._scored or question.logprobs)
        tried = self._tried(order, wanted, attempts, scored=self._scored)
        best = _obeyed(tried, scored=self._scored)
        if best is not None:
            logprobs = best.scored if self._scored and question.schema.choices else None
            self._kept.learn(Capabilities(forms={kind: FoundForm(form=best.form, logprobs=logprobs)}))
        elif self._questions >= MOST_QUESTIONS or any(one.reply and one.reply.truncated for one in tried):
            likely: CallForm = "json_schema" if "json_schema" in order else order[0]
            self._kept.learn(Capabilities(forms={kind: FoundForm(form=likely)}))  # it is enforced most often
        reply = _best_reply(tried, scored=self._scored)
        return reply if question.logprobs else reply.model_copy(update={"chances": None})

    def _settled(
        self, kind: forms.Kind, found: FoundForm, question: Question, attempts: Attempts
    ) -> Reply | None:
        """The answer in the form that was found, or in others if useless; None: that form is refused now."""
        if found.logprobs is False:
            question = question._replace(logprobs=False)
        first = self._exchange.ask(found.form, question, attempts)
        searched = self._config.batch == "none" and self._config.form == "auto"
        if first.refused and searched:
            self._kept.forget(kind)
            return None
        reply, tried = first.reply, [first]
        # What a reply lacks is asked for again, whether its form was obeyed or not.
        useful = reply is not None and (reply.truncated or worth_keeping(reply, question.schema))
        if searched and not (useful or first.obeyed or first.final):
            others = [form for form in self._forms(kind) if form not in (found.form, "word")]
            tried += self._tried(others, question, attempts)
        return _best_reply(tried)

    def _tried(
        self, order: Sequence[CallForm], question: Question, attempts: Attempts, *, scored: bool = False
    ) -> list[Tried]:
        """What came of form after form, until one is obeyed."""
        tried, left = [], list(order)
        while left:
            one = self._exchange.ask(left.pop(0), question, attempts)
            if one.refused and one.form == self._config.form:
                raise self._exchange.sender.stop(f"{one.refused}; choose another form than --form {one.form}")
            tried.append(one)
            if one.final:
                break
            if one.obeyed:
                lacking = scored and one.form == "tool" and not one.scored
                left = [form for form in left if lacking and form == "json_schema"]
        return tried


def _obeyed(tried: Sequence[Tried], *, scored: bool) -> Tried | None:
    """The first that obeyed its form, one with log-probabilities where they are wanted."""
    obeyed = [one for one in tried if one.obeyed]
    return min(obeyed, key=lambda one: scored and not one.scored, default=None)


def _best_reply(tried: Sequence[Tried], *, scored: bool = False) -> Reply:
    """The best reply, though its form may not have been obeyed; the last problem is raised without one."""
    best = _obeyed(tried, scored=scored)
    replies = [one.reply for one in (best, *tried) if one is not None and one.reply is not None]
    if replies:
        return min(replies, key=lambda reply: reply.truncated)
    raise next(one.problem for one in reversed(tried) if one.problem is not None)
