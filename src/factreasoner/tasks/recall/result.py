"""What factual recall finds of one record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from factreasoner.metrics.samples import LabelledClaim
from factreasoner.models import P_DIGITS, Atom, Usage, Verdict, counted
from factreasoner.tasks.claim_task import ClaimResult
from factreasoner.tasks.verdicts import p_borne_out

TRUE, FALSE, UNANSWERED = 0, 1, 2
"""Classes of a fact's value; people know the first two."""


class RecallResult(ClaimResult):
    """The facts an answer should state, with the verdicts of the answer (premise `answer`) on them.

    `reference` is the right answer, where the record has it.
    """

    facts: tuple[Atom, ...] = ()
    reference: str | None = None

    def in_brief(self) -> list[str]:
        """Facts by what became of them, and recall."""
        said = {True: "stated", False: "not stated", None: "unanswered"}
        scored = scored_recall(self)
        recall = [] if scored.recall is None else [f"recall {scored.recall:.3f}"]
        return [counted("fact", (said[fact.value] for fact in scored.facts)), *recall]

    @property
    def recall(self) -> float | None:
        """Share of the answered facts that the answer states; None where none was answered."""
        return scored_recall(self).recall

    @property
    def missed(self) -> tuple[Atom, ...]:
        """The facts that the answer does not state; those that stayed unanswered are not among them."""
        return tuple(judged.fact for judged in scored_recall(self).facts if judged.value is False)

    @property
    def unanswered(self) -> tuple[Atom, ...]:
        """The facts for which no verdict could be had; `failures` say why."""
        return tuple(judged.fact for judged in scored_recall(self).facts if judged.value is None)


class JudgedFact(NamedTuple):
    """A fact with its verdict, None where it stayed unanswered.

    True: the answer states it, P above one half. Everything else that was answered is False, silence too.
    """

    fact: Atom
    verdict: Verdict | None

    @property
    def value(self) -> bool | None:
        """Whether the answer states it; None where that is not known."""
        return None if self.verdict is None else self.verdict.supports

    @property
    def p_true(self) -> float | None:
        """Probability that the answer states the fact; None where that is not known."""
        return None if self.verdict is None else round(p_borne_out(self.verdict), P_DIGITS)

    def content(self) -> dict[str, Any]:
        """The fact with its value and verdict, ready for JSON."""
        return {
            "id": self.fact.id,
            "text": self.fact.text,
            "value": self.value,
            "p_true": self.p_true,
            "verdict": None if self.verdict is None else self.verdict.label,
            "quote": None if self.verdict is None else self.verdict.quote,
            **({} if self.fact.gold is None else {"label": self.fact.gold == "S"}),
        }


class ScoredRecall(NamedTuple):
    """A result with what its metrics are computed from."""

    result: RecallResult
    facts: tuple[JudgedFact, ...]
    usage: Usage

    def count(self, value: bool | None) -> int:
        """How many facts have that value."""
        return sum(fact.value is value for fact in self.facts)

    @property
    def recall(self) -> float | None:
        """True facts as a share of those answered."""
        true, false = self.count(True), self.count(False)
        return true / (true + false) if true + false else None

    @property
    def labels(self) -> list[LabelledClaim]:
        """The facts that people labelled; those unanswered are of a class of their own, at 0.5."""
        return list(self._labels())

    def _labels(self) -> Iterator[LabelledClaim]:
        said = {True: TRUE, False: FALSE, None: UNANSWERED}
        for judged in self.facts:
            if judged.fact.gold is not None:
                gold = TRUE if judged.fact.gold == "S" else FALSE
                p_true = 0.5 if judged.p_true is None else judged.p_true
                yield LabelledClaim(p_true, said[judged.value], gold)


def scored_recall(result: RecallResult) -> ScoredRecall:
    """A result with its facts and verdicts put together."""
    verdicts = {verdict.target_id: verdict for verdict in result.verdicts}
    facts = tuple(JudgedFact(fact, verdicts.get(fact.id)) for fact in result.facts)
    return ScoredRecall(result, facts, sum(result.usage.values(), Usage()))
