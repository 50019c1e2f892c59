"""Lines of results.jsonl and the content of summary.json, computed from assessments."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from factreasoner.metrics.evidence import EvidenceTally, evidence_fields
from factreasoner.metrics.factuality import (
    FactualityScores,
    KSetting,
    factuality,
    judged_atoms,
    length_penalty,
    record_k,
)
from factreasoner.metrics.gold import GoldScores, GoldTally, labelled_atoms
from factreasoner.metrics.intervals import bootstrap_mean, wilson
from factreasoner.models import Assessment, Audit, Failure, Marginals, Outcome, Status, Usage

STAGES = ("atomizer", "reviser", "query_builder", "retriever", "summarizer", "evaluator")
"""The stages a pipeline runs one after another; other stages that took time ran inside one of these."""

MEANS = (
    "factuality_score",
    "precision_low",
    "precision_high",
    "recall_k",
    "f1_k",
    "entropy",
    "avg_entropy",
    "norm_entropy",
    "avg_norm_entropy",
    "avg_prob",
    "avg_logprob",
)
"""Fields of a result line whose mean over the records that have them is in the summary."""

STATUSES = get_args(Status)
MESSAGES_KEPT, MESSAGES_SHOWN = 100, 5
"""Of how many different failure messages occurrences are counted, and how many are in the summary."""
ATOM_COUNTS = ("judged", "supported", "contradicted", "undecided", "unverified", "unjudged", "partly_judged")
PENALISED = "penalised_score"
"""The precision times FActScore's length penalty: a field of result lines where there is a gamma."""
WITH_INTERVAL = ("factuality_score", "f1_k", "avg_entropy")


def result_line(assessment: Assessment, k: int | None, gamma: float | None = None) -> dict[str, Any]:
    """One line of results.jsonl: JSON-ready, None and never NaN for what could not be computed.

    The names are those of IBM's code where it has them. The gold fields are there when a label is, those of
    the length penalty when `gamma` is given.
    """
    outcome = assessment.outcome
    judged = judged_atoms(assessment)
    known = {item.atom.id for item in judged}
    scores = factuality(assessment, k)
    return {
        "id": assessment.record_id,
        "status": assessment.status,
        **_score_fields(scores),
        **({} if gamma is None else _penalty_fields(assessment, scores.precision, gamma)),
        "unjudged_atoms": [atom.id for atom in assessment.atoms if atom.id not in known],
        "partly_judged_atoms": list(outcome.partly_judged) if outcome else [],
        "marginals": [
            {"variable": item.atom.id, "probabilities": [1.0 - item.p_true, item.p_true]} for item in judged
        ],
        "predictions": {item.atom.id: "S" if item.support == "supported" else "NS" for item in judged},
        **_gold_fields(assessment),
        "input": assessment.prompt,
        "output": assessment.response,
        "topic": assessment.topic,
        "model_name": assessment.model,
        "assessor": assessment.assessor,
        "failures": [failure.model_dump() for failure in failures_of(assessment)],
        **evidence_fields(assessment),
        "solver": _solver_fields(outcome.marginals if outcome else None),
        "usage": sum(assessment.usage.values(), Usage()).model_dump(),
        "elapsed_seconds": sum(assessment.seconds.get(stage, 0.0) for stage in STAGES),
        "metadata": assessment.metadata,
    }


def failures_of(assessment: Assessment) -> list[Failure]:
    """Every failure of a record, each once: those of its stages, then those of its judgements."""
    inner = assessment.outcome.failures if assessment.outcome else ()
    return list(dict.fromkeys((*assessment.failures, *inner)))


def _score_fields(scores: FactualityScores) -> dict[str, Any]:
    fields = scores._asdict()
    return {"factuality_score": fields.pop("precision"), **fields}


def _penalty_fields(assessment: Assessment, precision: float | None, gamma: float) -> dict[str, Any]:
    penalty = length_penalty(assessment, gamma)
    score = None if precision is None or penalty is None else penalty * precision
    return {"gamma": gamma, "length_penalty": penalty, PENALISED: score}


def _gold_fields(assessment: Assessment) -> dict[str, Any]:
    labelled = labelled_atoms(assessment)
    if labelled is None:
        return {}
    confusion = labelled.confusion
    return {
        "gold_factuality_score": labelled.gold_precision,
        "gold_true_atoms": confusion.true_positive + confusion.false_negative,
        "gold_num_atoms": len(labelled.atoms),
        "gold_left_out": labelled.left_out,
        "gold_accuracy": confusion.accuracy,
        "gold_f1": confusion.f1,
        "gold_macro_f1": confusion.macro_f1,
        **confusion._asdict(),
        "avg_brier": labelled.brier,
        "references": {atom.id: atom.gold for atom in assessment.atoms if atom.gold is not None},
    }


def _solver_fields(marginals: Marginals | None) -> dict[str, Any] | None:
    if marginals is None:
        return None
    return {
        "name": marginals.solver,
        "exact": marginals.exact,
        "width": marginals.width,
        "stderr": marginals.stderr,
    }


class Summary:
    """Adds up assessments into the content of summary.json; holds 100 bytes a record and 9 a labelled atom.

    `k_setting` is the setting, `k` what `resolve_k` made of it; `seed` is the bootstrap's, `gamma` that of
    the result lines.
    """

    def __init__(
        self, k_setting: KSetting, k: int | None, *, seed: int = 0, gamma: float | None = None
    ) -> None:
        self._k_setting = k_setting
        self._k = k
        self._seed = seed
        self._gamma = gamma
        self._values = {name: array("d") for name in (*MEANS, *(() if gamma is None else (PENALISED,)))}
        self._status = Counter(dict.fromkeys(STATUSES, 0))
        self._atoms = Counter(dict.fromkeys(ATOM_COUNTS, 0))
        self._contexts = 0
        self._failures: Counter[str] = Counter()
        self._messages: Counter[str] = Counter()
        self._verdicts: dict[str, Counter[str]] = {
            name: Counter() for name in ("label", "confidence", "citation")
        }
        self._usage: dict[str, Usage] = {}
        self._seconds: dict[str, float] = {}
        self._elapsed = 0.0
        self._solving = _Solving()
        self._evidence = EvidenceTally()
        self._answers: Counter[str] = Counter()
        self._audit: Audit | None = None
        self._gold = GoldTally()

    def k_of(self, assessment: Assessment) -> int | None:
        """The K this assessment is scored with."""
        return record_k(self._k_setting, self._k, len(judged_atoms(assessment)))

    def add(self, assessment: Assessment, line: Mapping[str, Any]) -> None:
        """Count one assessment; `line` is its result line."""
        self._status[assessment.status] += 1
        for name, values in self._values.items():
            if line[name] is not None:
                values.append(line[name])
        self._atoms.update(
            judged=line["num_atoms"],
            supported=line["num_true_atoms"],
            contradicted=line["num_contradicted_atoms"],
            undecided=line["num_undecided_atoms"],
            unverified=line["num_uniform_atoms"] - line["num_undecided_atoms"],
            unjudged=len(line["unjudged_atoms"]),
            partly_judged=len(line["partly_judged_atoms"]),
        )
        self._contexts += line["num_contexts"]
        self._evidence.add(assessment)
        for failure in line["failures"]:
            self._failures[failure["stage"]] += 1
            if failure["message"] in self._messages or len(self._messages) < MESSAGES_KEPT:
                self._messages[failure["message"]] += 1
        for stage, usage in assessment.usage.items():
            self._usage[stage] = self._usage.get(stage, Usage()) + usage
        for stage, seconds in assessment.seconds.items():
            self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds
        self._elapsed += line["elapsed_seconds"]
        if assessment.outcome is not None:
            self._add_outcome(assessment.outcome)
        labelled = labelled_atoms(assessment)
        if labelled is not None:
            self._gold.add(labelled)

    def _add_outcome(self, outcome: Outcome) -> None:
        for name, counts in self._verdicts.items():
            counts.update(value for verdict in outcome.verdicts if (value := getattr(verdict, name)))
        self._answers.update(answer.support for answer in outcome.answers)
        self._verdicts["confidence"].update(answer.confidence for answer in outcome.answers)
        if outcome.marginals is not None:
            self._solving.add(outcome.marginals)
        if outcome.audit is not None:
            before = self._audit or Audit(asked=0, disagreed=0)
            self._audit = Audit(
                asked=before.asked + outcome.audit.asked, disagreed=before.disagreed + outcome.audit.disagreed
            )

    def content(self) -> dict[str, Any]:
        """What summary.json holds: JSON-ready, None where there is nothing to compute from."""
        total = sum(self._usage.values(), Usage())
        return {
            "records": {"total": self._status.total(), **self._status},
            "k_setting": self._k_setting,
            "k": self._k,
            "gamma": self._gamma,
            "mean": {name: _mean(values) for name, values in self._values.items()},
            "interval_95": {
                name: bootstrap_mean(self._values[name], seed=self._seed) for name in WITH_INTERVAL
            },
            "atoms": dict(self._atoms),
            "contexts": self._contexts,
            **self._evidence.content(),
            "verdicts": dict(self._verdicts["label"]),
            "answers": dict(self._answers),
            "confidences": dict(self._verdicts["confidence"]),
            "citations": dict(self._verdicts["citation"]),
            "failures": {
                "total": self._failures.total(),
                "by_stage": dict(self._failures),
                "messages": dict(self._messages.most_common(MESSAGES_SHOWN)),
            },
            "solver": self._solving.content(),
            "audit": _audit_fields(self._audit),
            "usage": {
                "total": total.model_dump(),
                "by_stage": {stage: usage.model_dump() for stage, usage in self._usage.items()},
            },
            "seconds": {"total": self._elapsed, "by_stage": dict(self._seconds)},
            "gold": _gold_summary(self._gold.scores(seed=self._seed)),
        }


class _Solving:
    """How posteriors were computed over a run."""

    def __init__(self) -> None:
        self._records: Counter[str] = Counter()
        self._exact = 0
        self._width: int | None = None
        self._stderr: float | None = None

    def add(self, marginals: Marginals) -> None:
        self._records[marginals.solver] += 1
        self._exact += marginals.exact
        widths = [width for width in (self._width, marginals.width) if width is not None]
        self._width = max(widths, default=None)
        errors = [error for error in (self._stderr, marginals.stderr) if error is not None]
        self._stderr = max(errors, default=None)

    def content(self) -> dict[str, Any]:
        return {
            "records": dict(self._records),
            "exact": self._exact,
            "approximate": self._records.total() - self._exact,
            "largest_width": self._width,
            "largest_stderr": self._stderr,
        }


def _audit_fields(audit: Audit | None) -> dict[str, Any] | None:
    if audit is None:
        return None
    rate = audit.disagreed / audit.asked if audit.asked else None
    return {**audit.model_dump(), "rate": rate, "interval_95": wilson(audit.disagreed, audit.asked)}


def _gold_summary(scores: GoldScores | None) -> dict[str, Any] | None:
    if scores is None:
        return None
    fields = scores._asdict()
    return {**fields, "confusion": fields["confusion"]._asdict()}


def _mean(values: array[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
