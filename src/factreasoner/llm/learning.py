"""Finding out from the first questions of a run how its model is to be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.choices import CallForm
from factreasoner.errors import LLMError, ProviderError, UnseenError, UnusableReplyError
from factreasoner.llm.abilities import Abilities, Sight
from factreasoner.llm.forms import FORMS
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.sending import FormRefusedError, LogprobsRefusedError
from factreasoner.settings import Config

MOST_QUESTIONS = 4
"""Questions after which what is still open is decided: lists of facts in messages do no harm."""


class CallRequest(NamedTuple):
    """What one call asks for, whatever the form. `only_with_logprobs`: else it need not be answered."""

    prompt: Prompt
    schema: FunctionSchema
    temperature: float
    logprobs: bool
    only_with_logprobs: bool = False


class ProbeResult(NamedTuple):
    """A reply, or why it is of no use, and whether its prompt tokens show that the model saw the question."""

    reply: Reply | UnusableReplyError
    sight: Sight
    prompt_tokens: int | None


class LearntReply(NamedTuple):
    """The reply to a question, with how it was got; `settled` once nothing is left to find out."""

    reply: Reply
    abilities: Abilities
    settled: bool


class _FailedForm(NamedTuple):
    """Why a form brought no answer, and whether it is of no use to try another."""

    problem: LLMError
    last: bool


Ask = Callable[[CallRequest, Abilities], ProbeResult]
"""Asks a question in one way. Raises FormRefusedError, and LLMErrors that no other form would mend."""


class Learner:
    """Asks questions, one at a time, in every form until one does, and remembers which.

    Forms are preferred in this order: a tool call with log-probabilities (where `config` has a use for
    them), a JSON form with them, a tool call without, a JSON form without. Every question is asked in the
    form that is then preferred, so that no answer comes from one that is given up. With
    `tools_lack_logprobs` a JSON form is tried first: tool calls are known to bring no log-probabilities.
    """

    def __init__(self, config: Config, *, tools_lack_logprobs: bool) -> None:
        self._scored = config.confidence in ("auto", "logprobs")
        self._forms: tuple[CallForm, ...] = FORMS if config.form == "auto" else (config.form,)
        if tools_lack_logprobs and self._scored and config.form == "auto":
            self._forms = ("json_schema", "tool", "json_object", "fenced")
        self._asked = 0
        self._found: Abilities | None = None

    @property
    def despaired(self) -> Abilities | None:
        """How to go on, after as many questions without one usable answer that no more is to be learnt."""
        if self._asked < MOST_QUESTIONS:
            return None
        return self._found or Abilities(form=self._forms[0], listed=True)

    def ask(self, question: CallRequest, ask: Ask) -> LearntReply:
        """The answer to a question, and what it teaches.

        Raises:
            FormRefusedError: the form that the user named is refused.
            UnseenError: the model does not see the whole question.
            LLMError: no form brought a usable answer; nothing is learnt.
            ConfigError, BudgetError: as the client's.
        """
        self._asked += 1
        lessons = self._lessons(question, ask)
        usable = [lesson for lesson in lessons if not lesson.reply.truncated] or lessons
        best = min(usable, key=_preference)
        if best.reply.truncated and self._asked < MOST_QUESTIONS:
            return best
        self._found = best.abilities
        if not best.settled and self._asked >= MOST_QUESTIONS:
            return best._replace(abilities=best.abilities.model_copy(update={"listed": True}), settled=True)
        return best

    def _lessons(self, question: CallRequest, ask: Ask) -> list[LearntReply]:
        """What came of the question in each form that had to be tried: one at least, or an error."""
        forms = self._forms if self._found is None else (self._found.form,)
        lessons: list[LearntReply] = []
        problem: LLMError | None = None
        for form in forms:
            tried = self._tried(question._replace(only_with_logprobs=bool(lessons)), form, ask)
            if isinstance(tried, _FailedForm):
                problem, last = tried
            else:
                lessons.append(tried)
                # Log-probabilities come with every JSON form or with none.
                last = not self._scored or form != forms[0] or tried.reply.truncated
                last = last or tried.abilities.logprobs is True
            if last:
                break
        if problem is not None and not lessons:
            raise problem
        return lessons

    def _tried(self, question: CallRequest, form: CallForm, ask: Ask) -> LearntReply | _FailedForm:
        try:
            lesson = self._lesson(question, form, ask)
        except FormRefusedError as error:
            if len(self._forms) == 1:
                raise
            message = f"call form {form} is refused ({error}); try another --form"
            return _FailedForm(ProviderError(message), last=isinstance(error, LogprobsRefusedError))
        except LLMError as error:
            if not question.only_with_logprobs:
                raise
            return _FailedForm(error, last=True)
        if isinstance(lesson, UnusableReplyError):  # a filter or a refusal meets every form
            return _FailedForm(lesson, last=lesson.reason in ("content filter", "refusal"))
        return lesson

    def _lesson(self, question: CallRequest, form: CallForm, ask: Ask) -> LearntReply | UnusableReplyError:
        way = Abilities(form=form)
        asked = question._replace(logprobs=self._scored or question.logprobs)
        shown = ask(asked, way)
        if form == "tool" and to_be_listed(shown):
            way = way.model_copy(update={"listed": True})
            shown = ask(asked, way)
        reply = seen(shown)
        if isinstance(reply, UnusableReplyError):
            return reply
        learnt = {"counted": shown.sight != "unreported"}
        if asked.logprobs and not reply.truncated:
            learnt["logprobs"] = reply.tokens is not None
        known = form != "tool" or bool(question.schema.items)
        if not question.logprobs:
            reply = reply.model_copy(update={"tokens": None})
        return LearntReply(reply, way.model_copy(update=learnt), known and not reply.truncated)


def _preference(lesson: LearntReply) -> tuple[bool, int]:
    return not lesson.abilities.logprobs, FORMS.index(lesson.abilities.form)


def to_be_listed(shown: ProbeResult) -> bool:
    """Whether a reply to a tool call leaves open if the model saw the items: messages must list them."""
    untold = shown.sight == "unreported" and isinstance(shown.reply, Reply)
    return untold or shown.sight in ("short", "unsure")


def seen(shown: ProbeResult) -> Reply | UnusableReplyError:
    """The reply of a model that may have seen the question. Raises UnseenError where it has not."""
    if shown.sight != "short":
        return shown.reply
    raise UnseenError(
        f"it reports {shown.prompt_tokens} prompt tokens, less than half of what it was sent, so it has not "
        "seen all that it was asked about: raise its context length (num_ctx with Ollama), give its server a "
        "chat template that shows every message, or use another model"
    )
