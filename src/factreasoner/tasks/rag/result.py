"""The result for one record: claims and verdicts, their combination, and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pydantic import Field

from factreasoner.models import Atom, Context, Verdict
from factreasoner.models.rows import (
    ANSWER,
    CONTEXTS,
    REFERENCE,
    ClaimRow,
    Evidence,
    Note,
    by_claim,
    claim_row,
    judgement_of,
    quote_note,
)
from factreasoner.tasks.task import ClaimResult


class JudgedPairs(ClaimResult):
    """Claims and verdicts. Premises are context ids, `answer`, `reference` and `contexts`.

    `claims` are the answer's, `reference_claims` the reference's; None without a text, or if making them
    failed. `contexts` are in retrieval order, None if the record has none.

    `joint`: contexts were judged together. Otherwise, `together` is set if claims of the answer that no
    single context supports were judged again on all contexts. It maps a premise to the ids of its contexts:
    `contexts`, or `contexts:1` and so on if one call can't show them all.
    """

    claims: tuple[Atom, ...] | None = None
    reference_claims: tuple[Atom, ...] | None = None
    contexts: tuple[Context, ...] | None = None
    gold_contexts: tuple[str, ...] | None = None
    reference: str | None = None
    joint: bool = False
    together: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def _rows(self) -> Iterator[ClaimRow]:
        """The answer's claims against contexts and reference, the reference's against answer and contexts.

        The first row of an answer's claim notes a reference that differs from the contexts.
        """
        verdicts = by_claim(self.verdicts)
        contexts = {context.id: context for context in self.contexts or ()}
        passages = contexts.keys() | self.together.keys()
        asked = self.together.keys() if self.joint else contexts.keys()

        def by_text(of: str, line: ClaimLine) -> Iterator[ClaimRow]:
            if text := self.others.get(of):
                own = [v for v in verdicts.get(line.claim.id, ()) if v.context_id == text]
                judgement = judgement_of(line.other.p, own)
                yield claim_row(self.record_id, of, line.claim, judgement, Evidence(text, contexts, own))

        def by_contexts(of: str, line: ClaimLine, *notes: Note) -> Iterator[ClaimRow]:
            if self.contexts is not None:
                own = [v for v in verdicts.get(line.claim.id, ()) if v.context_id in passages]
                complete = asked <= {verdict.context_id for verdict in own}
                judgement = judgement_of(line.contexts.any.p, own, "fully" if complete else "partly")
                evidence = Evidence(CONTEXTS, contexts, own)
                every = (*notes, Note("" if contexts else "no context"))
                yield claim_row(self.record_id, of, line.claim, judgement, evidence, every)

        words, wanted = lines_of(self)
        for line in words:
            yield from by_contexts(
                ANSWER, line, *(_reference_note(line, row) for row in by_text(ANSWER, line))
            )
        for line in words:
            yield from by_text(ANSWER, line)
        for line in wanted:
            yield from by_text(REFERENCE, line)
        for line in wanted:
            yield from by_contexts(REFERENCE, line)

    @property
    def others(self) -> dict[str, str]:
        """For each text, the other text that its claims are judged against, if any."""
        return {REFERENCE: ANSWER} | ({ANSWER: REFERENCE} if (self.reference or "").strip() else {})


class Event(NamedTuple):
    """Something true or false of a claim, with its probability.

    Failed verdicts leave it undecided: `holds` is None. `p` is None if they leave the probability open.
    """

    holds: bool | None
    p: float | None

    def __invert__(self) -> Event:
        return Event(None if self.holds is None else not self.holds, None if self.p is None else 1 - self.p)

    def __and__(self, other: Event) -> Event:
        """Both, as if independent. One that does not hold decides."""
        sides = (self.holds, other.holds)
        p = None if self.p is None or other.p is None else self.p * other.p
        return Event(False if False in sides else None if None in sides else True, p)

    def without(self, part: Event) -> Event:
        """This event and not `part`, which implies this one."""
        p = None if self.p is None or part.p is None else max(self.p - part.p, 0.0)
        return Event((self & ~part).holds, p)


NEVER = Event(False, 0.0)
UNDECIDED = Event(None, None)


def any_of(events: Iterable[Event]) -> Event:
    """At least one of the events; its probability is the maximum.

    One that holds decides. If none does, an undecided one leaves it undecided.
    """
    found = list(events)
    if not found:
        return NEVER
    sides = [event.holds for event in found]
    holds = True if True in sides else None if None in sides else False
    known = [event.p for event in found if event.p is not None]
    complete = holds or len(known) == len(found)
    return Event(holds, max(known) if known and complete else None)


class ContextEvidence(NamedTuple):
    """Whether the contexts support, or contradict, one claim.

    `each` has an event for every context, in order. `together` is the event for all contexts together, if
    judged, and `rests_on` has the positions of the contexts that decide it.
    """

    each: tuple[Event, ...]
    together: Event = NEVER
    rests_on: tuple[int, ...] = ()

    @property
    def any(self) -> Event:
        """Any context, or all together."""
        return any_of((*self.each, self.together))

    @property
    def needs_several(self) -> bool:
        """Whether several contexts are needed."""
        return self.together.holds is True and all(event.holds is False for event in self.each)

    def within(self, chosen: tuple[Event, ...]) -> Event:
        """A chosen context, or several together including a chosen one.

        If a context's own verdict is missing, it alone may decide the combined one.
        """
        alone = (one & other for one, other in zip(self.each, chosen, strict=True))
        together = self.together & any_of(chosen[position] for position in self.rests_on)
        missing = any(event.holds is None for event in self.each)
        return any_of((*alone, UNDECIDED if together.holds and missing else together))


class ClaimLine(NamedTuple):
    """A claim with its supporting and contradicting contexts.

    `other`: the other text supports it, and `against`: contradicts it. That is the reference for a claim of
    the answer, and vice versa. `relevant`: contexts that support a claim of the reference do, if known.
    """

    claim: Atom
    contexts: ContextEvidence
    contradicted: ContextEvidence
    other: Event
    against: Event
    relevant: Event = UNDECIDED


def ids_of(result: JudgedPairs, evidence: ContextEvidence) -> list[str]:
    """The contexts whose own event holds."""
    events = zip(result.contexts or (), evidence.each, strict=True)
    return [context.id for context, event in events if event.holds]


def lines_of(result: JudgedPairs) -> tuple[list[ClaimLine], list[ClaimLine]]:
    """The claims of the answer, and those of the reference."""
    evidence = _PairVerdicts(result)
    lines = [evidence.line(claim, REFERENCE) for claim in result.claims or ()]
    wanted = [evidence.line(claim, ANSWER) for claim in result.reference_claims or ()]
    return lines, wanted


_AsEvent = Callable[[Verdict | None], Event]


class _PairVerdicts:
    """The verdicts of a result, by premise and claim."""

    def __init__(self, result: JudgedPairs) -> None:
        self._result = result
        self._verdicts = {v.pair: v for v in result.verdicts}
        self._places = {context.id: place for place, context in enumerate(result.contexts or ())}

    def line(self, claim: Atom, other: str) -> ClaimLine:
        verdict = self._verdicts.get((other, claim.id))
        contexts = self._of_contexts(claim.id, _supported, second_look=other == REFERENCE)
        again = other == REFERENCE and not any(event.holds for event in contexts.each)
        contradicted = self._of_contexts(claim.id, _contradicted, second_look=again)
        return ClaimLine(claim, contexts, contradicted, _supported(verdict), _contradicted(verdict))

    def _of_contexts(self, claim_id: str, event: _AsEvent, *, second_look: bool = False) -> ContextEvidence:
        if self._result.joint:
            return self._jointly(claim_id, event)
        verdicts = [self._verdicts.get((context_id, claim_id)) for context_id in self._places]
        each = tuple(map(event, verdicts))
        if not second_look or not self._result.together or any(event.holds for event in each):
            return ContextEvidence(each)
        return ContextEvidence(each, *self._together(claim_id, event))

    def _together(self, claim_id: str, event: _AsEvent) -> tuple[Event, tuple[int, ...]]:
        """The event for all contexts together, and the positions that decide it: all if unknown."""
        verdicts = [self._verdicts.get((premise, claim_id)) for premise in self._result.together]
        decisive = [verdict for verdict in verdicts if verdict is not None and event(verdict).holds]
        named = {context_id for verdict in decisive for context_id in verdict.rests_on}
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
    """The event for one context of a combined verdict: it holds for those the verdict names."""
    found = event(verdict)
    if verdict is None or not found.holds or context_id in verdict.rests_on:
        return found
    return NEVER if verdict.rests_on else UNDECIDED


def _supported(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(verdict.supports, verdict.p.entailment)


def _contradicted(verdict: Verdict | None) -> Event:
    return UNDECIDED if verdict is None else Event(verdict.contradicts, verdict.p.contradiction)


def _reference_note(line: ClaimLine, by_reference: ClaimRow) -> Note:
    """A note on what the reference says, if it differs from the contexts."""
    if by_reference.label == "supported" and not line.contexts.any.holds:
        return Note("the reference supports it")
    if by_reference.label != "contradicted" or line.contradicted.any.holds:
        return Note("")
    return quote_note("the reference contradicts it", by_reference.quote, by_reference.quote_by)
