"""The calibration of verdicts, fitted to right labels of the same pairs or to a reader's corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from factreasoner.analysis.posterior_fitting import FOLDS, Scores, compared, folds
from factreasoner.calibration.applying import (
    JUDGED_BY,
    MAY_BE_CHANCE,
    Calibration,
    calibrated_verdicts,
    settings_of,
)
from factreasoner.calibration.calibrators import (
    LABELS,
    UNCHANGED,
    LabelOffsets,
    fit_offsets,
    probabilities_of,
)
from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.graph.pairs import equal_groups
from factreasoner.inputs.gold_labels import some_of
from factreasoner.judges.recorded import recordings
from factreasoner.judges.relation_lines import recording_file
from factreasoner.metrics.claim_scores import (
    AreaUnderROC,
    CalibrationError,
    accuracy,
    brier,
    log_loss,
    macro_f1,
)
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.models import Assessment, Verdict, judged_atoms
from factreasoner.models.wording import number_of
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.protocols import Solver
from factreasoner.runs.corrections import Corrections
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings.values import Unlisted

CONTRADICTION = LABELS.index("contradiction")
KEPT = ("labelled", "neutral_for_contradiction")
"""Names of the counts of verdicts that are fitted to; the others are left out."""
LEAST_PAIRS, LEAST_OF_EACH, LEAST_RECORDS = 100, 5, 3
"""A fit needs so many labelled pairs, so many of each label, in so many records."""
NATURAL_RATES = (
    "offsets follow the rates of the labels: label every pair of records that are like your data; "
    "hand-picked pairs give other offsets"
)
CORRECTIONS_ALONE = (
    "corrections do not follow natural rates: verdicts without one count as right, read or not; labels of "
    "whole records (--relations) are better"
)
RightLabels = Callable[[Assessment], Callable[[Verdict], str]]
"""Of a record's verdict the right label, or in a word of the file's counts why there is none."""


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

    def right_labels(assessment: Assessment) -> Callable[[Verdict], str]:
        if (recording := gold.get(assessment.record_id)) is None:
            return lambda verdict: "of_other_records"
        texts = {atom.id: atom.text for atom in assessment.atoms}
        texts |= {context.id: context.text for context in assessment.contexts}
        recorded = {**recording.atoms, **recording.contexts}
        same = {c.id: [o.id for o in group] for group in equal_groups(assessment.contexts) for c in group}

        def right(verdict: Verdict) -> str:
            pair = (source, target) = verdict.context_id, verdict.target_id
            alike = product(same.get(source, [source]), same.get(target, [target]))
            found = next((recording.verdicts[p] for p in (pair, *alike) if p in recording.verdicts), None)
            if found is None:
                return "neutral" if unlisted == "neutral" else "unlisted"
            ids = found.context_id, found.target_id
            alike_texts = all(recorded.get(i, texts.get(i)) == texts.get(i) for i in ids)
            return found.label if alike_texts else "on_other_texts"

        return right

    pairs = Pairs(run, right_labels)
    if not pairs.counts["labelled"]:
        reasons = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in pairs.counts.items() if n)
        why = (
            f"has no label on any of the {pairs.counts.total()} verdicts of this run ({reasons}); the file's "
            f"records are {some_of(gold)}, the run's {some_of(run.ids)}"
        )
        if not pairs.counts.total():
            why = (
                f"{run.path} holds no verdict to calibrate: its assessor asks about atoms, or nothing was "
                "judged"
            )
        raise InputError([InputProblem(str(relations), "", why)])
    told = {"gold": str(relations), "unlisted": unlisted, "seed": seed, "notes": [NATURAL_RATES]}
    return _fitted(run, pairs, told)


def calibrate_by_corrections(
    run: FinishedRun[Assessment], corrections: Corrections, *, seed: int = 0
) -> Calibration:
    """Fit likewise to a reader's corrections; the other verdicts of the records they name count as right.

    Raises:
        RunError: there is too little to fit to.
    """

    def right_labels(assessment: Assessment) -> Callable[[Verdict], str]:
        if assessment.record_id not in corrections.records:
            return lambda verdict: "of_other_records"
        return lambda verdict: corrections.label_of(assessment.record_id, verdict)

    told = {"gold": str(corrections.file), "seed": seed, "notes": [CORRECTIONS_ALONE]}
    return _fitted(run, Pairs(run, right_labels), told)


class Pairs:
    """The verdicts of a run that have a right label, and how many have one, or have none and why.

    Of those with P of the labels, `p` has shape (pairs, 3); `gold` are the right ones as places in `LABELS`,
    and `record` the places of their records in the run. `labels` are those that the judge can say: where P of
    contradiction is 0 in all verdicts, contradiction is none of them, and counts as neutral in `gold`.
    """

    def __init__(self, run: FinishedRun[Assessment], right_labels: RightLabels) -> None:
        self.counts: Counter[str] = Counter()
        rows: list[tuple[tuple[float, ...], int, int]] = []
        for number, assessment in enumerate(run.results()):
            right = right_labels(assessment)
            for verdict in run.task.verdicts(assessment):
                label, p = right(verdict), probabilities_of(verdict)
                self.counts["labelled" if label in LABELS else label] += 1
                if label in LABELS and p:
                    rows.append((p, LABELS.index(label), number))
        if without := self.counts["labelled"] - len(rows):
            self.counts["without_probabilities"] = without
        self.p = np.array([p for p, _, _ in rows], dtype=float).reshape(-1, len(LABELS))
        self.gold = np.array([gold for _, gold, _ in rows], int)
        self.record = np.array([number for _, _, number in rows], int)
        self.labels = LABELS
        if rows and not self.p[:, CONTRADICTION].any():
            self.labels = tuple(label for label in LABELS if label != "contradiction")
            contradicted = self.gold == CONTRADICTION
            self.gold[contradicted] = LABELS.index("neutral")
            self.counts["neutral_for_contradiction"] = int(contradicted.sum())

    def sizes(self) -> dict[str, Any]:
        """How many there are, in how many records, of each label."""
        of_each = {label: int((self.gold == LABELS.index(label)).sum()) for label in self.labels}
        return {"n": len(self.gold), "records": len(np.unique(self.record)), "labels": of_each}

    def shortage(self) -> str | None:
        """Why there is too little to fit to, with the numbers; None when there is enough."""
        n, records, labels = self.sizes().values()
        if n >= LEAST_PAIRS and records >= LEAST_RECORDS and min(labels.values()) >= LEAST_OF_EACH:
            return None
        of_each = ", ".join(f"{count} {label}" for label, count in labels.items())
        needed = f"{LEAST_PAIRS}, {LEAST_OF_EACH} of each label, in {LEAST_RECORDS} records"
        lack = f"{n} labelled pairs ({of_each}) in {records} records; needed: {needed}"
        if not (without := self.counts["without_probabilities"]):
            return lack
        return (
            f"{lack}; {without} labelled verdicts lack the probabilities of the labels: these come from a "
            "verifier, or from a model's log-probabilities (--confidence logprobs, --mode tfn)"
        )


def _fitted(run: FinishedRun[Assessment], pairs: Pairs, told: dict[str, Any]) -> Calibration:
    """The calibration; `told` says what the labels are from."""
    if lack := pairs.shortage():
        raise RunError(f"{run.path}: too little to calibrate verdicts with {told['gold']}: {lack}; give more")
    after = np.empty_like(pairs.p)
    by_record: dict[int, LabelOffsets] = {}
    for train, test in folds(pairs.record, seed=told["seed"]):
        offsets = fit_offsets(pairs.p[train], pairs.gold[train], pairs.labels)
        after[test] = offsets.apply(pairs.p[test])
        by_record |= dict.fromkeys(pairs.record[test].tolist(), offsets)
    found = compared(*(scores_of_labels(p, pairs.gold, pairs.record) for p in (pairs.p, after)))
    helps = found["gain"]["log_loss"]["value"] > 0 and found["gain"]["macro_f1"]["value"] >= 0
    offsets = fit_offsets(pairs.p, pairs.gold, pairs.labels) if helps else UNCHANGED
    fits = {"verdicts": {**offsets.model_dump(), **pairs.sizes(), **found}}
    if rows := list(_atoms(run, by_record)):
        before, calibrated, right, record = zip(*rows, strict=True)
        scores = (scores_of_atoms(Claims.of(p, right, record)) for p in (before, calibrated))
        fits["atoms"] = {"n": len(rows), **compared(*scores)}
    source = (
        told
        | run.asked_with
        | {
            "run": run.manifest.run_id,
            "settings": settings_of(run.config, JUDGED_BY),
            "folds": FOLDS,
            "counts": dict(pairs.counts),
            "fits": fits,
            "notes": [*told["notes"], *_notes(run, fits, pairs.counts, helps=helps)],
        }
    )
    return Calibration(verdicts=offsets, source={"verdicts": source})


def _atoms(
    run: FinishedRun[Assessment], offsets: Mapping[int, LabelOffsets]
) -> Iterator[tuple[float, float, bool, int]]:
    """Of each labelled atom: its posterior by verdicts as they are, and by calibrated ones, whether it is S.

    The last is its record's place in the run; `offsets` are by that, those fitted to other records.
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
        yield f"{counts['labelled']} verdicts have a label; left out: {', '.join(left_out)}"
    if of_contradiction := counts["neutral_for_contradiction"]:
        labels = number_of(of_contradiction, "label")
        yield f"the judge never contradicts: {labels} of contradiction taken for neutral"
    if not helps:
        yield "verdicts: no gain on held-out records: the file leaves them unchanged"
        return
    interval = fits["verdicts"]["gain"]["macro_f1"]["interval_95"]
    if interval is None or interval[0] <= 0:
        yield f"verdicts: the gain in macro-F1 {MAY_BE_CHANCE}"
    if "atoms" in fits and fits["atoms"]["gain"]["brier"]["value"] < 0:
        before, after = (fits["atoms"][when]["brier"] for when in ("before", "after"))
        yield (
            f"atoms get worse though verdicts get better (Brier {before:.3f} -> {after:.3f} on records held "
            "out): a doubtful support that becomes neutral is no longer evidence; do not use this calibration"
        )


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
        "accuracy": accuracy(classes, len(LABELS)),
        "macro_f1": macro_f1(classes, len(LABELS)),
        "log_loss": log_loss(of_gold),
        "ece": CalibrationError(chosen),
    }
    return Scores(statistics, chosen, recalls)


def scores_of_atoms(claims: Claims) -> Scores:
    """Scores of the posteriors of labelled atoms."""
    found = {"accuracy": accuracy(claims), "auroc": AreaUnderROC(claims), "brier": brier(claims)}
    return Scores(found, claims)
