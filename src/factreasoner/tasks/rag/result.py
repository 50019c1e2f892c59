"""What is found of one record: claims of the answer and of the reference, and the verdicts on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rows import (
    ANSWER,
    CONTEXTS,
    REFERENCE,
    Basis,
    ClaimRow,
    by_claim,
    claim_row,
    judgement_of,
    p_borne_out,
    p_denied,
)
from factreasoner.tasks.task import ClaimResult


class Event(NamedTuple):
    """Something that holds of a claim or does not, with its probability.

    `holds` is None where failed verdicts leave it undecided; `p` is None where they leave that open.
    """

    holds: bool | None
    p: float | None

    def __invert__(self) -> Event:
        return Event(None if self.holds is None else not self.holds, None if self.p is None else 1 - self.p)

    def __and__(self, other: Event) -> Event:
        """That both hold, taken as independent; one that does not hold decides it."""
        sides = (self.holds, other.holds)
        p = None if self.p is None or other.p is None else self.p * other.p
        return Event(False if False in sides else None if None in sides else True, p)

    def without(self, part: Event) -> Event:
        """That this event holds and `part` does not, where `part` implies this one."""
        p = None if self.p is None or part.p is None else max(self.p - part.p, 0.0)
        return Event((self & ~part).holds, p)


NEVER = Event(False, 0.0)
UNDECIDED = Event(None, None)


def any_of(events: Iterable[Event]) -> Event:
    """That at least one of them holds; its probability is that of the most probable one.

    One that holds decides, whatever is missing; where none does, one that is undecided leaves it so.
    """
    found = list(events)
    if not found:
        return NEVER
    sides = [event.holds for event in found]
    holds = True if True in sides else None if None in sides else False
    known = [event.p for event in found if event.p is not None]
    complete = holds or len(known) == len(found)
    return Event(holds, max(known) if known and complete else None)


class Share(NamedTuple):
    """A share of things of which an event holds.

    `value` and `p` are the share and the mean probability, None where nothing is decided; `decided` counts
    the things it is of, `undecided` those that failed verdicts left out.
    """

    value: float | None
    p: float | None
    decided: int
    undecided: int

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What the share can be, whatever the undecided ones are; None where there are none."""
        if not self.undecided:
            return None
        known, everything = (self.value or 0.0) * self.decided, self.decided + self.undecided
        return known / everything, (known + self.undecided) / everything


def share(events: Sequence[Event]) -> Share:
    """The share of `events` that hold."""
    decided = [event.holds for event in events if event.holds is not None]
    known = [event.p for event in events if event.p is not None]
    return Share(
        value=sum(decided) / len(decided) if decided else None,
        p=math.fsum(known) / len(known) if known else None,
        decided=len(decided),
        undecided=len(events) - len(decided),
    )


class RagResult(ClaimResult):
    """Claims and verdicts. Premises are named by context ids, `answer`, `reference` and `contexts`.

    `claims` are the answer's, `reference_claims` those of the reference; None where there was nothing to
    make them from, or they could not be made. `contexts` are in the order of retrieval, None where the record
    has none. `joint`: contexts were judged together. Else, where there are `together`, claims of the answer
    that no context bears out alone were asked once more about all contexts together. `together` are the ids
    of the contexts by premise: `contexts`, or `contexts:1` and so on where they are too long for one call.
    """

    claims: tuple[Atom, ...] | None = None
    reference_claims: tuple[Atom, ...] | None = None
    contexts: tuple[Context, ...] | None = None
    gold_contexts: tuple[str, ...] | None = None
    reference: str | None = None
    joint: bool = False
    together: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def in_brief(self) -> list[str]:
        """How many claims each text makes, and contexts there are."""
        found = {
            "claims of the answer": self.claims,
            "claims of the reference": self.reference_claims,
            "contexts": self.contexts,
        }
        return [f"{what}: {len(items)}" for what, items in found.items() if items is not None]


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


BORNE_OUT = "the reference bears it out"


def rag_rows(result: RagResult) -> Iterator[ClaimRow]:
    """The answer's claims against contexts and reference, the reference's against answer and contexts.

    The first, which stand for the answer's claims in tables, say what the reference says where it differs.
    """
    rows = _Rows(result)
    said, wanted = lines_of(result)
    held = [(ANSWER, said, CONTEXTS), (ANSWER, said, REFERENCE)]
    held += [(REFERENCE, wanted, ANSWER), (REFERENCE, wanted, CONTEXTS)]
    for of, lines, against in held:
        yield from (row for line in lines if (row := rows.row(of, line, against)) is not None)


class _Rows:
    def __init__(self, result: RagResult) -> None:
        self._record = result.record_id
        self._contexts = {context.id: context for context in result.contexts or ()}
        self._passages = self._contexts.keys() | result.together.keys()
        self._verdicts = by_claim(result.verdicts)
        self._asked = result.together.keys() if result.joint else self._contexts.keys()

    def row(self, of: str, line: ClaimLine, against: str) -> ClaimRow | None:
        """A claim held against all contexts or another text; None where there were none."""
        in_contexts = against == CONTEXTS
        found = line.contexts.any if in_contexts and line.contexts else None if in_contexts else line.other
        if found is None:
            return None
        premises = self._passages if in_contexts else (against,)
        verdicts = [v for v in self._verdicts.get(line.claim.id, ()) if v.context_id in premises]
        complete = not in_contexts or self._asked <= {verdict.context_id for verdict in verdicts}
        judgement = judgement_of(found.p, verdicts, "fully" if complete else "partly")
        notes = [self._said_by_reference(line)] if in_contexts and of == ANSWER else []
        notes += ["no context"] if in_contexts and not self._contexts else []
        basis = Basis(against, self._contexts, verdicts)
        return claim_row(self._record, of, line.claim, judgement, basis, "; ".join(filter(None, notes)))

    def _said_by_reference(self, line: ClaimLine) -> str:
        """What the reference says of a claim of the answer, where the contexts don't say the same."""
        row = self.row(ANSWER, line, REFERENCE)
        if row is None or line.contexts is None:
            return ""
        if row.label == "supported" and line.contexts.any.holds is not True:
            return BORNE_OUT
        if row.label != "contradicted" or (line.denied and line.denied.any.holds):
            return ""
        return "the reference contradicts it" + (f': "{row.quote}"' if row.quote else "")
