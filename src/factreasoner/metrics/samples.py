"""Records as numbers, from which every score can be computed again for any resample of the records."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.factuality import FactualityScores, factuality, judged_atoms
from factreasoner.metrics.gold import labelled_atoms
from factreasoner.models import Assessment, Gold, Support, Usage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SUPPORTS: tuple[Support, ...] = get_args(Support)
GOLDS: tuple[Gold, ...] = ("S", "C", "U", "NS")
"""Labels by their code in a sample; the first two are the supports' in their order."""

TAKEN_OVER = (
    "precision_low",
    "precision_high",
    "precision",
    "recall_k",
    "f1_k",
    "avg_entropy",
    "avg_norm_entropy",
    "avg_prob",
    "avg_logprob",
)
"""Values of a record that are fields of its FactualityScores."""

VALUES = (*SUPPORTS, *TAKEN_OVER, "gold_precision", "mae_precision", "calls", "tokens", "cost")
"""What is known of a record beside its labelled atoms; NaN where it has no such value."""


class Sample(NamedTuple):
    """Records in order, and their labelled judged atoms in any.

    `values[name]` has shape (records,). `atom_record` says by position whose an atom is; `atom_support` and
    `atom_gold` are positions in `SUPPORTS` and `GOLDS`. `left_out` counts by record the labelled atoms that
    were not judged.
    """

    ids: tuple[str, ...]
    values: dict[str, Floats]
    left_out: Ints
    atom_record: Ints
    atom_p: Floats
    atom_support: Ints
    atom_gold: Ints

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which records have a judged atom."""
        return ~np.isnan(self.values["precision"])

    @property
    def open(self) -> bool:
        """Whether atoms were judged and none of them is supported or contradicted."""
        decided = np.nansum(self.values["supported"]) + np.nansum(self.values["contradicted"])
        return bool(self.scored.any()) and not decided

    def take(self, records: Sequence[int] | Ints) -> Sample:
        """The sample of some records, each at most once, in the order given."""
        chosen = np.asarray(records, dtype=np.int64)
        place = np.full(len(self.ids), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        atoms = place[self.atom_record] >= 0
        return Sample(
            ids=tuple(self.ids[i] for i in chosen),
            values={name: values[chosen] for name, values in self.values.items()},
            left_out=self.left_out[chosen],
            atom_record=place[self.atom_record[atoms]],
            atom_p=self.atom_p[atoms],
            atom_support=self.atom_support[atoms],
            atom_gold=self.atom_gold[atoms],
        )

    def followed_by(self, other: Sample) -> Sample:
        """The records of both, first these."""
        return Sample(
            ids=self.ids + other.ids,
            values={name: np.concatenate([self.values[name], other.values[name]]) for name in self.values},
            left_out=np.concatenate([self.left_out, other.left_out]),
            atom_record=np.concatenate([self.atom_record, other.atom_record + len(self.ids)]),
            atom_p=np.concatenate([self.atom_p, other.atom_p]),
            atom_support=np.concatenate([self.atom_support, other.atom_support]),
            atom_gold=np.concatenate([self.atom_gold, other.atom_gold]),
        )


class Sampling:
    """Collects assessments into a sample; holds 170 bytes a record and 26 a labelled atom."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._values = {name: array("d") for name in VALUES}
        self._left_out = array("q")
        self._record = array("q")
        self._p = array("d")
        self._support = array("b")
        self._gold = array("b")

    def add(self, assessment: Assessment, k: int | None, usage: Usage | None = None) -> FactualityScores:
        """Count one assessment, scored with `k`; `usage` stands in for what its calls took."""
        place = len(self._ids)
        self._ids.append(assessment.record_id)
        scores = factuality(assessment, k)
        for name, value in (_values(assessment, scores) | _usage(assessment, usage)).items():
            self._values[name].append(float("nan") if value is None else value)
        for item in judged_atoms(assessment):
            if item.atom.gold is not None:
                self._record.append(place)
                self._p.append(item.p_true)
                self._support.append(SUPPORTS.index(item.support))
                self._gold.append(GOLDS.index(item.atom.gold))
        labelled = labelled_atoms(assessment)
        self._left_out.append(labelled.left_out if labelled else 0)
        return scores

    def sample(self) -> Sample:
        """What was collected."""
        return Sample(
            ids=tuple(self._ids),
            values={name: np.asarray(values, dtype=float) for name, values in self._values.items()},
            left_out=np.asarray(self._left_out, dtype=np.int64),
            atom_record=np.asarray(self._record, dtype=np.int64),
            atom_p=np.asarray(self._p, dtype=float),
            atom_support=np.asarray(self._support, dtype=np.int64),
            atom_gold=np.asarray(self._gold, dtype=np.int64),
        )


def _values(assessment: Assessment, scores: FactualityScores) -> dict[str, float | None]:
    labelled = labelled_atoms(assessment)
    counts = {
        "supported": scores.num_true_atoms,
        "contradicted": scores.num_contradicted_atoms,
        "undecided": scores.num_undecided_atoms,
        "unverified": scores.num_uniform_atoms - scores.num_undecided_atoms,
    }
    precision, gold = (labelled.precision, labelled.gold_precision) if labelled else (None, None)
    return {
        **(counts if scores.num_atoms else dict.fromkeys(counts)),
        **{name: getattr(scores, name) for name in TAKEN_OVER},
        "gold_precision": gold,
        "mae_precision": None if precision is None or gold is None else abs(precision - gold),
    }


def _usage(assessment: Assessment, usage: Usage | None) -> dict[str, float | None]:
    used = sum(assessment.usage.values(), Usage()) if usage is None else usage
    return {
        "calls": used.calls + used.cached_calls,
        "tokens": used.prompt_tokens + used.completion_tokens,
        "cost": used.cost,
    }
