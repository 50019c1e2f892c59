"""What bears each claim of a record out and what contradicts it, told by its verdicts as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from factreasoner.models import Atom, Verdict
from factreasoner.tasks.rag.events import NEVER, UNDECIDED, Event, any_of
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.verdicts import ANSWER, REFERENCE, p_borne_out, p_denied


class ContextEvidence(NamedTuple):
    """What the contexts say of one claim.

    `each` has an event a context, in their order; `together` is what all of them say, where they were asked
    together; `rests_on` are the positions of the contexts that it rests on.
    """

    each: tuple[Event, ...]
    together: Event = NEVER
    rests_on: tuple[int, ...] = ()

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


class ClaimLine(NamedTuple):
    """A claim with what bears it out and what denies it.

    `other` is whether the other text bears it out, `other_denies` whether that contradicts it: the reference
    for claims of the answer, and vice versa.

    Events are undecided where verdicts failed, and None where nothing was to be judged.
    """

    claim: Atom
    contexts: ContextEvidence | None
    denied: ContextEvidence | None
    other: Event | None
    other_denies: Event | None


def lines_of(result: RagResult) -> tuple[list[ClaimLine], list[ClaimLine]]:
    """The claims of the answer, and those of the reference."""
    evidence = _Evidence(result)
    said = [evidence.line(claim, REFERENCE) for claim in result.claims or ()]
    wanted = [evidence.line(claim, ANSWER) for claim in result.reference_claims or ()]
    return said, wanted


_AsEvent = Callable[[Verdict | None], Event]


class _Evidence:
    """The verdicts of a result, by premise and claim."""

    def __init__(self, result: RagResult) -> None:
        self._result = result
        self._verdicts = {(v.context_id, v.target_id): v for v in result.verdicts}
        self._places = {context.id: place for place, context in enumerate(result.contexts or ())}

    def line(self, claim: Atom, other: str) -> ClaimLine:
        """What contexts and the other text say; all contexts together where none speaks for the answer's."""
        contexts = denied = None
        if self._result.contexts is not None:
            contexts = self._of_contexts(claim.id, _borne_out, second_look=other == REFERENCE)
            denied = self._of_contexts(claim.id, _denied)
        if other == REFERENCE and not (self._result.reference or "").strip():
            return ClaimLine(claim, contexts, denied, None, None)
        verdict = self._verdicts.get((other, claim.id))
        return ClaimLine(claim, contexts, denied, _borne_out(verdict), _denied(verdict))

    def _of_contexts(self, claim_id: str, event: _AsEvent, *, second_look: bool = False) -> ContextEvidence:
        if self._result.joint:
            return self._jointly(claim_id, event)
        verdicts = [self._verdicts.get((context_id, claim_id)) for context_id in self._places]
        nearest = max((verdict.nearness for verdict in verdicts if verdict), default=0.0)
        each = tuple(event(_without_far_belief(verdict, nearest)) for verdict in verdicts)
        if not second_look or not self._result.together or any(event.holds for event in each):
            return ContextEvidence(each)
        return ContextEvidence(each, *self._together(claim_id, event))

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
        return ContextEvidence(tuple(map(any_of, shown.values())), *self._together(claim_id, event))


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
