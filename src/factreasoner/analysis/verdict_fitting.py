"""The calibration of verdicts, fitted to right labels of the same pairs or to a reader's corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.calibration.applying import JUDGED_BY, Calibration, calibrated_verdicts, settings_of
from factreasoner.calibration.calibrators import (
    LABELS,
    UNCHANGED,
    LabelOffsets,
    fit_offsets,
    probabilities_of,
)
from factreasoner.calibration.cross_validation import (
    FOLDS,
    compared,
    folds,
    scores_of_atoms,
    scores_of_labels,
)
from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.graph.pairs import equal_groups
from factreasoner.judges.journals import Recording
from factreasoner.judges.recorded import recording_file, recordings
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.models import Assessment, Label, Verdict, judged_atoms
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.protocols import Solver
from factreasoner.runs.corrections import Corrections
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings.choices import Unlisted

SHOWN_IDS = 3
LEAST_PAIRS, LEAST_OF_EACH, LEAST_RECORDS = 100, 5, 3
"""A fit needs so many labelled pairs, so many of each label, in so many records."""
NATURAL_RATES = (
    "offsets follow the rates of the labels: label every pair of records that are like your data; picked "
    "pairs give other offsets"
)
CORRECTIONS_ALONE = (
    "corrections have no natural rates: verdicts without a correction count as right, read or not; labels "
    "of whole records (--relations) are better"
)


Labelled = tuple[Verdict, Label, int]
"""A verdict, the label that is right, and its record's position in the run."""


class Pairs(NamedTuple):
    """What is fitted to: P of the three labels, the right ones as places in `LABELS`, and their records.

    Shapes: (pairs, 3), (pairs,), (pairs,).
    """

    p: Floats
    gold: Ints
    record: Ints


def calibrate_verdicts(
    run: FinishedRun[Assessment], relations: Path, *, unlisted: Unlisted = "missing", seed: int = 0
) -> Calibration:
    """Fit a temperature and two offsets of a run's verdicts to the labels that `relations` has.

    A pair that is not listed is left out, or with `unlisted` of "neutral" counts as neutral if its record is
    named at all.

    Raises:
        InputError: the file can't be read, or has no label on a verdict of this run.
        RunError: there is too little to fit to.
    """
    gold = recordings(recording_file(relations), constant=1.0)
    counts: Counter[str] = Counter()
    known = [
        (verdict, label, number)
        for number, assessment in enumerate(run.results())
        for verdict, label in _with_gold(assessment, gold, unlisted, counts)
    ]
    if not known:
        raise InputError([InputProblem(str(relations), "", _no_gold(run, gold, counts))])
    told = {"gold": str(relations), "unlisted": unlisted, "seed": seed, "notes": [NATURAL_RATES]}
    return _fitted(run, known, counts, told)


def calibrate_by_corrections(
    run: FinishedRun[Assessment], corrections: Corrections, *, seed: int = 0
) -> Calibration:
    """Fit likewise to a reader's corrections; the other verdicts of the records they name count as right.

    Raises:
        RunError: there is too little to fit to.
    """
    counts: Counter[str] = Counter()
    known: list[Labelled] = []
    for number, assessment in enumerate(run.results()):
        verdicts = assessment.outcome.verdicts if assessment.outcome else ()
        if assessment.record_id not in corrections.records:
            counts["of_other_records"] += len(verdicts)
            continue
        counts["labelled"] += len(verdicts)
        known += [(v, corrections.label_of(assessment.record_id, v), number) for v in verdicts]
    told = {"gold": str(corrections.file), "seed": seed, "notes": [CORRECTIONS_ALONE]}
    return _fitted(run, known, counts, told)


def _fitted(
    run: FinishedRun[Assessment], known: Sequence[Labelled], counts: Counter[str], told: dict[str, Any]
) -> Calibration:
    """The calibration; `told` says what the labels are from, `counts` how many there are."""
    pairs, without = _pairs(known)
    if without:
        counts["without_probabilities"] = without
    if lack := _shortage(pairs, without):
        raise RunError(f"{run.path}: too little to calibrate verdicts by {told['gold']}: {lack}")
    after = np.empty_like(pairs.p)
    by_record: dict[int, LabelOffsets] = {}
    for train, test in folds(pairs.record, seed=told["seed"]):
        offsets = fit_offsets(pairs.p[train], pairs.gold[train])
        after[test] = offsets.apply(pairs.p[test])
        by_record |= dict.fromkeys(pairs.record[test].tolist(), offsets)
    found = compared(*(scores_of_labels(p, pairs.gold, pairs.record) for p in (pairs.p, after)))
    helps = found["gain"]["log_loss"]["value"] > 0 and found["gain"]["macro_f1"]["value"] >= 0
    offsets = fit_offsets(pairs.p, pairs.gold) if helps else UNCHANGED
    fits = {"verdicts": {**offsets.model_dump(), **_sizes(pairs), **found}}
    if atoms := _atoms(run, by_record):
        fits["atoms"] = {"n": len(atoms[0].p), **compared(*map(scores_of_atoms, atoms))}
    source = (
        told
        | run.asked_with
        | {
            "run": str(run.path),
            "settings": settings_of(run.config, JUDGED_BY),
            "folds": FOLDS,
            "counts": dict(counts),
            "fits": fits,
            "notes": [*told["notes"], *_notes(run, fits, counts, helps=helps)],
        }
    )
    return Calibration(verdicts=offsets, source={"verdicts": source})


def _atoms(run: FinishedRun[Assessment], offsets: Mapping[int, LabelOffsets]) -> tuple[Claims, Claims] | None:
    """The labelled atoms with posteriors of verdicts as they are, and of calibrated ones; None without any.

    `offsets` are by a record's position in the run those that were fitted to other records.
    """
    config = run.config.model_copy(update={"calibration": None})
    solver: Solver = SOLVER.make(config.solver, {"config": lambda: config})
    rows: list[tuple[float, float, bool, int]] = []
    for place, assessment in enumerate(run.results()):
        outcome = assessment.outcome
        labelled = {atom.id for atom in assessment.atoms if atom.gold is not None}
        if place not in offsets or outcome is None or outcome.graph is None or not labelled:
            continue
        found = []
        for chosen in (UNCHANGED, offsets[place]):
            verdicts = calibrated_verdicts(outcome.verdicts, chosen)
            changed = assessment.model_copy(
                update={"outcome": outcome.model_copy(update={"verdicts": verdicts})}
            )
            found.append({i.atom.id: i.p_true for i in judged_atoms(rescore(changed, solver, config))})
        rows += [
            (found[0][atom.id], found[1][atom.id], atom.gold == "S", place)
            for atom in assessment.atoms
            if atom.id in labelled and atom.id in found[0] and atom.id in found[1]
        ]
    if not rows:
        return None
    before, after, hits, record = zip(*rows, strict=True)
    return Claims.of(before, hits, record), Claims.of(after, hits, record)


def _with_gold(
    assessment: Assessment, gold: Mapping[str, Recording], unlisted: Unlisted, counts: Counter[str]
) -> Iterator[tuple[Verdict, Label]]:
    """The record's verdicts whose gold label is known."""
    verdicts = assessment.outcome.verdicts if assessment.outcome else ()
    recording = gold.get(assessment.record_id)
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
    pair = (source, target) = verdict.context_id, verdict.target_id
    alike = product(same.get(source, [source]), same.get(target, [target]))
    return next((recording.verdicts[one] for one in (pair, *alike) if one in recording.verdicts), None)


def _about_others(recording: Recording, found: Verdict, texts: Mapping[str, str]) -> bool:
    known = {**recording.atoms, **recording.contexts}
    return any(known.get(i, texts.get(i)) != texts.get(i) for i in (found.context_id, found.target_id))


def _no_gold(run: FinishedRun[Assessment], gold: Mapping[str, Recording], counts: Counter[str]) -> str:
    if not counts.total():
        return (
            f"{run.path} holds no verdict to calibrate: its assessor asks about atoms, or nothing was judged"
        )
    reasons = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    known = f"the file's records are {_some(gold.keys())}, the run's {_some(run.ids)}"
    return f"has no label on any of the {counts.total()} verdicts of this run ({reasons}); {known}"


def _some(ids: Collection[str]) -> str:
    shown = ", ".join(map(repr, sorted(ids)[:SHOWN_IDS]))
    return f"{shown}, ..." if len(ids) > SHOWN_IDS else shown


def _pairs(known: Sequence[Labelled]) -> tuple[Pairs, int]:
    """The verdicts that have P of all three labels, and how many have not."""
    found = [
        (p, LABELS.index(label), record)
        for verdict, label, record in known
        if (p := probabilities_of(verdict))
    ]
    p, gold, record = zip(*found, strict=True) if found else ((), (), ())
    pairs = Pairs(
        np.reshape(np.array(p, dtype=float), (-1, len(LABELS))), np.array(gold, int), np.array(record, int)
    )
    return pairs, len(known) - len(found)


def _sizes(pairs: Pairs) -> dict[str, Any]:
    of_each = {label: int((pairs.gold == place).sum()) for place, label in enumerate(LABELS)}
    return {"n": len(pairs.gold), "records": len(np.unique(pairs.record)), "labels": of_each}


def _shortage(pairs: Pairs, without: int) -> str | None:
    """Why there is too little to fit to, with the numbers; None when there is enough."""
    sizes = _sizes(pairs)
    enough = sizes["n"] >= LEAST_PAIRS and sizes["records"] >= LEAST_RECORDS
    if enough and min(sizes["labels"].values()) >= LEAST_OF_EACH:
        return None
    of_each = ", ".join(f"{count} {label}" for label, count in sizes["labels"].items())
    aside = (
        f"; {without} labelled verdicts lack the probabilities of all three labels: these come from a "
        "model's log-probabilities (--confidence logprobs, --mode tfn)"
    )
    return (
        f"{sizes['n']} labelled pairs ({of_each}) in {sizes['records']} records; it takes {LEAST_PAIRS}, "
        f"{LEAST_OF_EACH} of each label, in {LEAST_RECORDS} records{aside if without else ''}"
    )


def _notes(
    run: FinishedRun[Assessment], fits: Mapping[str, Any], counts: Mapping[str, int], *, helps: bool
) -> Iterator[str]:
    yield from filter(None, [run.unfinished])
    left_out = [
        f"{n} {name.replace('_', ' ')}" for name, n in sorted(counts.items()) if n and name != "labelled"
    ]
    if left_out:
        yield f"{counts['labelled']} verdicts have a label; left out: {', '.join(left_out)}"
    if not helps:
        yield "verdicts: no gain on records held out: the file leaves them unchanged"
        return
    interval = fits["verdicts"]["gain"]["macro_f1"]["interval_95"]
    if interval is None or interval[0] <= 0:
        yield "verdicts: the gain in macro-F1 may be chance"
    if "atoms" in fits and fits["atoms"]["gain"]["brier"]["value"] < 0:
        before, after = (fits["atoms"][when]["brier"] for when in ("before", "after"))
        yield (
            f"atoms get worse though verdicts get better (Brier {before:.3f} -> {after:.3f} on records held "
            "out): a doubtful support that becomes neutral is no longer evidence; do not use this calibration"
        )
