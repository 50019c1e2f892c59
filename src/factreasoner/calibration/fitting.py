"""Calibrations fitted to finished runs: what is in the file that `factreasoner calibrate` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from factreasoner.calibration.applying import JUDGED_BY, Calibration, calibration_of, settings_of
from factreasoner.calibration.calibrators import Isotonic, Platt, Temperature
from factreasoner.calibration.cross_validation import (
    FOLDS,
    Fitted,
    Improvement,
    Known,
    Quality,
    fit,
    shortage,
)
from factreasoner.choices import MethodChoice, Unlisted
from factreasoner.errors import InputError, Problem, RunError
from factreasoner.graph.pairs import equal_groups
from factreasoner.judges.recorded import Recording, Recordings, recording_file, recordings
from factreasoner.metrics.factuality import judged_atoms
from factreasoner.models import Assessment, Label, Verdict, side_of

if TYPE_CHECKING:
    from factreasoner.inputs.gold_labels import GoldFile
    from factreasoner.runs.finished import FinishedRun

SHOWN_IDS = 3
LABELS: tuple[Label, ...] = get_args(Label)
CONCLUDED_BY = (*JUDGED_BY, "assessor", "version", "factors", "atom_prior", "context_prior", "independence")
"""Settings that decide what a posterior means."""


class Fitting(NamedTuple):
    """How calibrators are fitted: which method, and the seed of folds and intervals."""

    method: MethodChoice = "auto"
    seed: int = 0


class Facts:
    """Collects probabilities with a known outcome, record by record."""

    def __init__(self) -> None:
        self._p: list[float] = []
        self._hits: list[bool] = []
        self._records: list[int] = []

    def add(self, record: int, p: float, hit: bool) -> None:
        """One of the record of that number."""
        self._p.append(p)
        self._hits.append(hit)
        self._records.append(record)

    def known(self) -> Known:
        """All of them."""
        return Known.of(self._p, self._hits, self._records)


def calibrate_verdicts(
    run: FinishedRun, relations: Path, how: Fitting, *, unlisted: Unlisted = "missing"
) -> Calibration:
    """Fit the probabilities of a run's verdicts, label by label, to the labels that `relations` has.

    A verdict is right where its label is the file's. A pair that is not listed is left out, or with
    `unlisted` of "neutral" counts as neutral if its record is named at all.

    Raises:
        InputError: the file can't be read, or has no label on a verdict of this run.
        RunError: for no label of the verdicts there is enough to fit to.
    """
    gold = recordings(recording_file(relations), constant=1.0)
    facts = {label: Facts() for label in LABELS}
    counts: Counter[str] = Counter()
    for number, assessment in enumerate(run.assessments()):
        for verdict, label in _with_gold(assessment, gold, unlisted, counts):
            given = verdict.probability if verdict.uncalibrated is None else verdict.uncalibrated
            facts[verdict.label].add(number, given, label == verdict.label)
    if not counts["labelled"]:
        raise InputError([Problem(str(relations), "", _no_gold(run, gold, counts))])
    fits: dict[str, dict[str, Any]] = {}
    maps: dict[Label, Temperature | Platt | Isotonic] = {}
    for label in LABELS:
        known = facts[label].known()
        if lack := shortage(known):
            fits[label] = {"refused": lack}
            continue
        fitted = fit(known, how.method, seed=how.seed)
        maps[label] = fitted.calibrator
        fits[label] = fitted_content(fitted.calibrator, fitted.held_out)
    if not maps:
        lacks = "; ".join(f"{label}: {found['refused']}" for label, found in fits.items())
        raise RunError(f"{run.path}: too little to calibrate verdicts by {relations}. {lacks}")
    source = _source(run, how, JUDGED_BY) | {
        "gold": str(relations),
        "unlisted": unlisted,
        "counts": dict(counts),
        "fits": fits,
        "notes": [*_run_notes(run), *_verdict_notes(fits, counts)],
    }
    return Calibration(verdicts=maps, source={"verdicts": source})


def _with_gold(
    assessment: Assessment, gold: Recordings, unlisted: Unlisted, counts: Counter[str]
) -> Iterator[tuple[Verdict, Label]]:
    """The record's verdicts whose gold label is known."""
    verdicts = assessment.outcome.verdicts if assessment.outcome else ()
    recording = gold.of(assessment.record_id)
    texts = {atom.id: atom.text for atom in assessment.atoms}
    texts |= {context.id: context.text for context in assessment.contexts}
    same = {c.id: [o.id for o in group] for group in equal_groups(assessment.contexts) for c in group}
    for verdict in verdicts:
        found = None if recording is None else _gold_of(verdict, recording, same)
        if recording is None:
            counts["of_other_records"] += 1
        elif found is None and unlisted == "missing":
            counts["unlisted"] += 1
        elif found is not None and _about_others(recording, found, texts):
            counts["on_other_texts"] += 1
        else:
            counts["labelled"] += 1
            yield verdict, "neutral" if found is None else found.label


def _gold_of(verdict: Verdict, recording: Recording, same: Mapping[str, list[str]]) -> Verdict | None:
    """The recorded verdict on the same pair, or on contexts of the same texts."""
    own = recording.verdicts.get((verdict.context_id, verdict.target_id))
    others = (
        recording.verdicts.get((source, target))
        for source in same.get(verdict.context_id, [verdict.context_id])
        for target in same.get(verdict.target_id, [verdict.target_id])
    )
    return own or next((found for found in others if found is not None), None)


def _about_others(recording: Recording, found: Verdict, texts: Mapping[str, str]) -> bool:
    known = {**recording.atoms, **recording.contexts}
    return any(known.get(i, texts.get(i)) != texts.get(i) for i in (found.context_id, found.target_id))


def _no_gold(run: FinishedRun, gold: Recordings, counts: Counter[str]) -> str:
    if not counts.total():
        return (
            f"{run.path} holds no verdict to calibrate: its assessor asks about atoms, or nothing was judged"
        )
    reasons = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    known = f"the file's records are {_some(gold.records)}, the run's {_some(run.ids)}"
    return f"has no label on any of the {counts.total()} verdicts of this run ({reasons}); {known}"


def _some(ids: Any) -> str:
    shown = ", ".join(map(repr, sorted(ids)[:SHOWN_IDS]))
    return f"{shown}, ..." if len(ids) > SHOWN_IDS else shown


def calibrate_posteriors(run: FinishedRun, gold: GoldFile | None, how: Fitting) -> Calibration:
    """Fit P(atom is true) to the atoms' labels, those of the run's input or of `gold`; S is right.

    Atoms at 0.5 are left out, as they stay there. The verdicts' calibration and the graph's
    settings that the run was made with stay in force.

    Raises:
        InputError: no label of `gold` is for an atom of the run.
        RunError: the posteriors are calibrated already, no atom is labelled, or there is too little.
    """
    earlier = calibration_of(run.config)
    if earlier.posteriors is not None:
        raise RunError(
            f"{run.path}: its posteriors are calibrated already by {run.config.calibration}; calibrate a run "
            "without that"
        )
    facts, at_half = Facts(), 0
    for number, assessment in enumerate(labelled_assessments(run, gold)):
        for item in judged_atoms(assessment):
            if item.atom.gold is None:
                continue
            if not side_of(item.p_true):
                at_half += 1
            else:
                facts.add(number, item.p_true, item.atom.gold == "S")
    known = facts.known()
    refuse_too_little(run, known, at_half)
    fitted = fit(known, how.method, seed=how.seed)
    source = _source(run, how, CONCLUDED_BY) | {
        "gold": None if gold is None else str(gold.path),
        "counts": {"labelled": len(known.p), "at_half": at_half},
        "fits": {"posteriors": fitted_content(fitted.calibrator, fitted.held_out)},
        "notes": [*_run_notes(run), *_posterior_notes(fitted, known, at_half)],
    }
    return earlier.model_copy(
        update={"posteriors": fitted.calibrator, "source": {**earlier.source, "posteriors": source}}
    )


def labelled_assessments(run: FinishedRun, gold: GoldFile | None) -> Iterator[Assessment]:
    """The run's assessments with the labels of `gold`, where it is given.

    Raises:
        InputError: after the last one, when no label of `gold` was for an atom of the run.
    """
    for assessment in run.assessments():
        yield gold.apply(assessment) if gold else assessment
    if gold is not None:
        gold.unused()


def refuse_too_little(run: FinishedRun, decided: Known, at_half: int) -> None:
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


def _source(run: FinishedRun, how: Fitting, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "settings": settings_of(run.config, names),
        "method": how.method,
        "seed": how.seed,
        "folds": FOLDS,
    }


def fitted_content(calibrator: Temperature | Platt | Isotonic, found: Improvement) -> dict[str, Any]:
    """A fit for the file: its parameters, and how good probabilities were before and after, held out."""
    return {**calibrator.model_dump(mode="json"), **improvement_content(found)}


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


def _run_notes(run: FinishedRun) -> Iterator[str]:
    if run.unfinished:
        yield run.unfinished
    if run.config.calibration is not None:
        yield (
            f"the run was calibrated by {run.config.calibration}: where that was fitted on these records, "
            "the scores after are not wholly of records held out"
        )


def _verdict_notes(fits: Mapping[str, Mapping[str, Any]], counts: Counter[str]) -> Iterator[str]:
    for label, found in fits.items():
        if "refused" in found:
            yield f"{label}: stays as it is: {found['refused']}"
        else:
            yield from gain_notes(label, found["gain"])
    left_out = [
        f"{n} {name.replace('_', ' ')}" for name, n in sorted(counts.items()) if n and name != "labelled"
    ]
    if left_out:
        yield f"{counts['labelled']} verdicts have a label; left out: {', '.join(left_out)}"


def _posterior_notes(fitted: Fitted, known: Known, at_half: int) -> Iterator[str]:
    if at_half:
        yield f"{at_half} labelled atoms are at 0.5: they stay there and are left out here"
    changed = sum(side_of(p) != side_of(fitted.calibrator.apply(p)) for p in known.p.tolist())
    if changed:
        yield f"the labels of {changed} of {len(known.p)} atoms change; --method temperature changes none"
    content = {name: {"interval_95": gain.interval} for name, gain in fitted.held_out.gains.items()}
    yield from gain_notes("posteriors", content)


def gain_notes(name: str, gain: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """A warning where chance explains what was gained."""
    interval = gain["brier"]["interval_95"]
    if interval is None or interval[0] <= 0:
        yield f"{name}: the gain in the Brier score, if there is any, may be chance"
