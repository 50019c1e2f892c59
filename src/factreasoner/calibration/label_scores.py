"""How good labels are before a calibration of verdicts and after it, and what becomes of atoms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from factreasoner.calibration.cross_validation import LARGEST_LOSS
from factreasoner.calibration.label_offsets import LABELS
from factreasoner.metrics.auroc import AreaUnderROC
from factreasoner.metrics.comparison import paired
from factreasoner.metrics.intervals import Interval
from factreasoner.metrics.reliability import CalibrationError, reliability_bins
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import (
    Statistic,
    accuracy,
    accuracy_of_classes,
    brier,
    log_loss,
    macro_f1_of_classes,
)
from factreasoner.metrics.table import SHARE, number

LOWER_IS_BETTER = frozenset({"log_loss", "ece", "brier"})
LOSSES = (0.0, LARGEST_LOSS)


class Scores(NamedTuple):
    """Statistics that can be compared, and other values that stand beside them."""

    statistics: Mapping[str, Statistic]
    beside: Mapping[str, Any]


def scores_of_labels(p: Floats, gold: Ints, record: Ints) -> Scores:
    """Scores of the most probable labels; `p` has the shape (pairs, 3), `gold` are places in `LABELS`."""
    said = p.argmax(axis=1)
    classes = Claims(int(record.max()) + 1, record, p.max(axis=1), said, gold)
    chosen = Claims.of(p.max(axis=1), said == gold, record)
    of_gold = Claims.of(p[np.arange(len(gold)), gold], np.ones(len(gold)), record)
    recalls = {
        f"recall_{label}": float((said[gold == place] == place).mean())
        for place, label in enumerate(LABELS)
        if place in gold
    }
    statistics = {
        "accuracy": accuracy_of_classes(classes, len(LABELS)),
        "macro_f1": macro_f1_of_classes(classes, len(LABELS)),
        "log_loss": log_loss(of_gold),
        "ece": CalibrationError(chosen),
    }
    return Scores(statistics, {**recalls, "bins": [part._asdict() for part in reliability_bins(chosen)]})


def scores_of_atoms(claims: Claims) -> Scores:
    """Scores of the posteriors of labelled atoms."""
    found = {"accuracy": accuracy(claims), "auroc": AreaUnderROC(claims), "brier": brier(claims)}
    return Scores(found, {"bins": [part._asdict() for part in reliability_bins(claims)]})


def compared(before: Scores, after: Scores) -> dict[str, Any]:
    """Values before and after, and gains with 95 % intervals over records; above 0 is better."""
    found: dict[str, Any] = {
        when: {name: number(statistic.value) for name, statistic in scores.statistics.items()}
        | dict(scores.beside)
        for when, scores in (("before", before), ("after", after))
    }
    gains = {}
    for name, statistic in before.statistics.items():
        one, other = statistic, after.statistics[name]
        if name not in LOWER_IS_BETTER:
            one, other = other, one
        value, interval = paired(one, other, LOSSES if name == "log_loss" else SHARE)
        gains[name] = {"value": value, "interval_95": interval if isinstance(interval, Interval) else None}
    return found | {"gain": gains}
