"""The metrics of factual recall.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), section 4: error
rate, and F1 of the facts that are not stated.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from factreasoner.metrics.samples import Claims, Sample
from factreasoner.metrics.statistics import OfSums, Statistic, ratio
from factreasoner.metrics.table import COUNT, Metric, Need, OfClaims, OfRecords, Place, Table
from factreasoner.metrics.usage_metrics import usage_metrics
from factreasoner.tasks.recall.result import FALSE, UNANSWERED, ScoredRecall

FEW_RECORDS = 20


def _count(value: bool | None) -> OfRecords:
    """Number of facts of that value; None of a record without facts."""
    return OfRecords(lambda record: record.count(value) if record.facts else None)


def error_rate(claims: Claims) -> Statistic:
    """Share of the answered facts where judge and people differ."""
    answered = claims.said != UNANSWERED
    wrong = answered & (claims.said != claims.gold)
    return OfSums(claims.sums(np.stack([wrong, answered])), lambda sums: ratio(sums[..., 0], sums[..., 1]))


def f1_false(claims: Claims) -> Statistic:
    """F1 of "the answer does not state it" over all facts; one that stayed unanswered was not found.

    Undefined where people call no fact False, and where none was answered.
    """
    said, gold = claims.said == FALSE, claims.gold == FALSE
    answered = claims.said != UNANSWERED

    def function(sums: np.ndarray) -> np.ndarray:
        hits, found, wanted, told = (sums[..., column] for column in range(4))
        return np.where((wanted > 0) & (told > 0), ratio(2 * hits, found + wanted), np.nan)

    found = OfSums(claims.sums(np.stack([said & gold, said, gold, answered])), function)
    found.present = (found.parts[:, 1:3] != 0).any(axis=1)  # no False, no part in it
    return found


def _no_labels(sample: Sample) -> str:
    return "every labelled fact is unanswered" if len(sample.claims.p) else "no fact is labelled"


def _none_false(sample: Sample) -> str:
    labels = sample.claims.gold
    return "people call no fact False" if len(labels) and not np.any(labels == FALSE) else _no_labels(sample)


def _none_answered(sample: Sample) -> str:
    facts = sample.values["num_facts"]
    return "no record has a fact" if np.isnan(facts).all() else "no fact was answered"


FACTS = Need("facts", lambda sample: "no record has a fact", lambda record: bool(record.facts))
ANSWERED = Need("answered facts", _none_answered, lambda record: bool(record.facts))
LABELS = Need("labelled facts", _no_labels, lambda record: bool(record.labels), labels=True)
FALSE_LABELS = Need("facts labelled false", _none_false, lambda record: bool(record.labels), labels=True)

SCORES: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")

score = partial(Metric, places=SCORES, tested=True)
count = partial(Metric, bounds=COUNT, decimals=1)

# fmt: off
METRICS = (
    score("recall", "recall", "share of answered facts that the answer states",
          ANSWERED, OfRecords(lambda record: record.recall)),
    count("num_facts", "facts", "facts a record",
          FACTS, OfRecords(lambda record: len(record.facts) or None), places=("line",)),
    count("num_true", "stated", "facts a record that the answer states",
          FACTS, _count(True), places=("line",)),
    count("num_false", "not stated", "facts a record that the answer does not state",
          FACTS, _count(False), places=("line",)),
    count("num_unanswered", "N/A", "facts a record that stayed unanswered",
          FACTS, _count(None), title="N/A a record", places=("line", "run", "evaluate", "compare"),
          better="lower"),
    score("error_rate", "error rate", "share of the answered facts where judge and people differ",
          LABELS, OfClaims(error_rate), better="lower", few=FEW_RECORDS),
    score("f1_false", "F1 False", "F1 of the facts that the answer does not state; one unanswered is missed",
          FALSE_LABELS, OfClaims(f1_false), better="higher", few=FEW_RECORDS),
    *usage_metrics(lambda record: record.usage),
)
# fmt: on

RECALL: Table[ScoredRecall] = Table(
    # A record none of whose facts was answered has scores all the same: how many these are, and f1_false.
    "recall",
    main="num_facts",
    claims=lambda record: (record.labels, 0),
    metrics=METRICS,
)
