"""Lines of results.jsonl and the content of summary.json, computed from assessments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from factreasoner.metrics.evidence import EvidenceTally, evidence_fields
from factreasoner.metrics.factuality import KSetting, record_k
from factreasoner.metrics.factuality_table import FACTUALITY, GAMMA, JUDGED, ScoredRecord, scored_record
from factreasoner.metrics.intervals import wilson
from factreasoner.metrics.run_counts import RunCounts, shared_fields
from factreasoner.metrics.samples import Claims, Sample
from factreasoner.metrics.statistics import confusion
from factreasoner.metrics.table import Estimate, Metric, OfRecords, Sampling
from factreasoner.metrics.worst import Worst
from factreasoner.models import (
    P_DIGITS,
    Assessment,
    Audit,
    FactualityScores,
    JudgedAtom,
    Marginals,
    Outcome,
    Support,
    judged_atoms,
    side_of,
)

SUPPORTS: tuple[Support, ...] = get_args(Support)
COUNTS = (
    *("k", "num_atoms", "num_contexts", "num_true_atoms", "num_false_atoms", "num_uniform_atoms"),
    *("num_supported_atoms", "num_contradicted_atoms", "num_conflicting_atoms"),
)
"""The numbers of a result line that are no metrics."""
_ATOM_COUNTS = ("judged", *SUPPORTS, "disputed", "unjudged", "partly_judged")
CONFUSION = ("true_positive", "true_negative", "false_positive", "false_negative")


def result_line(
    assessment: Assessment, k: int | None, gamma: float | None = None, *, scored: ScoredRecord | None = None
) -> dict[str, Any]:
    """One line of results.jsonl: JSON-ready, None and never NaN for what could not be computed.

    The names are those of IBM's code where it has them. The gold fields are there when a label is, those of
    the length penalty when `gamma` is given. `scored` saves computing it again.
    """
    outcome = assessment.outcome
    record = scored or scored_record(assessment, k, gamma)
    judged = record.judged
    known = {item.atom.id for item in judged}
    return {
        "id": assessment.record_id,
        "status": assessment.status,
        **FACTUALITY.line(record),
        **_count_fields(record.scores),
        **({} if gamma is None else {"gamma": gamma, "length_penalty": record.penalty}),
        "unjudged_atoms": [atom.id for atom in assessment.atoms if atom.id not in known],
        "partly_judged_atoms": list(outcome.partly_judged) if outcome else [],
        "marginals": [
            {"variable": item.atom.id, "probabilities": [round(1.0 - item.p_true, P_DIGITS), item.p_true]}
            for item in judged
        ],
        "factuality_score_per_atom": [
            {item.atom.id: {"score": item.p_true, "support": _said(item)}} for item in judged
        ],
        "avg_explogprob": _exp(record.scores.avg_logprob),
        "predictions": {item.atom.id: _said(item) for item in judged},
        **(_gold_fields(record) if record.labelled else {}),
        "assessor": assessment.assessor,
        **evidence_fields(assessment),
        "solver": _solver_fields(outcome.marginals if outcome else None),
        **shared_fields(assessment, assessment.all_failures),
    }


def _said(item: JudgedAtom) -> str:
    """S where P > 0.5, else NS: the paper's rule."""
    return "S" if side_of(item.p_true) > 0 else "NS"


def _exp(logarithm: float | None) -> float | None:
    return None if logarithm is None else math.exp(logarithm)


def disputed_atoms(judged: Sequence[JudgedAtom], outcome: Outcome | None) -> list[str]:
    """Ids of judged atoms that a passage supports and a passage contradicts, sorted."""
    verdicts = outcome.verdicts if outcome else ()
    supported = {verdict.target_id for verdict in verdicts if verdict.supports}
    contradicted = {verdict.target_id for verdict in verdicts if verdict.contradicts}
    return sorted({item.atom.id for item in judged} & supported & contradicted)


def _count_fields(scores: FactualityScores) -> dict[str, Any]:
    return {name: getattr(scores, name) for name in COUNTS}


def _gold_fields(record: ScoredRecord) -> dict[str, Any]:
    return {
        "gold_true_atoms": sum(claim.gold == 0 for claim in record.labels),
        "gold_num_atoms": len(record.labels),
        "gold_left_out": record.left_out,
        **confusion_counts(FACTUALITY.claims_of(record)),
        "references": {atom.id: atom.gold for atom in record.assessment.atoms if atom.gold is not None},
    }


def confusion_counts(claims: Claims) -> dict[str, int]:
    """Counts of predictions (P > 0.5 or not) against labels (S or not) over the labelled atoms."""
    cells = confusion(claims).sum(axis=0)
    return {name: int(cell) for name, cell in zip(CONFUSION, cells, strict=True)}


def _solver_fields(marginals: Marginals | None) -> dict[str, Any] | None:
    if marginals is None:
        return None
    return {
        "name": marginals.solver,
        "exact": marginals.exact,
        "converged": marginals.converged,
        "width": marginals.width,
        "stderr": marginals.stderr,
    }


class Summary:
    """Adds up assessments into the content of summary.json; holds 300 bytes a record and 10 a labelled atom.

    `k_setting` is the setting, `k` what `resolve_k` made of it; `gamma` is that of the length penalty.
    """

    def __init__(self, k_setting: KSetting, k: int | None, *, gamma: float | None = None) -> None:
        self._k_setting = k_setting
        self._k = k
        self._gamma = gamma
        self._counts = RunCounts()
        self._atoms = Counter(dict.fromkeys(_ATOM_COUNTS, 0))
        self._contexts = 0
        self._solving = _Solving()
        self._evidence = EvidenceTally()
        self._answers: Counter[str] = Counter()
        self._audit: Audit | None = None
        self._sampling = Sampling(FACTUALITY)
        self._worst = Worst("atom")

    def k_of(self, assessment: Assessment) -> int | None:
        """The K this assessment is scored with."""
        return record_k(self._k_setting, self._k, len(judged_atoms(assessment)))

    def add(self, assessment: Assessment) -> dict[str, Any]:
        """Count one assessment; returns its result line."""
        scored = scored_record(assessment, self.k_of(assessment), self._gamma)
        line = result_line(assessment, scored.scores.k, self._gamma, scored=scored)
        self._sampling.add(assessment.record_id, scored)
        outcome = assessment.outcome
        disputed = disputed_atoms(scored.judged, outcome)
        for item in scored.judged:
            place = assessment.record_id, item.atom.id
            self._worst.add(*place, item.support, item.p_true, disputed=item.atom.id in disputed)
        self._counts.add(assessment, assessment.all_failures, outcome.verdicts if outcome else ())
        self._atoms.update(item.support for item in scored.judged)
        self._atoms.update(
            judged=line["num_atoms"],
            disputed=len(disputed),
            unjudged=len(line["unjudged_atoms"]),
            partly_judged=len(line["partly_judged_atoms"]),
        )
        self._contexts += line["num_contexts"]
        self._evidence.add(assessment)
        if outcome is not None:
            self._add_outcome(outcome)
        return line

    def sample(self) -> Sample:
        """The metrics' inputs of all records that were added, as arrays."""
        return self._sampling.sample()

    def _add_outcome(self, outcome: Outcome) -> None:
        self._answers.update(answer.support for answer in outcome.answers)
        self._counts.count_confidences(answer.confidence for answer in outcome.answers)
        if outcome.marginals is not None:
            self._solving.add(outcome.marginals)
        if outcome.audit is not None:
            before = self._audit or Audit(asked=0, disagreed=0)
            self._audit = Audit(
                asked=before.asked + outcome.audit.asked, disagreed=before.disagreed + outcome.audit.disagreed
            )

    def content(self) -> dict[str, Any]:
        """What summary.json holds: JSON-ready, None where there is nothing to compute from."""
        counts = self._counts.content()
        sample = self.sample()
        found = FACTUALITY.estimates(sample)
        means = {m.line_name: found[m.name] for m in FACTUALITY.shown_in("line") if _is_mean(m, self._gamma)}
        return {
            "records": counts.pop("records"),
            "k_setting": self._k_setting,
            "k": self._k,
            "gamma": self._gamma,
            "metrics": {name: item.content() for name, item in found.items()},
            "mean": {name: item.value for name, item in means.items()},
            "interval_95": {name: item.interval for name, item in means.items()},
            "atoms": dict(self._atoms),
            "worst_atoms": self._worst.content(),
            "contexts": self._contexts,
            **self._evidence.content(),
            "answers": dict(self._answers),
            **counts,
            "solver": self._solving.content(),
            "audit": _audit_fields(self._audit),
            "gold": _gold_summary(sample, found),
        }


class _Solving:
    """How posteriors were computed over a run."""

    def __init__(self) -> None:
        self._records: Counter[str] = Counter()
        self._exact = 0
        self._not_converged = 0
        self._width: int | None = None
        self._stderr: float | None = None

    def add(self, marginals: Marginals) -> None:
        self._records[marginals.solver] += 1
        self._exact += marginals.exact
        self._not_converged += marginals.converged is False
        widths = [width for width in (self._width, marginals.width) if width is not None]
        self._width = max(widths, default=None)
        errors = [error for error in (self._stderr, marginals.stderr) if error is not None]
        self._stderr = max(errors, default=None)

    def content(self) -> dict[str, Any]:
        return {
            "records": dict(self._records),
            "exact": self._exact,
            "approximate": self._records.total() - self._exact,
            "converged": not self._not_converged,
            "not_converged": self._not_converged,
            "largest_width": self._width,
            "largest_stderr": self._stderr,
        }


def _audit_fields(audit: Audit | None) -> dict[str, Any] | None:
    if audit is None:
        return None
    rate = audit.disagreed / audit.asked if audit.asked else None
    return {**audit.model_dump(), "rate": rate, "interval_95": wilson(audit.disagreed, audit.asked)}


def _is_mean(metric: Metric, gamma: float | None) -> bool:
    """Whether the metric stands among the means: those against labels stand under "gold"."""
    return isinstance(metric.average, OfRecords) and (
        metric.needs is JUDGED or (metric.needs is GAMMA and gamma is not None)
    )


def _gold_summary(sample: Sample, found: Mapping[str, Estimate]) -> dict[str, Any] | None:
    if not len(sample.claims.p) and not sample.left_out.any():
        return None
    names = ("accuracy", "f1", "macro_f1", "auroc", "brier", "ece", "mae_precision")
    return {
        "num_atoms": len(sample.claims.p),
        "num_left_out": int(sample.left_out.sum()),
        "confusion": confusion_counts(sample.claims),
        **{name: found[name].value for name in names},
        "num_records": int((sample.claims.by_record > 0).sum()),
        "mean_precision": found["labelled_precision"].value,
        "mean_gold_precision": found["gold_precision"].value,
        "mean_precision_interval": found["labelled_precision"].interval,
        "mae_precision_interval": found["mae_precision"].interval,
        "few_records": FACTUALITY.few_records(sample),
    }
