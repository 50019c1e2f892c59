"""The result of factual recall, its facts as rows, and its metrics.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), section 4: error
rate, and F1 of the facts that are not stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from factreasoner.metrics.samples import Claims, LabelledClaim, Sample
from factreasoner.metrics.statistics import OfSums, Statistic, ratio
from factreasoner.metrics.table import COUNT, Metric, Need, OfClaims, OfRecords, Place, Table, usage_metrics
from factreasoner.models import Atom, Usage, counted
from factreasoner.tasks.rows import ANSWER, ClaimRow, Evidence, by_claim, claim_row, judgement_of, p_supported
from factreasoner.tasks.task import ClaimResult

FACTS = "facts"
TRUE, FALSE, UNANSWERED = 0, 1, 2
"""Classes of a fact's value; labels are one of the first two."""
CLASSES = {True: TRUE, False: FALSE, None: UNANSWERED}


class RecallResult(ClaimResult):
    """The facts an answer should state, with the verdicts of the answer (premise `answer`) on them.

    `reference` is the right answer, if the record has it.
    """

    facts: tuple[Atom, ...] = ()
    reference: str | None = None

    def in_brief(self) -> list[str]:
        """How many facts are stated or not, and recall."""
        said = {True: "stated", False: "not stated", None: "unanswered"}
        recall = [] if self.recall is None else [f"recall {self.recall:.3f}"]
        return [counted("fact", (said[stated(row)] for row in fact_rows(self))), *recall]

    @property
    def recall(self) -> float | None:
        """Share of the judged facts that the answer states; None where none was judged."""
        return scored_recall(self).recall

    @property
    def missed(self) -> tuple[Atom, ...]:
        """The facts that the answer does not state. Unanswered ones are not among them."""
        return self._facts(False)

    @property
    def unanswered(self) -> tuple[Atom, ...]:
        """The facts without a verdict; `failures` say why."""
        return self._facts(None)

    def _facts(self, value: bool | None) -> tuple[Atom, ...]:
        judged = zip(self.facts, fact_rows(self), strict=True)
        return tuple(fact for fact, row in judged if stated(row) is value)


def fact_rows(result: RecallResult) -> Iterator[ClaimRow]:
    """Every fact, judged against the answer. An unanswered one has no label."""
    verdicts = by_claim(result.verdicts)
    for fact in result.facts:
        own = verdicts.get(fact.id, [])[-1:]
        judgement = judgement_of(p_supported(own[0]) if own else None, own)
        yield claim_row(result.record_id, FACTS, fact, judgement, Evidence(ANSWER, {}, own))


def stated(row: ClaimRow) -> bool | None:
    """Whether the answer states a fact: P > 1/2, and the verdict says so. None where it was not judged."""
    return None if row.label is None else row.label == "supported"


class ScoredRecall(NamedTuple):
    """A result with its facts as rows."""

    result: RecallResult
    facts: tuple[ClaimRow, ...]
    usage: Usage

    def count(self, value: bool | None) -> int:
        """How many facts have that value."""
        return sum(stated(fact) is value for fact in self.facts)

    @property
    def recall(self) -> float | None:
        """Stated facts as a share of those judged."""
        true, false = self.count(True), self.count(False)
        return true / (true + false) if true + false else None

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Recall if the unanswered facts were all not stated, and all stated; empty without one."""
        true, open_, every = self.count(True), self.count(None), len(self.facts)
        return {"recall": (true / every, (true + open_) / every)} if open_ else {}

    @property
    def labels(self) -> list[LabelledClaim]:
        """The labelled facts. Unanswered ones are a class of their own, with P 0.5."""
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
    """A result with its facts as rows, and the usage of all stages."""
    return ScoredRecall(result, tuple(fact_rows(result)), sum(result.usage.values(), Usage()))


FEW_RECORDS = 20


def _count(value: bool | None) -> OfRecords:
    """Number of facts with that value; None for a record without facts."""
    return OfRecords(lambda record: record.count(value) if record.facts else None)


def error_rate(claims: Claims) -> Statistic:
    """Share of the answered facts on which judge and labels differ."""
    answered = claims.said != UNANSWERED
    wrong = answered & (claims.said != claims.gold)
    return OfSums(claims.sums(np.stack([wrong, answered])), lambda sums: ratio(sums[..., 0], sums[..., 1]))


def f1_false(claims: Claims) -> Statistic:
    """F1 of "the answer does not state it" over all facts; an unanswered fact counts as not found.

    Undefined where no label is False, and where no fact was answered.
    """
    said, gold = claims.said == FALSE, claims.gold == FALSE
    answered = claims.said != UNANSWERED

    def function(sums: np.ndarray) -> np.ndarray:
        hits, found, wanted, known = (sums[..., column] for column in range(4))
        return np.where((wanted > 0) & (known > 0), ratio(2 * hits, found + wanted), np.nan)

    found = OfSums(claims.sums(np.stack([said & gold, said, gold, answered])), function)
    found.present = (found.parts[:, 1:3] != 0).any(axis=1)  # a record without a False counts for nothing
    return found


def _no_labels(sample: Sample) -> str:
    return "every labelled fact is unanswered" if len(sample.claims.p) else "no fact is labelled"


def _none_false(sample: Sample) -> str:
    labels = sample.claims.gold
    return "people call no fact False" if len(labels) and not np.any(labels == FALSE) else _no_labels(sample)


def _none_answered(sample: Sample) -> str:
    facts = sample.values["num_facts"]
    return "no record has a fact" if np.isnan(facts).all() else "no fact was answered"


SOME_FACTS = Need("facts", lambda sample: "no record has a fact", lambda record: bool(record.facts))
ANSWERED = Need("answered facts", _none_answered, lambda record: bool(record.facts))
LABELS = Need("labelled facts", _no_labels, lambda record: bool(record.labels), labels=True)
FALSE_LABELS = Need("facts labelled false", _none_false, lambda record: bool(record.labels), labels=True)

SCORES: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")

score = partial(Metric, places=SCORES, tested=True)
count = partial(Metric, bounds=COUNT, decimals=1)

# fmt: off
METRICS = (
    score("recall", "recall", "share of answered facts that the answer states",
          ANSWERED, OfRecords(lambda record: record.recall), better="higher"),
    count("num_facts", "facts", "facts a record",
          SOME_FACTS, OfRecords(lambda record: len(record.facts) or None), places=("line",)),
    count("num_true", "stated", "facts a record that the answer states",
          SOME_FACTS, _count(True), places=("line",)),
    count("num_false", "not stated", "facts a record that the answer does not state",
          SOME_FACTS, _count(False), places=("line",)),
    count("num_unanswered", "N/A", "facts a record that stayed unanswered",
          SOME_FACTS, _count(None), title="N/A a record", places=("line", "run", "evaluate", "compare"),
          better="lower"),
    score("error_rate", "error rate", "share of the answered facts where judge and people differ",
          LABELS, OfClaims(error_rate), better="lower", few=FEW_RECORDS),
    score("f1_false", "F1 False", "F1 of the facts that the answer does not state; one unanswered is missed",
          FALSE_LABELS, OfClaims(f1_false), better="higher", few=FEW_RECORDS),
    *usage_metrics(lambda record: record.usage),
)
# fmt: on

RECALL: Table[ScoredRecall] = Table(
    # A record without an answered fact still has scores: the number of facts, and f1_false.
    "recall",
    main="num_facts",
    claims=lambda record: (record.labels, 0),
    metrics=METRICS,
)
