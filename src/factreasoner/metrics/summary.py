"""The content of summary.json, added up from assessments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from factreasoner.metrics.factuality import (
    FACTUALITY,
    GAMMA,
    JUDGED,
    KSetting,
    record_k,
    scored_record,
)
from factreasoner.metrics.result_line import confusion_counts, disputed_atoms, pruned_fields, result_line
from factreasoner.metrics.run_counts import ReviewList, RunCounts
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.statistics import wilson
from factreasoner.metrics.table import Estimate, Metric, OfRecords
from factreasoner.models import Assessment, Marginals, Outcome, Pruned, Support, judged_atoms

_ATOM_COUNTS = ("judged", *get_args(Support), "disputed", "unjudged", "partly_judged")


class Summary:
    """Adds up assessments into the content of summary.json; holds 300 bytes a record and 10 a labelled atom.

    `k_setting` is the setting, `k` what `resolve_k` made of it; `gamma` is for the length penalty.
    """

    def __init__(self, k_setting: KSetting, k: int | None, *, gamma: float | None = None) -> None:
        self._k_setting = k_setting
        self._k = k
        self._gamma = gamma
        self._counts = RunCounts()
        self._atoms = Counter(dict.fromkeys(_ATOM_COUNTS, 0))
        self._contexts = 0
        self._solving = _SolverTotals()
        self._evidence = _EvidenceTotals()
        self._answers: Counter[str] = Counter()
        self._audit: Counter[str] = Counter()
        self._sampling = FACTUALITY.sampling()
        self._review = ReviewList("atom")

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
            self._review.add(*place, item.support, item.p_true, disputed=item.atom.id in disputed)
        self._counts.add(assessment, assessment.all_failures, outcome.verdicts if outcome else ())
        self._atoms.update(item.support for item in scored.judged)
        self._atoms.update(
            judged=line["num_atoms"],
            disputed=len(disputed),
            unjudged=len(line["unjudged_atoms"]),
            partly_judged=len(line["partly_judged_atoms"]),
        )
        self._contexts += line["num_contexts"]
        self._evidence.add(assessment, line)
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
            self._audit.update(outcome.audit.model_dump())

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
            "worst_atoms": self._review.content(),
            "contexts": self._contexts,
            **self._evidence.content(),
            "answers": dict(self._answers),
            **counts,
            "solver": self._solving.content(),
            "audit": _audit_fields(**self._audit) if self._audit else None,
            "gold": _gold_summary(sample, found),
        }


class _SolverTotals:
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


class _EvidenceTotals:
    """Contexts dropped, pages unread, searches, and relations that counted only once, over a run.

    Records that have atoms and no context to judge them by are counted too.
    """

    def __init__(self) -> None:
        self._counts = Counter(without_contexts=0, dropped_contexts=0, unread_pages=0)
        self._searched: Counter[str] = Counter()
        self._independence = Counter(records=0, shared_sources=0, relations_left_out=0)
        self._credibility: Counter[str] = Counter()
        self._used_domains: set[str] = set()
        self._pruned: Counter[str] = Counter()

    def add(self, assessment: Assessment, line: Mapping[str, Any]) -> None:
        """Count one record by its result line."""
        dropped = len(line["dropped_contexts"])
        without = bool(assessment.p_true) and dropped == len(assessment.contexts)
        self._counts.update(
            without_contexts=without, dropped_contexts=dropped, unread_pages=len(line["unread_pages"])
        )
        self._searched.update(line["searched"])
        if line["independence"]:
            self._independence.update(
                records=1,
                shared_sources=len(line["shared_sources"]),
                relations_left_out=line["relations_left_out"],
            )
        outcome = assessment.outcome
        if outcome is not None and outcome.pruned is not None:
            self._pruned.update(outcome.pruned.model_dump())
        if outcome is not None and line.get("credibility"):
            self._credibility.update(line["credibility"])
            self._used_domains.update(outcome.used_domains)

    def content(self) -> dict[str, Any]:
        used = {"used_domains": sorted(self._used_domains)}
        return {
            **self._counts,
            "searched": dict(self._searched),
            "independence": dict(self._independence),
            "pruned": pruned_fields(Pruned(**self._pruned)) if self._pruned else None,
            "credibility": {**self._credibility, **used} if self._credibility else None,
        }


def _audit_fields(asked: int, disagreed: int) -> dict[str, Any]:
    rate = disagreed / asked if asked else None
    return {"asked": asked, "disagreed": disagreed, "rate": rate, "interval_95": wilson(disagreed, asked)}


def _is_mean(metric: Metric, gamma: float | None) -> bool:
    """Whether the metric is among the means; those against labels are under "gold"."""
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
