"""The verdicts of one record as events: what bears out which claim, what contradicts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.models import Verdict
from factreasoner.tasks.rag.events import NEVER, UNDECIDED, Event, any_of
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE, is_borne_out, p_borne_out, p_denied


class ContextEvidence(NamedTuple):
    """What the contexts say of one claim.

    `each` has an event a context, in their order; `together` is what all of them say, where they were asked
    together; `rests_on` are the positions of the contexts that it rests on.
    """

    each: tuple[Event, ...]
    together: Event
    rests_on: tuple[int, ...]

    @property
    def any(self) -> Event:
        """Whether any context does it, or all together."""
        return any_of((*self.each, self.together))

    @property
    def needs_several(self) -> bool:
        """Whether the contexts do it together, and none alone."""
        return self.together.holds is True and not any(event.holds for event in self.each)

    def within(self, chosen: tuple[Event, ...]) -> Event:
        """Whether a chosen context does it, or several together one of which is chosen."""
        alone = (one & other for one, other in zip(self.each, chosen, strict=True))
        return any_of((*alone, self.together & any_of(chosen[position] for position in self.rests_on)))


class Evidence:
    """The verdicts of a result, by claim and premise."""

    def __init__(self, result: RagResult) -> None:
        self._result = result
        self._verdicts = {(v.context_id, v.target_id): v for v in result.verdicts}
        self._places = {context.id: place for place, context in enumerate(result.contexts or ())}

    def by_answer(self, claim_id: str) -> Event:
        """Whether the answer bears the claim out."""
        return _borne_out(self._verdicts.get((ANSWER, claim_id)))

    def by_reference(self, claim_id: str) -> Event:
        """Whether the reference bears the claim out."""
        return _borne_out(self._verdicts.get((REFERENCE, claim_id)))

    def against_reference(self, claim_id: str) -> Event:
        """Whether the reference contradicts the claim."""
        return _denied(self._verdicts.get((REFERENCE, claim_id)))

    def borne_out(self, claim_id: str, *, second_look: bool = False) -> ContextEvidence:
        """Which contexts bear the claim out; `second_look`: all together where none does alone."""
        each = self._each(claim_id, _borne_out)
        alone = any(event.holds for event in each)
        if not second_look or not self._result.second_look or alone or len(each) < 2:
            return ContextEvidence(each, NEVER, ())
        verdict = self._verdicts.get((CONTEXTS, claim_id))
        everywhere = tuple(range(len(each)))
        named = tuple(self._places[i] for i in verdict.rests_on if i in self._places) if verdict else ()
        return ContextEvidence(each, _borne_out(verdict), named or everywhere)

    def denied(self, claim_id: str) -> ContextEvidence:
        """Which contexts contradict the claim."""
        return ContextEvidence(self._each(claim_id, _denied), NEVER, ())

    def _each(self, claim_id: str, event: Callable[[Verdict | None], Event]) -> tuple[Event, ...]:
        return tuple(event(self._verdicts.get((context_id, claim_id))) for context_id in self._places)


def _borne_out(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(is_borne_out(verdict), p_borne_out(verdict))


def _denied(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(verdict.label == "contradiction", p_denied(verdict))
