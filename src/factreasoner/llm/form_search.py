"""Which call form a model obeys, found out from the first questions of a kind and then kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.models.messages import Reply
from factreasoner.settings.choices import CallForm


class Tried(NamedTuple):
    """What came of asking in one form: a reply, or why there is none.

    `obeyed`: the reply came as the form says. `final`: no other form would do better.
    """

    form: CallForm
    reply: Reply | None
    problem: LLMError | None = None
    obeyed: bool = False
    final: bool = False


class FormSearch:
    """Asks one question in form after form, until one is obeyed.

    A refused form, a reply of no use and one that was cut go on to the next. Where log-probabilities are
    wanted and a tool call is obeyed without them, a JSON schema is tried too.
    """

    def __init__(self, forms: Sequence[CallForm], *, scored: bool) -> None:
        self._left = list(forms)
        self._scored = scored
        self._tried: list[Tried] = []

    def next(self) -> CallForm | None:
        """The form to try next; None where the search is over."""
        last = self._tried[-1] if self._tried else None
        if last is not None and last.final:
            return None
        obeyed = [tried for tried in self._tried if tried.obeyed]
        if obeyed:
            lacking = self._scored and obeyed[0].form == "tool" and not _scored(obeyed[0])
            if not lacking or len(self._tried) > self._tried.index(obeyed[0]) + 1:
                return None
            self._left = [form for form in self._left if form == "json_schema"]
        return self._left.pop(0) if self._left else None

    def note(self, tried: Tried) -> None:
        """Take in what came of a form."""
        self._tried.append(tried)

    @property
    def cut(self) -> bool:
        """Whether a reply was cut, and none was obeyed: fewer items may fit."""
        return self.found is None and any(t.reply is not None and t.reply.truncated for t in self._tried)

    @property
    def found(self) -> Tried | None:
        """The best that was tried, where one was obeyed."""
        obeyed = [tried for tried in self._tried if tried.obeyed]
        return min(obeyed, key=lambda tried: self._scored and not _scored(tried), default=None)

    def reply(self) -> Reply:
        """The best reply, though its form may not have been obeyed.

        Raises:
            LLMError: there is none; the last problem.
        """
        best = self.found or next((tried for tried in self._tried if _whole(tried)), None)
        best = best or next((tried for tried in self._tried if tried.reply), None)
        if best is not None and best.reply is not None:
            return best.reply
        problems = [tried.problem for tried in self._tried if tried.problem is not None]
        raise problems[-1] if problems else UnusableReplyError("no call form is left to try")


def _scored(tried: Tried) -> bool:
    return tried.reply is not None and bool(tried.reply.chances)


def _whole(tried: Tried) -> bool:
    return tried.reply is not None and not tried.reply.truncated
