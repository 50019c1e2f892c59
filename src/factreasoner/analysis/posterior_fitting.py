"""The calibration of posteriors, fitted to labels of atoms: what is in the file that `calibrate` writes."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.calibration.applying import JUDGED_BY, Calibration, calibration_of, settings_of
from factreasoner.calibration.calibrators import Identity
from factreasoner.calibration.cross_validation import FOLDS, Fitted, fit, shortage
from factreasoner.errors import RunError
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.metrics.samples import Claims
from factreasoner.models import Assessment, judged_atoms, side_of
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings.choices import CalibrationMethod

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
        "run": str(run.path),
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
        return f"all {at_half} labelled atoms are at 0.5: there is no evidence to fit to"
    aside = f"; {at_half} at 0.5 beside these" if at_half else ""
    return (lack := shortage(known)) and f"too little to calibrate by: {lack}{aside}"


def _notes_on_posteriors(
    run: FinishedRun[Assessment], fitted: Fitted, known: Claims, at_half: int
) -> Iterator[str]:
    """What a reader must know before trusting the fit."""
    yield from filter(None, [run.unfinished])
    if run.config.calibration is not None:
        yield (
            f"the run was calibrated by {run.config.calibration}: where that was fitted on these records, "
            "the scores after are not wholly of records held out"
        )
    if at_half:
        yield f"{at_half} labelled atoms are at 0.5: they stay there and are left out here"
    changed = sum(side_of(p) != side_of(fitted.calibrator.apply(p)) for p in known.p.tolist())
    if changed:
        yield f"the labels of {changed} of {len(known.p)} atoms change; --method temperature changes none"
    before, after = fitted.held_out["before"], fitted.held_out["after"]
    interval = fitted.held_out["gain"]["brier"]["interval_95"]
    if fitted.calibrator == Identity():
        brier, loss = (f"{before[name]:.4f} -> {after[name]:.4f}" for name in ("brier", "log_loss"))
        yield (
            f"posteriors: no gain on records held out (Brier {brier}, log loss {loss}): the file leaves them "
            "unchanged"
        )
    elif interval is None or interval[0] <= 0:
        yield "posteriors: the gain in the Brier score may be chance"
