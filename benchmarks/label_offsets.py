"""What a calibration of verdicts is worth, on verdicts that a 1.5B model gave and that were kept.

    python benchmarks/label_offsets.py

The verdicts are in real_model/verdicts.jsonl of the folder that FACTREASONER_DATA names, the labels of pairs
and of atoms are people's. "own": offsets fitted to the set's other records, 5 folds or one record each.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from data_folder import data_folder

from factreasoner.analysis.fitting import fit_offsets, folds, scores_of_atoms, scores_of_labels
from factreasoner.assessors.graph import with_graph
from factreasoner.graph.pairs import equal_groups
from factreasoner.inputs.input import CheckedInput
from factreasoner.judges.calibration import LABELS, UNCHANGED, LabelOffsets, calibrated_verdicts
from factreasoner.metrics.samples import Claims, Floats, Ints
from factreasoner.models import Assessment, Outcome, Record, Verdict, judged_atoms
from factreasoner.pipeline.pipeline import rescore
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

EXAMPLES = Path(__file__).parents[1] / "examples" / "answers.jsonl"
VALUES = {"p_true": "True", "p_false": "False", "p_not_clear": "Not clear"}


class Pairs(NamedTuple):
    """Recorded verdicts: their lines, P of `LABELS` (pairs, 3), right labels and record numbers (pairs,)."""

    rows: list[dict[str, Any]]
    p: Floats
    gold: Ints
    record: Ints


def read(*path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file of the data folder."""
    with data_folder().joinpath(*path).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def recorded(name: str) -> Pairs:
    """One set of the recorded verdicts."""
    people = {
        (row["record"], row["source"], row["target"]): row["label"]
        for row in read("factcheck_bench", "human_relations.jsonl")
    }
    rows = [row for row in read("real_model", "verdicts.jsonl") if row["set"] == name]
    labels = [row.get("gold") or people[row["record"], row["context"], row["atom"]] for row in rows]
    numbers = {record: number for number, record in enumerate(dict.fromkeys(row["record"] for row in rows))}
    return Pairs(
        rows,
        np.array([[row[key] for key in VALUES] for row in rows]),
        np.array([LABELS.index(label) for label in labels]),
        np.array([numbers[row["record"]] for row in rows]),
    )


def posteriors(pairs: Pairs, records: dict[str, Record], offsets: dict[str, LabelOffsets]) -> Claims:
    """The labelled atoms, by graphs of the verdicts with these offsets."""
    by_record = defaultdict(list)
    for row, p in zip(pairs.rows, pairs.p.tolist(), strict=True):
        verdict = Verdict(
            context_id=row["context"],
            target_id=row["atom"],
            label=LABELS[p.index(max(p))],
            probability=max(p),
            label_probabilities={value: row[key] for key, value in VALUES.items()},
        )
        by_record[row["record"]].append(verdict)
    found = [
        (item.p_true, item.atom.gold == "S", number)
        for number, (record_id, verdicts) in enumerate(by_record.items())
        for item in judged_atoms(solved(records[record_id], verdicts, offsets[record_id]))
        if item.atom.gold is not None
    ]
    return Claims.of(*zip(*found, strict=True))


def solved(record: Record, verdicts: list[Verdict], offsets: LabelOffsets) -> Assessment:
    """The record's graph of calibrated verdicts, solved; equal contexts count once."""
    config, contexts = Config(), record.contexts or ()
    again = {context.id for group in equal_groups(contexts) for context in group[1:]}
    kept = [verdict for verdict in verdicts if verdict.context_id not in again]
    outcome = Outcome(p_true={}, support={}, verdicts=calibrated_verdicts(kept, offsets))
    atoms, contexts = record.atoms or (), tuple(c for c in contexts if c.id not in again)
    bare = Assessment(
        record_id=record.id, status="ok", assessor="factreasoner", atoms=atoms, contexts=contexts
    )
    graphed = bare.model_copy(update={"outcome": with_graph(outcome, atoms, contexts, config)})
    return rescore(graphed, ExactSolver(), config)


def own_offsets(pairs: Pairs) -> dict[str, LabelOffsets]:
    """By record id: offsets fitted to other records."""
    found = {}
    for train, test in folds(pairs.record):
        offsets = fit_offsets(pairs.p[train], pairs.gold[train])
        found |= {pairs.rows[place]["record"]: offsets for place in test.tolist()}
    return found


def show(caption: str, pairs: Pairs, records: dict[str, Record], offsets: dict[str, LabelOffsets]) -> None:
    """Print a line of the table."""
    after = np.vstack([offsets[row["record"]].apply(pairs.p[[n]]) for n, row in enumerate(pairs.rows)])
    labels = scores_of_labels(after, pairs.gold, pairs.record)
    atoms = scores_of_atoms(posteriors(pairs, records, offsets))
    of_pairs = [labels.statistics[name].value for name in ("accuracy", "macro_f1", "log_loss")]
    of_atoms = [atoms.statistics[name].value for name in ("accuracy", "auroc", "brier")]
    print(f"{caption:34}", *(f"{value:8.3f}" for value in (*of_pairs, *of_atoms)))


def main() -> None:
    """Print the table."""
    bundled, other = recorded("bundled"), recorded("factcheck_bench")
    answers = {record.id: record for record in CheckedInput(EXAMPLES).records()}
    facts = {r.id: r for r in CheckedInput(data_folder() / "factcheck_bench" / "records.jsonl").records()}
    print(f"{'':34} {'pairs':27}atoms")
    print(f"{'set, offsets':34}", *(f"{n:>8}" for n in ("accuracy", "macro-F1", "log loss")), end="")
    print("", *(f"{n:>8}" for n in ("accuracy", "AUROC", "Brier")))
    for name, pairs, records in (("bundled", bundled, answers), ("Factcheck-Bench", other, facts)):
        show(f"{name}, none", pairs, records, defaultdict(lambda: UNCHANGED))
        show(f"{name}, own", pairs, records, own_offsets(pairs))
    travelled = fit_offsets(bundled.p, bundled.gold)
    show("Factcheck-Bench, the bundled ones'", other, facts, defaultdict(lambda: travelled))


if __name__ == "__main__":
    main()
