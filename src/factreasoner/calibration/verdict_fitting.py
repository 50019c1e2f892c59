"""Calibrations of verdicts, fitted to labels on the same pairs or to a reader's corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from factreasoner.calibration.applying import JUDGED_BY, Calibration
from factreasoner.calibration.calibrators import AnyCalibrator
from factreasoner.calibration.cross_validation import fit, shortage
from factreasoner.calibration.fitting import (
    Fitting,
    KnownOutcome,
    claims_of,
    fitted_content,
    gain_notes,
    run_notes,
    source_of,
)
from factreasoner.choices import Unlisted
from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.graph.pairs import equal_groups
from factreasoner.judges.journals import Recording
from factreasoner.judges.recorded import Recordings, recording_file, recordings
from factreasoner.models import Assessment, Label, Verdict

if TYPE_CHECKING:
    from factreasoner.runs.corrections import Corrections
    from factreasoner.runs.finished import FinishedRun

SHOWN_IDS = 3
LABELS: tuple[Label, ...] = get_args(Label)


class Labelled(NamedTuple):
    """A verdict with the label that is right, and its record's position in the run."""

    verdict: Verdict
    label: Label
    record: int


def calibrate_verdicts(
    run: FinishedRun[Assessment], relations: Path, how: Fitting, *, unlisted: Unlisted = "missing"
) -> Calibration:
    """Fit the probabilities of a run's verdicts, label by label, to the labels that `relations` has.

    A verdict is right where its label is the file's. A pair that is not listed is left out, or with
    `unlisted` of "neutral" counts as neutral if its record is named at all.

    Raises:
        InputError: the file can't be read, or has no label on a verdict of this run.
        RunError: for no label of the verdicts there is enough to fit to.
    """
    gold = recordings(recording_file(relations), constant=1.0)
    counts: Counter[str] = Counter()
    known = [
        Labelled(verdict, label, number)
        for number, assessment in enumerate(run.results())
        for verdict, label in _with_gold(assessment, gold, unlisted, counts)
    ]
    if not known:
        raise InputError([InputProblem(str(relations), "", _no_gold(run, gold, counts))])
    return _fitted(run, known, how, {"gold": str(relations), "unlisted": unlisted, "counts": dict(counts)})


def calibrate_by_corrections(
    run: FinishedRun[Assessment], corrections: Corrections, how: Fitting
) -> Calibration:
    """Fit likewise to a reader's corrections; the other verdicts of the records they name count as right.

    Raises:
        RunError: for no label of the verdicts there is enough to fit to.
    """
    counts: Counter[str] = Counter()
    known: list[Labelled] = []
    for number, assessment in enumerate(run.results()):
        verdicts = assessment.outcome.verdicts if assessment.outcome else ()
        if assessment.record_id not in corrections.records:
            counts["of_other_records"] += len(verdicts)
            continue
        counts["labelled"] += len(verdicts)
        known += [Labelled(v, corrections.label_of(assessment.record_id, v), number) for v in verdicts]
    return _fitted(run, known, how, {"gold": str(corrections.file), "counts": dict(counts)})


def _fitted(
    run: FinishedRun[Assessment], known: Iterable[Labelled], how: Fitting, told: dict[str, Any]
) -> Calibration:
    """The calibration fitted label by label; `told` says what the labels are from, and how many there are."""
    outcomes: dict[Label, list[KnownOutcome]] = {label: [] for label in LABELS}
    for verdict, label, record in known:
        outcome = KnownOutcome(verdict.given_probability, label == verdict.label, record)
        outcomes[verdict.label].append(outcome)
    fits: dict[str, dict[str, Any]] = {}
    maps: dict[Label, AnyCalibrator] = {}
    for label in LABELS:
        claims = claims_of(outcomes[label])
        if lack := shortage(claims):
            fits[label] = {"refused": lack}
            continue
        fitted = fit(claims, how.method, seed=how.seed)
        maps[label] = fitted.calibrator
        fits[label] = fitted_content(fitted)
    if not maps:
        lacks = "; ".join(f"{label}: {found['refused']}" for label, found in fits.items())
        raise RunError(f"{run.path}: too little to calibrate verdicts by {told['gold']}. {lacks}")
    notes = [*run_notes(run), *_verdict_notes(fits, told["counts"])]
    source = source_of(run, how, JUDGED_BY) | told | {"fits": fits, "notes": notes}
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


def _no_gold(run: FinishedRun[Assessment], gold: Recordings, counts: Counter[str]) -> str:
    if not counts.total():
        return (
            f"{run.path} holds no verdict to calibrate: its assessor asks about atoms, or nothing was judged"
        )
    reasons = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    known = f"the file's records are {_some(gold.records)}, the run's {_some(run.ids)}"
    return f"has no label on any of the {counts.total()} verdicts of this run ({reasons}); {known}"


def _some(ids: Collection[str]) -> str:
    shown = ", ".join(map(repr, sorted(ids)[:SHOWN_IDS]))
    return f"{shown}, ..." if len(ids) > SHOWN_IDS else shown


def _verdict_notes(fits: Mapping[str, Mapping[str, Any]], counts: Mapping[str, int]) -> Iterator[str]:
    for label, found in fits.items():
        if "refused" in found:
            yield f"{label}: stays as it is: {found['refused']}"
        else:
            yield from gain_notes(label, found, written=found["method"] != "identity")
    left_out = [
        f"{n} {name.replace('_', ' ')}" for name, n in sorted(counts.items()) if n and name != "labelled"
    ]
    if left_out:
        yield f"{counts['labelled']} verdicts have a label; left out: {', '.join(left_out)}"
