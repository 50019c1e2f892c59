"""The metrics of factuality: of a record's atoms, and against human labels.

S is the positive class; NS, C (contradicted) and U (neither) are not S. Metrics against labels exclude
unlabelled atoms; labelled atoms that were not judged are excluded and counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import attrgetter
from typing import Literal, NamedTuple

from factreasoner.metrics import claim_scores
from factreasoner.metrics.samples import LabelledClaim, Sample
from factreasoner.metrics.statistics import OfClaims, OfRecords
from factreasoner.metrics.table import COUNT, EVERYWHERE, Better, Metric, Need, Table, usage_metrics
from factreasoner.models import (
    SMALLEST_P,
    Assessment,
    FactualityScores,
    Gold,
    JudgedAtom,
    Support,
    factuality,
    judged_atoms,
)

KSetting = int | Literal["median", "half"]
LABEL_CODES: dict[Support, int] = {"supported": 0, "contradicted": 1, "conflicting": 2, "unverified": 3}
GOLD: dict[Gold, int] = {"S": 0, "C": 1, "U": 2, "NS": 3}
CLASSES = 3
"""S, C and U. Conflicting and unverified count as U; NS may be C or U."""
FEW_RECORDS = 50


def resolve_k(setting: KSetting, counts: Iterable[int]) -> int | None:
    """The K of a run from its records' numbers of atoms; None if no record has atoms.

    "median" is VeriScore's (arXiv 2406.19276): the upper median over records with atoms. "half" differs by
    record, so the run has none: see `record_k`.
    """
    if isinstance(setting, int):
        return setting
    sizes = sorted(count for count in counts if count > 0)
    return sizes[len(sizes) // 2] if setting == "median" and sizes else None


def record_k(setting: KSetting, run_k: int | None, num_atoms: int) -> int | None:
    """The K of one record: the run's, or max(1, n // 2) for "half"."""
    return max(1, num_atoms // 2) if setting == "half" else run_k


def length_penalty(assessment: Assessment, gamma: float) -> float | None:
    """FActScore's penalty for short answers of n atoms: exp(1 - gamma / n) if n < `gamma`, else 1.

    Source: arXiv 2305.14251 and its code. Unjudged atoms count too. None without atoms.
    """
    n = len(assessment.atoms)
    if not n:
        return None
    return math.exp(1.0 - gamma / n) if n < gamma else 1.0


class ScoredRecord(NamedTuple):
    """An assessment with the inputs of its metrics.

    `labels` are those of its `judged` atoms; `left_out` counts labelled atoms that were not judged. `penalty`
    is FActScore's length penalty, None without `gamma` or atoms.
    """

    assessment: Assessment
    judged: tuple[JudgedAtom, ...]
    scores: FactualityScores
    labels: tuple[LabelledClaim, ...]
    left_out: int
    gamma: float | None
    penalty: float | None

    @property
    def labelled(self) -> bool:
        """Whether any atom has a label."""
        return bool(self.labels) or self.left_out > 0


def scored_record(assessment: Assessment, k: int | None, gamma: float | None = None) -> ScoredRecord:
    """Score an assessment with `k`."""
    judged = tuple(judged_atoms(assessment))
    labels = tuple(
        LabelledClaim(item.p_true, LABEL_CODES[item.support], GOLD[item.atom.gold])
        for item in judged
        if item.atom.gold is not None
    )
    return ScoredRecord(
        assessment,
        judged,
        factuality(assessment, k),
        labels,
        sum(atom.gold is not None for atom in assessment.atoms) - len(labels),
        gamma,
        None if gamma is None else length_penalty(assessment, gamma),
    )


def _labelled_precision(record: ScoredRecord) -> float | None:
    """The share of supported atoms among labelled ones."""
    return _share([claim.predicted == LABEL_CODES["supported"] for claim in record.labels])


def _gold_precision(record: ScoredRecord) -> float | None:
    """Pr*: the precision by human labels."""
    return _share([claim.gold == 0 for claim in record.labels])


def _share(flags: list[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _precision_error(record: ScoredRecord) -> float | None:
    found, true = _labelled_precision(record), _gold_precision(record)
    return None if found is None or true is None else abs(found - true)


def _penalised(record: ScoredRecord) -> float | None:
    if record.scores.precision is None or record.penalty is None:
        return None
    return record.penalty * record.scores.precision


def _count(support: Support) -> OfRecords:
    """The number of judged atoms with that label; None without judged atoms."""

    def function(record: ScoredRecord) -> float | None:
        if not record.scores.num_atoms:
            return None
        return sum(item.support == support for item in record.judged)

    return OfRecords(function)


def _score(name: str) -> OfRecords:
    """A metric that is a field of FactualityScores."""
    return OfRecords(attrgetter(f"scores.{name}"))


def _no_labels(sample: Sample) -> str:
    if len(sample.claims.p):
        return "it is undefined for these labels"
    if sample.left_out.any():
        return "no labelled atom could be judged"
    return "no judged atom is labelled"


def _one_kind(sample: Sample) -> str:
    claims = sample.claims
    if not len(claims.p):
        return _no_labels(sample)
    positive = int(claims.hits.sum())
    return f"it needs labels of both kinds; there are {positive} S and {len(claims.p) - positive} others"


def _not_finer(sample: Sample) -> str:
    return "no judged atom is labelled C or U" if len(sample.claims.p) else _no_labels(sample)


JUDGED = Need("judged atoms", lambda sample: "no record has a judged atom")
GAMMA = Need("gamma", lambda sample: "gamma is not set", lambda record: record.gamma is not None)
LABELS = Need("labels", _no_labels, lambda record: record.labelled, labels=True)
BOTH = Need("labels of both kinds", _one_kind, lambda record: False, labels=True)
FINER = Need("labels C or U", _not_finer, lambda record: False, labels=True)


BETTER: dict[Support, Better] = {"supported": "higher", "contradicted": "lower"}
UNRESOLVED = "not or partly judged, or P = 1/2"
MAX_E = math.log10(math.e) / math.e
"""The maximum of -P log10 P."""

# fmt: off
METRICS = (
    *(Metric(label, f"{label} atoms", f"{label} atoms per record", JUDGED, _count(label), bounds=COUNT,
             decimals=2, places=("compare",), better=BETTER.get(label)) for label in LABEL_CODES),
    Metric("precision", "precision", "share of a record's judged atoms that are supported", JUDGED,
           _score("precision"), tested=True, better="higher",
           places=EVERYWHERE),
    Metric("precision_low", "Pr low", f"precision with no unresolved atom supported ({UNRESOLVED})", JUDGED,
           _score("precision_low"), places=("line",)),
    Metric("precision_high", "Pr high", f"precision with all unresolved atoms supported ({UNRESOLVED})",
           JUDGED, _score("precision_high"), places=("line",)),
    Metric("penalised_score", "Pr · penalty", "precision times FActScore's penalty for short answers",
           GAMMA, OfRecords(_penalised), places=("line", "run")),
    Metric("f1_at_k", "F1@{k}", "harmonic mean of precision and recall at K", JUDGED, _score("f1_at_k"),
           places=("line", "run", "evaluate", "compare"), tested=True, better="higher"),
    Metric("factuality_score", "Pr (IBM's name)", "IBM's name for precision",
           JUDGED, _score("factuality_score"), places=("line",)),
    Metric("recall_k", "R@{k}", "supported atoms over K, at most 1", JUDGED,
           _score("recall_k"), places=("line",)),
    Metric("f1_k", "F1@{k} (IBM's name)", "IBM's name for f1_at_k", JUDGED,
           _score("f1_k"), places=("line",)),
    Metric("entropy", "sum E", "sum over a record's atoms of -P log10 P; divided by their number it is E",
           JUDGED, _score("entropy"), bounds=COUNT, places=("line",)),
    Metric("avg_entropy", "E", "mean over a record's atoms of -P log10 P; 0.150515 when nothing is known",
           JUDGED, _score("avg_entropy"), title="mean entropy E", bounds=(0.0, MAX_E),
           places=("line", "run", "evaluate", "compare"), tested=True),
    Metric("norm_entropy", "sum E in bits",
           "sum over a record's atoms of the binary entropy, not divided by n",
           JUDGED, _score("norm_entropy"), bounds=COUNT, places=("line",)),
    Metric("avg_norm_entropy", "E in bits", "mean over a record's atoms of the binary entropy", JUDGED,
           _score("avg_norm_entropy"), places=("line",)),
    Metric("avg_prob", "mean P", "mean probability of a record's atoms", JUDGED, _score("avg_prob"),
           places=("line",)),
    Metric("avg_logprob", "mean ln P", "mean over a record's atoms of ln P, P kept within [1e-6, 1 - 1e-6]",
           JUDGED, _score("avg_logprob"), bounds=(math.log(SMALLEST_P), 0.0), places=("line",)),
    Metric("gold_precision", "Pr*", "share of a record's labelled atoms with the label S", LABELS,
           OfRecords(_gold_precision), field="gold_factuality_score",
           places=("line", "evaluate", "groups")),
    Metric("labelled_precision", "Pr of labelled", "share of a record's labelled atoms that are supported",
           LABELS, OfRecords(_labelled_precision), places=()),
    Metric("accuracy", "accuracy", "share of labelled atoms for which S (supported) or NS is right", LABELS,
           OfClaims(claim_scores.accuracy), better="higher",
           field="gold_accuracy", places=("line", "run", "evaluate", "compare"), tested=True),
    Metric("f1", "F1", "F1 of S (supported) over labelled atoms", LABELS,
           OfClaims(claim_scores.f1), better="higher", field="gold_f1",
           places=("line", "evaluate", "compare"), tested=True),
    Metric("macro_f1", "macro-F1", "mean of the F1 of S (supported) and of NS over labelled atoms", LABELS,
           OfClaims(claim_scores.macro_f1), better="higher",
           field="gold_macro_f1", tested=True,
           places=EVERYWHERE),
    Metric("mae_precision", "MAE", "|share of a record's labelled atoms that are supported - Pr*|", LABELS,
           OfRecords(_precision_error), title="MAE of precision", better="lower",
           places=("run", "evaluate", "groups", "compare"), tested=True),
    Metric("auroc", "AUROC", "share of pairs of an S atom and another atom that P ranks correctly", BOTH,
           OfClaims(claim_scores.AreaUnderROC), better="higher",
           places=("run", "evaluate", "groups", "compare"), tested=True, few=FEW_RECORDS),
    Metric("brier", "Brier", "mean squared difference between P and label", LABELS,
           OfClaims(claim_scores.brier), better="lower", field="avg_brier",
           places=EVERYWHERE, tested=True),
    Metric("ece", "ECE", "mean over atoms of |mean P - share of S| in the atom's tenth", LABELS,
           OfClaims(claim_scores.CalibrationError), better="lower",
           places=("run", "evaluate", "compare"), tested=True, few=FEW_RECORDS),
    Metric("three_way_accuracy", "accuracy S/C/U",
           "share of atoms labelled S, C or U that are shown as supported, contradicted or neither", FINER,
           OfClaims(lambda claims: claim_scores.accuracy(claims, CLASSES)),
           better="higher", places=("evaluate",)),
    Metric("three_way_macro_f1", "macro-F1 S/C/U", "mean of the F1 of S, C and U, of atoms as shown", FINER,
           OfClaims(lambda claims: claim_scores.macro_f1(claims, CLASSES)),
           better="higher", places=("evaluate",)),
    *usage_metrics(attrgetter("assessment.total_usage")),
)
# fmt: on

FACTUALITY: Table[ScoredRecord] = Table(
    "factuality", main="precision", claims=lambda record: (record.labels, record.left_out), metrics=METRICS
)
