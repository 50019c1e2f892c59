"""Predictions against human labels, for one record and for a data set.

S is the positive class; NS, C (contradicted) and U (neither) are all not S. Atoms without a label are left
out of everything here; labelled atoms left out of n, because no judgement of them was obtained, are left out
too and counted.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factreasoner.metrics.calibration import auroc, brier, expected_calibration_error
from factreasoner.metrics.factuality import judged_atoms
from factreasoner.metrics.intervals import Interval, bootstrap_mean
from factreasoner.models import Assessment


class Labelled(NamedTuple):
    """An atom that has both a posterior and a label."""

    p_true: float
    supported: bool
    gold: bool


class LabelledAtoms(NamedTuple):
    """The labelled atoms of one record; `left_out` counts those that could not be judged."""

    atoms: tuple[Labelled, ...]
    left_out: int

    @property
    def precision(self) -> float | None:
        """Pr over the labelled atoms."""
        return _share(atom.supported for atom in self.atoms)

    @property
    def gold_precision(self) -> float | None:
        """Pr*: the precision the labels give."""
        return _share(atom.gold for atom in self.atoms)

    @property
    def brier(self) -> float | None:
        """Brier score."""
        return brier([atom.p_true for atom in self.atoms], [atom.gold for atom in self.atoms])

    @property
    def confusion(self) -> Confusion:
        """Counts of predictions against labels."""
        pairs = [(atom.supported, atom.gold) for atom in self.atoms]
        return Confusion(*(pairs.count(pair) for pair in _CELLS))


class Confusion(NamedTuple):
    """How many atoms were predicted what, against their labels."""

    true_positive: int = 0
    true_negative: int = 0
    false_positive: int = 0
    false_negative: int = 0

    def plus(self, other: Confusion) -> Confusion:
        """The counts of both."""
        return Confusion(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def accuracy(self) -> float | None:
        """Share of right predictions; None for no atoms."""
        return (self.true_positive + self.true_negative) / sum(self) if sum(self) else None

    @property
    def f1(self) -> float | None:
        """F1 of S; None when S is neither a label nor predicted."""
        return _f1(self.true_positive, self.false_positive + self.false_negative)

    @property
    def macro_f1(self) -> float | None:
        """Mean of the F1 of S and of NS; of one alone when the other is neither a label nor predicted."""
        both = (self.f1, _f1(self.true_negative, self.false_positive + self.false_negative))
        defined = [f1 for f1 in both if f1 is not None]
        return sum(defined) / len(defined) if defined else None


_CELLS = ((True, True), (False, False), (True, False), (False, True))
"""(predicted, gold) of the counts of a Confusion, in its order."""


class GoldScores(NamedTuple):
    """A data set against its labels: the first block over atoms, the second one over records.

    `mae_precision` is the mean of |Pr - Pr*|. Intervals are None for fewer than two records.
    """

    num_atoms: int
    num_left_out: int
    confusion: Confusion
    accuracy: float | None
    f1: float | None
    macro_f1: float | None
    auroc: float | None
    brier: float | None
    ece: float | None

    num_records: int
    mean_precision: float | None
    mean_gold_precision: float | None
    mae_precision: float | None
    mean_precision_interval: Interval | None
    mae_precision_interval: Interval | None


def labelled_atoms(assessment: Assessment) -> LabelledAtoms | None:
    """The labelled atoms of a record; None when it has no label at all."""
    labels = sum(atom.gold is not None for atom in assessment.atoms)
    if not labels:
        return None
    atoms = tuple(
        Labelled(item.p_true, item.support == "supported", item.atom.gold == "S")
        for item in judged_atoms(assessment)
        if item.atom.gold is not None
    )
    return LabelledAtoms(atoms, labels - len(atoms))


class GoldTally:
    """Adds up records against their labels; holds nine bytes an atom and 16 a record."""

    def __init__(self) -> None:
        self._confusion = Confusion()
        self._left_out = 0
        self._p_true = array("d")
        self._gold = array("b")
        self._precision = array("d")
        self._gold_precision = array("d")

    def add(self, labelled: LabelledAtoms) -> None:
        """Count one record."""
        self._left_out += labelled.left_out
        self._confusion = self._confusion.plus(labelled.confusion)
        self._p_true.extend(atom.p_true for atom in labelled.atoms)
        self._gold.extend(atom.gold for atom in labelled.atoms)
        if labelled.precision is not None and labelled.gold_precision is not None:
            self._precision.append(labelled.precision)
            self._gold_precision.append(labelled.gold_precision)

    def scores(self, *, seed: int = 0) -> GoldScores | None:
        """Scores over all records added; None when no labelled atom was seen."""
        if not self._gold and not self._left_out:
            return None
        pairs = zip(self._precision, self._gold_precision, strict=True)
        errors = array("d", (abs(precision - gold) for precision, gold in pairs))
        return GoldScores(
            num_atoms=len(self._gold),
            num_left_out=self._left_out,
            confusion=self._confusion,
            accuracy=self._confusion.accuracy,
            f1=self._confusion.f1,
            macro_f1=self._confusion.macro_f1,
            auroc=auroc(self._p_true, self._gold),
            brier=brier(self._p_true, self._gold),
            ece=expected_calibration_error(self._p_true, self._gold),
            num_records=len(errors),
            mean_precision=_mean(self._precision),
            mean_gold_precision=_mean(self._gold_precision),
            mae_precision=_mean(errors),
            mean_precision_interval=bootstrap_mean(self._precision, seed=seed),
            mae_precision_interval=bootstrap_mean(errors, seed=seed),
        )


def _share(flags: Iterable[bool]) -> float | None:
    items = list(flags)
    return sum(items) / len(items) if items else None


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _f1(hits: int, misses: int) -> float | None:
    return 2 * hits / (2 * hits + misses) if hits or misses else None
