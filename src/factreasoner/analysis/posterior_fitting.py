"""The calibration of posteriors, fitted to labels of atoms: what is in the file that `calibrate` writes.

A calibration is kept if it does better on records it was not fitted to, by scores before it and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from factreasoner.calibration.applying import (
    JUDGED_BY,
    MAY_BE_CHANCE,
    Calibration,
    calibration_of,
    settings_of,
)
from factreasoner.calibration.calibrators import FITS, AnyCalibrator, Identity
from factreasoner.errors import RunError
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.metrics.claim_scores import (
    CalibrationError,
    brier,
    brier_parts,
    log_loss,
    macro_f1,
    reliability_bins,
)
from factreasoner.metrics.comparison import paired
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.metrics.statistics import Statistic
from factreasoner.metrics.table import SHARE, number
from factreasoner.models import SMALLEST_P, Assessment, judged_atoms, side_of
from factreasoner.models.wording import number_of
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings.values import CalibrationMethod

FOLDS = 5
ALIKE_DIGITS = 3
"""A gain that the table shows as 0.000 is none."""
LEAST, LEAST_OF_EACH, LEAST_RECORDS = 20, 5, 5
"""A fit needs so many probabilities with a known outcome, so many of either outcome, in so many records."""
LARGEST_LOSS = -float(np.log(SMALLEST_P))
LOWER_IS_BETTER = frozenset({"log_loss", "ece", "brier"})
BOUNDS = {"log_loss": (0.0, LARGEST_LOSS)}
"""Of a score that is no share."""
CONCLUDED_BY = (*JUDGED_BY, "assessor", "version", "factors", "atom_prior", "context_prior", "independence")
"""Settings that decide what a posterior means."""


def calibrate_posteriors(
    run: FinishedRun[Assessment],
    gold: GoldFile | None,
    *,
    method: CalibrationMethod = "platt",
    seed: int = 0,
) -> Calibration:
    """Fit P(atom is true) to the atoms' labels, those of the run's input or of `gold`; S is right.

    Atoms at 0.5 are left out, as they stay there. The verdicts' calibration that the run was made with stays
    in force.

    Raises:
        InputError: no label of `gold` is for an atom of the run.
        RunError: the posteriors are calibrated already, no atom is labelled, or there is too little.
    """
    earlier = calibration_of(run.config)
    if earlier.posteriors not in (None, Identity()):
        raise RunError(
            f"{run.path}: its posteriors are already calibrated by {run.config.calibration}; calibrate a run "
            "without it"
        )
    rows = [
        (item.p_true, item.atom.gold == "S", number)
        for number, assessment in enumerate(run.results())
        for item in judged_atoms(gold.apply(assessment) if gold else assessment)
        if item.atom.gold is not None
    ]
    if gold is not None:
        gold.unused()
    decided = [row for row in rows if side_of(row[0])]
    at_half = len(rows) - len(decided)
    known = Claims.of(*(zip(*decided, strict=True) if decided else ((), (), ())))
    if lack := _too_little(known, at_half):
        raise RunError(f"{run.path}: {lack}")
    fitted = fit(known, method, seed=seed)
    source = {
        "run": run.manifest.run_id,
        "settings": settings_of(run.config, CONCLUDED_BY),
        "method": method,
        "seed": seed,
        "folds": FOLDS,
        "gold": None if gold is None else str(gold.path),
        "counts": {"labelled": len(known.p), "at_half": at_half},
        "fits": {"posteriors": fitted.held_out},
        "notes": list(_notes_on_posteriors(run, fitted, known, at_half)),
    }
    return earlier.model_copy(
        update={"posteriors": fitted.calibrator, "source": {**earlier.source, "posteriors": source}}
    )


def _too_little(known: Claims, at_half: int) -> str | None:
    """Why nothing can be learnt from the posteriors of labelled atoms, with the numbers."""
    if not len(known.p) and not at_half:
        return "no judged atom is labelled; give labels with --gold FILE"
    if not len(known.p):
        return f"nothing to fit to: all labelled atoms ({at_half}) are at 0.5, without evidence"
    aside = f"; {at_half} at 0.5 beside these" if at_half else ""
    remedy = "label more of its atoms (--gold FILE), or fit to a larger run with the same settings"
    return (lack := shortage(known)) and f"too little to calibrate with: {lack}{aside}; {remedy}"


def _notes_on_posteriors(
    run: FinishedRun[Assessment], fitted: Fitted, known: Claims, at_half: int
) -> Iterator[str]:
    """What a reader must know before trusting the fit."""
    yield from filter(None, [run.unfinished])
    if run.config.calibration is not None:
        yield (
            f"the run was calibrated by {run.config.calibration}: where that was fitted on these records, "
            "the scores after are not all of held-out records"
        )
    if at_half:
        yield f"{number_of(at_half, 'labelled atom')} at 0.5: they stay there, and the fit leaves them out"
    after = fitted.calibrator.apply(known.p)
    changed = sum(side_of(p) != side_of(q) for p, q in zip(known.p, after, strict=True))
    before, after = fitted.held_out["before"], fitted.held_out["after"]
    if changed:
        yield (
            f"P of {changed} of {len(known.p)} labelled atoms crosses 1/2: accuracy and F1 "
            f"change (macro-F1 held out {before['macro_f1']:.3f} -> {after['macro_f1']:.3f}), and "
            "so may the labels of atoms with evidence; --method temperature moves none"
        )
    interval = fitted.held_out["gain"]["brier"]["interval_95"]
    if fitted.calibrator == Identity():
        score, loss = (f"{before[name]:.4f} -> {after[name]:.4f}" for name in ("brier", "log_loss"))
        yield (
            f"posteriors: no gain on held-out records (Brier {score}, log loss {loss}): the file leaves them "
            "unchanged"
        )
    elif interval is None or interval[0] <= 0:
        yield f"posteriors: the gain in the Brier score {MAY_BE_CHANCE}"


class Scores(NamedTuple):
    """Statistics that can be compared, the claims to show in bins of their probability, and other values."""

    statistics: Mapping[str, Statistic]
    binned: Claims
    beside: Mapping[str, Any] = {}


class Fitted(NamedTuple):
    """A calibrator fitted to everything, and how its method did on records held out of the fit.

    The calibrator is the identity if the method did not help these records; `held_out` has its parameters,
    the method that was tried, and what `improvement` says.
    """

    calibrator: AnyCalibrator
    held_out: dict[str, Any]


def shortage(known: Claims) -> str | None:
    """Why there is too little to fit a calibrator to, with the numbers; None when there is enough."""
    hits, records = int(known.hits.sum()), len(np.unique(known.record))
    misses = len(known.hits) - hits
    if len(known.hits) >= LEAST and min(hits, misses) >= LEAST_OF_EACH and records >= LEAST_RECORDS:
        return None
    found = f"{len(known.hits)} with a known outcome ({hits} right, {misses} wrong)"
    needed = f"{LEAST}, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong, in {LEAST_RECORDS} records"
    return f"{found} in {number_of(records, 'record')}; it takes {needed}"


def fit(known: Claims, method: CalibrationMethod = "platt", *, seed: int = 0) -> Fitted:
    """A calibrator of that method, or the identity where it does not help records held out of the fit.

    It helps where both the Brier score and the log loss of held-out records get better. `seed` decides which
    records are held out together.
    """
    found = improvement(known, held_out(known, method, seed=seed))
    calibrator = FITS[method](known.p, known.hits) if helps(found) else Identity()
    return Fitted(calibrator, calibrator.model_dump(mode="json") | {"tried": method} | found)


def helps(found: Mapping[str, Any]) -> bool:
    """Whether both proper scores, Brier and log loss, are lower after than before."""
    gains = (found["gain"][name]["value"] for name in ("brier", "log_loss"))
    return all(round(gain, ALIKE_DIGITS) > 0 for gain in gains)


def improvement(known: Claims, after: Floats) -> dict[str, Any]:
    """How good probabilities were, and are `after`, in the same order; there is at least one.

    With `compared` come how many there are, how many right, and in how many records.
    """
    sizes = {"n": len(known.p), "positives": int(known.hits.sum()), "records": len(np.unique(known.record))}
    then = known._replace(p=after, said=np.where(after > 0.5, 0, 1))
    return sizes | compared(scores_of_posteriors(known), scores_of_posteriors(then))


def held_out(known: Claims, method: CalibrationMethod, *, seed: int = 0) -> Floats:
    """Every probability calibrated by a fit to other records."""
    after = np.empty_like(known.p)
    for train, test in folds(known.record, seed=seed):
        after[test] = FITS[method](known.p[train], known.hits[train]).apply(known.p[test])
    return after


def folds(record: Ints, *, seed: int = 0) -> Iterator[tuple[Ints, Ints]]:
    """Places to fit to and places held out; a record is wholly in one or the other."""
    numbers = np.random.default_rng(seed).permutation(np.unique(record))
    for chosen in np.array_split(numbers, min(FOLDS, len(numbers))):
        outside = np.isin(record, chosen)
        yield np.flatnonzero(~outside), np.flatnonzero(outside)


def scores_of_posteriors(claims: Claims) -> Scores:
    """Scores of what is calibrated, lower is better; beside them the parts of Brier, and macro-F1."""
    found = {"brier": brier(claims), "log_loss": log_loss(claims), "ece": CalibrationError(claims)}
    beside = brier_parts(claims) | {"macro_f1": number(macro_f1(claims).value)}
    return Scores(found, claims, beside)


def compared(before: Scores, after: Scores) -> dict[str, Any]:
    """Values before and after, and gains with 95 % intervals over records; above 0 is better."""
    found: dict[str, Any] = {
        when: {name: number(statistic.value) for name, statistic in scores.statistics.items()}
        | {**scores.beside, "bins": [part._asdict() for part in reliability_bins(scores.binned)]}
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
