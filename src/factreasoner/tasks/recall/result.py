"""What factual recall finds of one record, and its facts as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from factreasoner.metrics.samples import LabelledClaim
from factreasoner.models import Atom, Usage, counted
from factreasoner.tasks.claim_task import ClaimResult
from factreasoner.tasks.rows import Basis, ClaimRow, by_claim, claim_row, judgement_of
from factreasoner.tasks.verdicts import ANSWER, p_borne_out

FACTS = "facts"
TRUE, FALSE, UNANSWERED = 0, 1, 2
"""Classes of a fact's value; people know the first two."""
CLASSES = {True: TRUE, False: FALSE, None: UNANSWERED}


class RecallResult(ClaimResult):
    """The facts an answer should state, with the verdicts of the answer (premise `answer`) on them.

    `reference` is the right answer, where the record has it.
    """

    facts: tuple[Atom, ...] = ()
    reference: str | None = None

    def in_brief(self) -> list[str]:
        """Facts by what became of them, and recall."""
        said = {True: "stated", False: "not stated", None: "unanswered"}
        recall = [] if self.recall is None else [f"recall {self.recall:.3f}"]
        return [counted("fact", (said[stated(row)] for row in fact_rows(self))), *recall]

    @property
    def recall(self) -> float | None:
        """Share of the answered facts that the answer states; None where none was answered."""
        return scored_recall(self).recall

    @property
    def missed(self) -> tuple[Atom, ...]:
        """The facts that the answer does not state; those that stayed unanswered are not among them."""
        return self._facts(False)

    @property
    def unanswered(self) -> tuple[Atom, ...]:
        """The facts for which no verdict could be had; `failures` say why."""
        return self._facts(None)

    def _facts(self, value: bool | None) -> tuple[Atom, ...]:
        judged = zip(self.facts, fact_rows(self), strict=True)
        return tuple(fact for fact, row in judged if stated(row) is value)


def fact_rows(result: RecallResult) -> Iterator[ClaimRow]:
    """Every fact held against the answer; one that stayed unanswered has no label."""
    verdicts = by_claim(result.verdicts)
    for fact in result.facts:
        own = verdicts.get(fact.id, [])[-1:]
        judgement = judgement_of(p_borne_out(own[0]) if own else None, own)
        yield claim_row(result.record_id, FACTS, fact, judgement, Basis(ANSWER, {}, own))


def stated(row: ClaimRow) -> bool | None:
    """Whether the answer states a fact, P above one half; None where that is not known.

    Everything else that was answered is False, silence too.
    """
    return None if row.label is None else row.label == "supported"


class ScoredRecall(NamedTuple):
    """A result with what its metrics are computed from; `facts` are its rows."""

    result: RecallResult
    facts: tuple[ClaimRow, ...]
    usage: Usage

    def count(self, value: bool | None) -> int:
        """How many facts have that value."""
        return sum(stated(fact) is value for fact in self.facts)

    @property
    def recall(self) -> float | None:
        """True facts as a share of those answered."""
        true, false = self.count(True), self.count(False)
        return true / (true + false) if true + false else None

    @property
    def labels(self) -> list[LabelledClaim]:
        """The facts that people labelled; those unanswered are of a class of their own, at 0.5."""
        return [
            LabelledClaim(
                0.5 if fact.p_true is None else fact.p_true,
                CLASSES[stated(fact)],
                TRUE if fact.gold == "S" else FALSE,
            )
            for fact in self.facts
            if fact.gold is not None
        ]


def scored_recall(result: RecallResult) -> ScoredRecall:
    """A result with its facts and verdicts put together."""
    return ScoredRecall(result, tuple(fact_rows(result)), sum(result.usage.values(), Usage()))
