"""The verdicts of one record as events: what bears out which claim, what contradicts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.models import Verdict
from factreasoner.tasks.rag.events import NEVER, UNDECIDED, Event, any_of
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.verdicts import ANSWER, REFERENCE, p_borne_out, p_denied


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
        return self.together.holds is True and all(event.holds is False for event in self.each)

    def within(self, chosen: tuple[Event, ...]) -> Event:
        """Whether a chosen context does it, or several together one of which is chosen.

        Where a context's own verdict is missing, it may be that one alone which speaks in all together.
        """
        alone = (one & other for one, other in zip(self.each, chosen, strict=True))
        together = self.together & any_of(chosen[position] for position in self.rests_on)
        missing = any(event.holds is None for event in self.each)
        return any_of((*alone, UNDECIDED if together.holds and missing else together))


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

    def against_answer(self, claim_id: str) -> Event:
        """Whether the answer contradicts the claim."""
        return _denied(self._verdicts.get((ANSWER, claim_id)))

    def borne_out(self, claim_id: str, *, second_look: bool = False) -> ContextEvidence:
        """Which contexts bear the claim out; `second_look`: all together where none does alone."""
        if self._result.joint:
            return self._jointly(claim_id, _borne_out)
        each = self._each(claim_id, _borne_out)
        if not second_look or not self._result.together or any(event.holds for event in each):
            return ContextEvidence(each, NEVER, ())
        return ContextEvidence(each, *self._together(claim_id, _borne_out))

    def denied(self, claim_id: str) -> ContextEvidence:
        """Which contexts contradict the claim."""
        if self._result.joint:
            return self._jointly(claim_id, _denied)
        return ContextEvidence(self._each(claim_id, _denied), NEVER, ())

    def _each(self, claim_id: str, event: _AsEvent) -> tuple[Event, ...]:
        verdicts = [self._verdicts.get((context_id, claim_id)) for context_id in self._places]
        nearest = max((verdict.nearness for verdict in verdicts if verdict), default=0.0)
        return tuple(event(_without_far_belief(verdict, nearest)) for verdict in verdicts)

    def _together(self, claim_id: str, event: _AsEvent) -> tuple[Event, tuple[int, ...]]:
        """What the contexts say together, and the positions of those that it rests on, as far as known."""
        verdicts = [self._verdicts.get((premise, claim_id)) for premise in self._result.together]
        deciding = [verdict for verdict in verdicts if verdict is not None and event(verdict).holds]
        named = {context_id for verdict in deciding for context_id in verdict.rests_on}
        places = tuple(place for context_id, place in self._places.items() if context_id in named)
        return any_of(map(event, verdicts)), places or tuple(self._places.values())

    def _jointly(self, claim_id: str, event: _AsEvent) -> ContextEvidence:
        shown: dict[str, list[Event]] = {context_id: [] for context_id in self._places}
        for premise, context_ids in self._result.together.items():
            verdict = self._verdicts.get((premise, claim_id))
            for context_id in context_ids:
                shown[context_id].append(_of_one(verdict, context_id, event))
        together, rests_on = self._together(claim_id, event)
        return ContextEvidence(tuple(any_of(events) for events in shown.values()), together, rests_on)


_AsEvent = Callable[[Verdict | None], Event]


def _of_one(verdict: Verdict | None, context_id: str, event: _AsEvent) -> Event:
    """What a verdict on several contexts says of one of them: what holds, holds of those it rests on."""
    found = event(verdict)
    if verdict is None or not found.holds or context_id in verdict.rests_on:
        return found
    return NEVER if verdict.rests_on else UNDECIDED


def _without_far_belief(verdict: Verdict | None, nearest: float) -> Verdict | None:
    """The verdict; a belief counts for the passages nearest to the claim alone."""
    if verdict is None or verdict.nearness >= nearest:
        return verdict
    return verdict.model_copy(update={"belief": None})


def _borne_out(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(verdict.supports, p_borne_out(verdict))


def _denied(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(verdict.contradicts, p_denied(verdict))
