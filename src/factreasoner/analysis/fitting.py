"""The calibration of verdicts, fitted to labelled pairs and scored on records held out of the fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.analysis.labelled_pairs import Pairs, pairs_of_corrections, pairs_of_relations
from factreasoner.errors import RunError
from factreasoner.judges.calibration import (
    JUDGED_BY,
    LABELS,
    MAY_BE_CHANCE,
    UNCHANGED,
    Calibration,
    LabelOffsets,
    calibrated_verdicts,
    log_shares,
    logs,
    settings_of,
)
from factreasoner.judges.settings import Unlisted
from factreasoner.metrics.claim_scores import (
    AreaUnderROC,
    CalibrationError,
    accuracy,
    brier,
    log_loss,
    macro_f1,
)
from factreasoner.metrics.comparison import paired
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import Statistic
from factreasoner.metrics.table import SHARE, finite_or_none
from factreasoner.models import SMALLEST_P, Assessment, Label, judged_atoms
from factreasoner.models.formatting import number_of
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.protocols import Solver
from factreasoner.runs.corrections import Corrections
from factreasoner.runs.finished import FinishedRun

FOLDS = 5
OFFSETS_PENALTY = 0.01
"""Weight of the squared parameters, divided by the number of verdicts; it only bounds them."""
BALANCE = 0.5
"""Share of the loss in which each label counts equally; in the rest each verdict does.

Without it, the rare contradictions would almost never be predicted.
"""
WIDEST = 20.0
KEPT = ("labelled", "neutral_for_contradiction")
"""Names of the counts of verdicts used in the fit."""
LOWER_IS_BETTER = frozenset({"log_loss", "ece", "brier"})
BOUNDS = {"log_loss": (0.0, -float(np.log(SMALLEST_P)))}
NATURAL_RATES = (
    "offsets depend on how often each label occurs: label every pair of records that resemble your data, "
    "not hand-picked pairs"
)
CORRECTIONS_ALONE = (
    "corrections do not follow natural rates: verdicts without one count as right, read or not; labels of "
    "whole records (`relations`) are better"
)


def calibrate_verdicts(
    run: FinishedRun[Assessment], relations: Path, *, unlisted: Unlisted = "missing", seed: int = 0
) -> Calibration:
    """Fit offsets for a run's verdicts to the labels in `relations`; see `pairs_of_relations`.

    Raises:
        InputError: the file can't be read, or labels no verdict of this run.
        RunError: there is too little data to fit.
    """
    source = {"gold": str(relations), "unlisted": unlisted, "seed": seed, "notes": [NATURAL_RATES]}
    return _fitted(run, pairs_of_relations(run, relations, unlisted=unlisted), source)


def calibrate_by_corrections(
    run: FinishedRun[Assessment], corrections: Corrections, *, seed: int = 0
) -> Calibration:
    """Fit to a reader's corrections; other verdicts of the corrected records count as right.

    Raises RunError: there is too little data to fit.
    """
    source = {"gold": str(corrections.file), "seed": seed, "notes": [CORRECTIONS_ALONE]}
    return _fitted(run, pairs_of_corrections(run, corrections), source)


def _fitted(run: FinishedRun[Assessment], pairs: Pairs, message: dict[str, Any]) -> Calibration:
    """The calibration; `message` names the source of the labels."""
    if lack := pairs.shortage():
        raise RunError(
            f"{run.path}: too little to calibrate verdicts with {message['gold']}: {lack}; give more"
        )
    after = np.empty_like(pairs.p)
    by_record: dict[int, LabelOffsets] = {}
    for train, test in folds(pairs.record, seed=message["seed"]):
        offsets = fit_offsets(pairs.p[train], pairs.gold[train], pairs.labels)
        after[test] = offsets.apply(pairs.p[test])
        by_record |= dict.fromkeys(pairs.record[test].tolist(), offsets)
    found = gains(
        scores_of_labels(pairs.p, pairs.gold, pairs.record, pairs.predicted),
        scores_of_labels(after, pairs.gold, pairs.record),
    )
    helps = found["gain"]["log_loss"]["value"] > 0 and found["gain"]["macro_f1"]["value"] >= 0
    offsets = fit_offsets(pairs.p, pairs.gold, pairs.labels) if helps else UNCHANGED
    fits = {"verdicts": {**offsets.model_dump(), **pairs.sizes(), **found}}
    if rows := list(_atoms(run, by_record)):
        before, calibrated, right, record = zip(*rows, strict=True)
        atoms = (Claims.of(p, right, record) for p in (before, calibrated))
        scores = ({"accuracy": accuracy(a), "auroc": AreaUnderROC(a), "brier": brier(a)} for a in atoms)
        fits["atoms"] = {"n": len(rows), **gains(*map(Scores, scores))}
    interval = found["gain"]["macro_f1"]["interval_95"]
    may_be_chance = helps and (interval is None or interval[0] <= 0)
    doubt = [f"verdicts: {MAY_BE_CHANCE}"] if may_be_chance else []
    source = (
        message
        | run.model_setup
        | {
            "run": run.manifest.run_id,
            "settings": settings_of(run.config, JUDGED_BY),
            "folds": FOLDS,
            "counts": dict(pairs.counts),
            "fits": fits,
            "may_be_chance": may_be_chance,
            "notes": [*message["notes"], *_notes(run, fits, pairs.counts, helps=helps), *doubt],
        }
    )
    return Calibration(verdicts=offsets, source={"verdicts": source})


def _atoms(
    run: FinishedRun[Assessment], offsets: Mapping[int, LabelOffsets]
) -> Iterator[tuple[float, float, bool, int]]:
    """For each labelled atom: P(true) before and after calibration, its label, and its record's index.

    `offsets` maps a record's index to the offsets fitted without that record.
    """
    config = run.config.model_copy(update={"calibration": None})
    solver: Solver = SOLVER.make(config.solver, {"config": config})
    for place, assessment in enumerate(run.results()):
        outcome, labelled = assessment.outcome, [atom for atom in assessment.atoms if atom.gold is not None]
        if place not in offsets or outcome is None or outcome.graph is None or not labelled:
            continue
        found = []
        for chosen in (UNCHANGED, offsets[place]):
            changed = run.task.with_verdicts(assessment, calibrated_verdicts(outcome.verdicts, chosen))
            found.append({i.atom.id: i.p_true for i in judged_atoms(rescore(changed, solver, config))})
        for atom in labelled:
            if all(atom.id in p_true for p_true in found):
                yield found[0][atom.id], found[1][atom.id], atom.gold == "S", place


def _notes(
    run: FinishedRun[Assessment], fits: Mapping[str, Any], counts: Mapping[str, int], *, helps: bool
) -> Iterator[str]:
    yield from filter(None, [run.unfinished])
    left_out = [
        f"{n} {name.replace('_', ' ')}" for name, n in sorted(counts.items()) if n and name not in KEPT
    ]
    if left_out:
        yield f"{counts['labelled']} verdicts have a label; excluded: {', '.join(left_out)}"
    if of_contradiction := counts["neutral_for_contradiction"]:
        labels = number_of(of_contradiction, "label")
        yield f"the judge never contradicts: {labels} of contradiction taken for neutral"
    if not helps:
        yield "verdicts: no gain on held-out records: the file leaves them unchanged"
        return
    if "atoms" in fits and fits["atoms"]["gain"]["brier"]["value"] < 0:
        before, after = (fits["atoms"][when]["brier"] for when in ("before", "after"))
        yield (
            f"atoms get worse though verdicts get better (Brier {before:.3f} -> {after:.3f} on records held "
            "out): a doubtful support that becomes neutral is no longer evidence; do not use this calibration"
        )


def fit_offsets(p: Floats, gold: Ints, labels: Sequence[Label] = LABELS) -> LabelOffsets:
    """The temperature and offsets of least loss; `gold` are right labels as indices into `LABELS`.

    `labels` are those that the judge can give, in the order of `LABELS`; `gold` has no others. The loss is
    the log loss, averaged half over verdicts and half over labels.
    """
    from scipy.optimize import minimize

    places = [LABELS.index(label) for label in labels]
    log_p, right, size = logs(p)[:, places], np.searchsorted(places, gold), len(gold)
    counts = np.bincount(right, minlength=len(labels))
    weights = (1 - BALANCE) / size + BALANCE / (counts > 0).sum() / counts[right]

    def loss(values: Floats) -> float:
        sharpness, *offsets = values
        found = log_shares(log_p * sharpness + (0.0, *offsets))[np.arange(size), right]
        return float(-(weights * found).sum() + OFFSETS_PENALTY / size * np.sum((values - start) ** 2))

    start = np.array([1.0] + [0.0] * (len(labels) - 1))
    bounds = [(1 / WIDEST, WIDEST)] + [(-WIDEST, WIDEST)] * (len(labels) - 1)
    sharpness, *offsets = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x.tolist()
    of_labels = dict.fromkeys(LABELS[1:]) | dict(zip(labels[1:], offsets, strict=True))
    return LabelOffsets(temperature=1 / sharpness, **of_labels)


def folds(record: Ints, *, seed: int = 0) -> Iterator[tuple[Ints, Ints]]:
    """Indices to fit to and indices held out; a record is never split between them."""
    numbers = np.random.default_rng(seed).permutation(np.unique(record))
    for chosen in np.array_split(numbers, min(FOLDS, len(numbers))):
        outside = np.isin(record, chosen)
        yield np.flatnonzero(~outside), np.flatnonzero(outside)


class Scores(NamedTuple):
    """Statistics that can be compared, and other values."""

    statistics: Mapping[str, Statistic]
    beside: Mapping[str, Any] = {}


def scores_of_labels(p: Floats, gold: Ints, record: Ints, predicted: Ints | None = None) -> Scores:
    """Scores of the labels `predicted`, by default the most probable ones.

    `p` has shape (pairs, 3); labels are indices into `LABELS`.
    """
    predicted = p.argmax(axis=1) if predicted is None else predicted
    every = np.arange(len(gold))
    classes = Claims(int(record.max()) + 1, record, p[every, predicted], predicted, gold)
    chosen = Claims.of(p[every, predicted], predicted == gold, record)
    of_gold = Claims.of(p[every, gold], np.ones(len(gold)), record)
    recalls = {
        f"recall_{label}": float((predicted[gold == place] == place).mean())
        for place, label in enumerate(LABELS)
        if place in gold
    }
    statistics = {
        "accuracy": accuracy(classes, len(LABELS)),
        "macro_f1": macro_f1(classes, len(LABELS)),
        "log_loss": log_loss(of_gold),
        "ece": CalibrationError(chosen),
    }
    return Scores(statistics, recalls)


def gains(before: Scores, after: Scores) -> dict[str, Any]:
    """Values before and after, and gains with 95 % intervals over records; positive is better."""
    found: dict[str, Any] = {
        when: {
            **{name: finite_or_none(statistic.value) for name, statistic in scores.statistics.items()},
            **scores.beside,
        }
        for when, scores in (("before", before), ("after", after))
    }
    gains = {}
    for name, statistic in before.statistics.items():
        one, other = statistic, after.statistics[name]
        if name not in LOWER_IS_BETTER:
            one, other = other, one
        gain = paired(one, other, BOUNDS.get(name, SHARE))
        gains[name] = {"value": gain.value, "interval_95": gain.interval, "reason": gain.reason}
    return found | {"gain": gains}
