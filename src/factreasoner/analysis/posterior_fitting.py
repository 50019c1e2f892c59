"""Calibrations fitted to finished runs: what is in the file that `factreasoner calibrate` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.calibration.applying import JUDGED_BY, Calibration, calibration_of, settings_of
from factreasoner.calibration.calibrators import Identity
from factreasoner.calibration.cross_validation import FOLDS, Fitted, Improvement, Quality, fit, shortage
from factreasoner.errors import RunError
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.metrics.samples import Claims
from factreasoner.models import Assessment, judged_atoms, side_of
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings.choices import CalibrationMethod

CONCLUDED_BY = (*JUDGED_BY, "assessor", "version", "factors", "atom_prior", "context_prior", "independence")
"""Settings that decide what a posterior means."""


class Fitting(NamedTuple):
    """How calibrators are fitted: which method, and the seed of folds and intervals."""

    method: CalibrationMethod = "platt"
    seed: int = 0


class KnownOutcome(NamedTuple):
    """A probability, whether what was held with it turned out true, and its record's position in the run."""

    p: float
    hit: bool
    record: int


def claims_of(outcomes: Sequence[KnownOutcome]) -> Claims:
    """The outcomes as `Claims`: arrays of record index, probability and outcome (0 or 1), one entry each."""
    p, hits, record = zip(*outcomes, strict=True) if outcomes else ((), (), ())
    return Claims.of(p, hits, record)


def calibrate_posteriors(run: FinishedRun[Assessment], gold: GoldFile | None, how: Fitting) -> Calibration:
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
            f"{run.path}: its posteriors are calibrated already by {run.config.calibration}; calibrate a run "
            "without that"
        )
    outcomes: list[KnownOutcome] = []
    at_half = 0
    for number, assessment in enumerate(labelled_assessments(run, gold)):
        for item in judged_atoms(assessment):
            if item.atom.gold is None:
                continue
            if not side_of(item.p_true):
                at_half += 1
            else:
                outcomes.append(KnownOutcome(item.p_true, item.atom.gold == "S", number))
    known = claims_of(outcomes)
    refuse_too_little(run, known, at_half)
    fitted = fit(known, how.method, seed=how.seed)
    source = source_of(run, how, CONCLUDED_BY) | {
        "gold": None if gold is None else str(gold.path),
        "counts": {"labelled": len(known.p), "at_half": at_half},
        "fits": {"posteriors": fitted_content(fitted)},
        "notes": [*run_notes(run), *_posterior_notes(fitted, known, at_half)],
    }
    return earlier.model_copy(
        update={"posteriors": fitted.calibrator, "source": {**earlier.source, "posteriors": source}}
    )


def labelled_assessments(run: FinishedRun[Assessment], gold: GoldFile | None) -> Iterator[Assessment]:
    """The run's assessments with the labels of `gold`, where it is given.

    Raises:
        InputError: after the last one, when no label of `gold` was for an atom of the run.
    """
    for assessment in run.results():
        yield gold.apply(assessment) if gold else assessment
    if gold is not None:
        gold.unused()


def refuse_too_little(run: FinishedRun[Assessment], decided: Claims, at_half: int) -> None:
    """Raise RunError, with the numbers, where nothing can be learnt from the posteriors of labelled atoms."""
    if not len(decided.p) and not at_half:
        raise RunError(f"{run.path}: no judged atom is labelled; give labels with --gold FILE")
    if not len(decided.p):
        raise RunError(
            f"{run.path}: all {at_half} labelled atoms are at 0.5: there is no evidence to learn from"
        )
    if lack := shortage(decided):
        aside = f"; {at_half} at 0.5 beside these" if at_half else ""
        raise RunError(f"{run.path}: too little to calibrate by: {lack}{aside}")


def source_of(run: FinishedRun[Assessment], how: Fitting, names: tuple[str, ...]) -> dict[str, Any]:
    """What a part of a calibration was fitted on, with those settings of the run."""
    return {
        "run": str(run.path),
        "settings": settings_of(run.config, names),
        "method": how.method,
        "seed": how.seed,
        "folds": FOLDS,
    }


def fitted_content(fitted: Fitted) -> dict[str, Any]:
    """A fit for the file: its parameters, and how good probabilities were before and after, held out.

    "tried" names the method whose effect that is; the file's own is "identity" where it did not help.
    """
    parameters = fitted.calibrator.model_dump(mode="json")
    return {**parameters, "tried": fitted.method, **improvement_content(fitted.held_out)}


def improvement_content(found: Improvement) -> dict[str, Any]:
    """How good probabilities were before and after."""
    return {
        "n": found.size,
        "positives": found.hits,
        "records": found.records,
        "before": _quality_content(found.before),
        "after": _quality_content(found.after),
        "gain": {name: {"value": g.value, "interval_95": g.interval} for name, g in found.gains.items()},
    }


def _quality_content(found: Quality) -> dict[str, Any]:
    return {
        **found.brier._asdict(),
        "log_loss": found.log_loss,
        "ece": found.ece,
        "bins": [part._asdict() for part in found.bins],
    }


def run_notes(run: FinishedRun[Assessment]) -> Iterator[str]:
    """What is to be known of a run before a fit to it is trusted."""
    if run.unfinished:
        yield run.unfinished
    if run.config.calibration is not None:
        yield (
            f"the run was calibrated by {run.config.calibration}: where that was fitted on these records, "
            "the scores after are not wholly of records held out"
        )


def _posterior_notes(fitted: Fitted, known: Claims, at_half: int) -> Iterator[str]:
    if at_half:
        yield f"{at_half} labelled atoms are at 0.5: they stay there and are left out here"
    changed = sum(side_of(p) != side_of(fitted.calibrator.apply(p)) for p in known.p.tolist())
    if changed:
        yield f"the labels of {changed} of {len(known.p)} atoms change; --method temperature changes none"
    written = fitted.calibrator != Identity()
    yield from gain_notes("posteriors", improvement_content(fitted.held_out), written=written)


def gain_notes(name: str, found: Mapping[str, Any], *, written: bool) -> Iterator[str]:
    """What to say of a fit: that nothing helped, where nothing was `written`; that the gain may be chance.

    `found` is what `improvement_content` gives.
    """
    if not written:
        brier, loss = (f"{found['before'][m]:.4f} -> {found['after'][m]:.4f}" for m in ("brier", "log_loss"))
        yield (
            f"{name}: nothing helps on records held out (Brier {brier}, log loss {loss}): the file leaves "
            "them as they are"
        )
        return
    interval = found["gain"]["brier"]["interval_95"]
    if interval is None or interval[0] <= 0:
        yield f"{name}: the gain in the Brier score may be chance"
