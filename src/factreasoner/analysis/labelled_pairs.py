"""A run's verdicts beside their right labels, from a label file or a reader's corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from factreasoner.errors import InputError, InputProblem
from factreasoner.graph.pairs import equal_groups
from factreasoner.inputs.gold_labels import example_ids
from factreasoner.judges.calibration import LABELS, probabilities_of
from factreasoner.judges.recorded import recordings
from factreasoner.judges.settings import Unlisted
from factreasoner.models import Assessment, Verdict
from factreasoner.models.journal import journal_of
from factreasoner.runs.corrections import Corrections
from factreasoner.runs.finished import FinishedRun

CONTRADICTION = LABELS.index("contradiction")
LEAST_PAIRS, LEAST_OF_EACH, LEAST_RECORDS = 100, 5, 3
"""Minimum labelled pairs, pairs per label, and records for a fit."""
RightLabels = Callable[[Assessment], Callable[[Verdict], str]]
"""Returns the right label of a record's verdict, or the reason why it has none."""


class Pairs:
    """The verdicts of a run that have a right label, and counts of those and of the others, by reason.

    `p` has shape (pairs, 3); `predicted` are the judge's labels and `gold` the right ones, as indices into
    `LABELS`; `record` are indices of records. `labels` are those the judge can give: if P(contradiction) is 0
    in all verdicts, contradiction counts as neutral in `gold`.
    """

    def __init__(self, run: FinishedRun[Assessment], right_labels: RightLabels) -> None:
        self.counts: Counter[str] = Counter()
        rows: list[tuple[tuple[float, ...], int, int, int]] = []
        for number, assessment in enumerate(run.results()):
            right = right_labels(assessment)
            for verdict in run.task.verdicts(assessment):
                label, p = right(verdict), probabilities_of(verdict)
                self.counts["labelled" if label in LABELS else label] += 1
                if label in LABELS and p:
                    predicted = LABELS.index(verdict.uncalibrated_verdict.label)
                    rows.append((p, predicted, LABELS.index(label), number))
        if without := self.counts["labelled"] - len(rows):
            self.counts["without_probabilities"] = without
        self.p = np.array([row[0] for row in rows], dtype=float).reshape(-1, len(LABELS))
        self.predicted, self.gold, self.record = np.array([row[1:] for row in rows], int).reshape(-1, 3).T
        self.labels = LABELS
        if rows and not self.p[:, CONTRADICTION].any():
            self.labels = tuple(label for label in LABELS if label != "contradiction")
            contradicted = self.gold == CONTRADICTION
            self.gold[contradicted] = LABELS.index("neutral")
            self.counts["neutral_for_contradiction"] = int(contradicted.sum())

    def sizes(self) -> dict[str, Any]:
        """The number of pairs and of records, by label."""
        of_each = {label: int((self.gold == LABELS.index(label)).sum()) for label in self.labels}
        return {"n": len(self.gold), "records": len(np.unique(self.record)), "labels": of_each}

    def shortage(self) -> str | None:
        """Why there is too little to fit, with numbers; None if there is enough."""
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
            "verifier, or from a model's log-probabilities (`confidence='logprobs'`, `mode='tfn'`)"
        )


def pairs_of_relations(
    run: FinishedRun[Assessment], relations: Path, *, unlisted: Unlisted = "missing"
) -> Pairs:
    """The verdicts that a file or another run gives right labels for.

    An unlisted pair is excluded; with `unlisted="neutral"` it counts as neutral if its record is listed.

    Raises InputError: the file can't be read, or labels no verdict of this run.
    """
    gold = recordings(journal_of(relations), constant=1.0)

    def right_labels(assessment: Assessment) -> Callable[[Verdict], str]:
        if (recording := gold.get(assessment.record_id)) is None:
            return lambda verdict: "of_other_records"
        texts = {atom.id: atom.text for atom in assessment.atoms}
        texts |= {context.id: context.text for context in assessment.contexts}
        recorded = {**recording.atoms, **recording.contexts}
        same = {c.id: [o.id for o in group] for group in equal_groups(assessment.contexts) for c in group}

        def right(verdict: Verdict) -> str:
            source, target = verdict.pair
            alike = product(same.get(source, [source]), same.get(target, [target]))
            found = next(
                (recording.verdicts[p] for p in (verdict.pair, *alike) if p in recording.verdicts), None
            )
            if found is None:
                return "neutral" if unlisted == "neutral" else "unlisted"
            alike_texts = all(recorded.get(i, texts.get(i)) == texts.get(i) for i in found.pair)
            return found.label if alike_texts else "on_other_texts"

        return right

    pairs = Pairs(run, right_labels)
    if not pairs.counts["labelled"]:
        reasons = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in pairs.counts.items() if n)
        why = (
            f"has no label on any of the {pairs.counts.total()} verdicts of this run ({reasons}); the file's "
            f"records are {example_ids(gold)}, the run's {example_ids(run.ids)}"
        )
        if not pairs.counts.total():
            why = (
                f"{run.path} holds no verdict to calibrate: its assessor asks about atoms, or nothing was "
                "judged"
            )
        raise InputError([InputProblem(str(relations), "", why)])
    return pairs


def pairs_of_corrections(run: FinishedRun[Assessment], corrections: Corrections) -> Pairs:
    """Verdicts of the corrected records; those without a correction count as right."""

    def right_labels(assessment: Assessment) -> Callable[[Verdict], str]:
        if assessment.record_id not in corrections.records:
            return lambda verdict: "of_other_records"
        return lambda verdict: corrections.label_of(assessment.record_id, verdict)

    return Pairs(run, right_labels)
