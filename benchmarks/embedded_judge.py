"""The embedded judge on labelled atoms, through the factor graph, beside plain word overlap; and its speed.

Each data set is scored with a model fitted without any part of it, its pairs and its words included; the
shipped parameters have seen all of them, and what they reach stands in the last table for comparison. Every
record is judged as in version 2 (each context against each atom) and, where atoms name their contexts, as in
version 1; posteriors are exact. Overlap is the largest share of an atom's words, function words aside, that
one passage of the record has; it gets the threshold that suits the very data it is scored on. Data: see
`labelled_pairs.py`.
Run: `python benchmarks/embedded_judge.py` (takes some minutes: it fits five models).
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from fit_embedded_judge import fit
from labelled_pairs import ATOM_SETS, records

from factreasoner.config import Config
from factreasoner.evaluators.graph import GraphEvaluator
from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.judges.embedded.model import Model, shipped_model
from factreasoner.language.lexicon import FUNCTION_WORDS
from factreasoner.metrics.calibration import auroc, brier, expected_calibration_error
from factreasoner.models import Atom, Claim, Context, Premise, Record
from factreasoner.solvers.exact import ExactSolver

LINKED = ("factcheck_bench", "wice")


class Scores(NamedTuple):
    """Scores of one way of deciding on the labelled atoms of one data set."""

    macro_f1: float
    auroc: float
    brier: float | None = None
    ece: float | None = None

    def __str__(self) -> str:
        first = f"{self.macro_f1:.3f} / {self.auroc:.3f}"
        return first if self.brier is None else f"{first}   {self.brier:.3f}   {self.ece:.3f}"


def main() -> None:
    """Print the three tables and the speed."""
    models = {name: fit(name).model for name in ATOM_SETS}
    print("Version 2, model fitted without the set")
    print(f"{'':44s} macro-F1 / AUROC   Brier   ECE   | overlap: macro-F1 / AUROC")
    for name in ATOM_SETS:
        print(
            f"{name:20s} {_count(name):>20s}    {scores(name, models[name], version=2)}   | {overlap(name)}"
        )
    print("Version 1, model fitted without the set")
    for name in LINKED:
        print(f"{name:20s} {_count(name):>20s}    {scores(name, models[name], version=1)}")
    print("Version 2, shipped parameters (they have seen every set)")
    for name in ATOM_SETS:
        print(f"{name:20s} {_count(name):>20s}    {scores(name, shipped_model(), version=2)}")
    speed()


def parsed(record: dict[str, Any]) -> Record:
    """The record as the evaluator reads it."""
    links: dict[str, list[str]] = {}
    for atom in record["atoms"]:
        for context_id in atom.get("contexts") or ():
            links.setdefault(context_id, []).append(atom["id"])
    return Record(
        id=record["id"],
        response=record["output"],
        atoms=tuple(Atom(id=a["id"], text=a["text"], gold=a["label"]) for a in record["atoms"]),
        contexts=tuple(
            Context(id=c["id"], text=c["text"], atom_ids=tuple(links.get(c["id"], ())))
            for c in record["contexts"]
        ),
    )


def scores(name: str, model: Model, *, version: int) -> Scores:
    """The judge with `model` on all labelled atoms of a set; supported is P > 0.5."""
    config = Config(version=version)
    evaluator = GraphEvaluator(EmbeddedJudge(config, model=model), ExactSolver(), config)
    p_true, gold = [], []
    for record in map(parsed, records(name)):
        atoms, contexts = record.atoms or (), record.contexts or ()
        posterior = evaluator.evaluate(atoms, contexts, record).p_true
        for atom in atoms:
            if atom.gold is not None:
                p_true.append(posterior[atom.id])
                gold.append(int(atom.gold == "S"))
    area = auroc(p_true, gold) or 0.0
    return Scores(
        _macro_f1(p_true, gold, 0.5), area, brier(p_true, gold), expected_calibration_error(p_true, gold)
    )


def overlap(name: str) -> Scores:
    """Plain word overlap with its best threshold."""
    share, gold = [], []
    for record in records(name):
        passages = [_words(context["text"]) for context in record["contexts"]]
        for atom in record["atoms"]:
            if atom["label"] is not None:
                words = _words(atom["text"])
                share.append(max((len(words & passage) / len(words) for passage in passages), default=0.0))
                gold.append(int(atom["label"] == "S"))
    best = max(_macro_f1(share, gold, threshold - 1e-9) for threshold in set(share))
    return Scores(best, auroc(share, gold) or 0.0)


def _words(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"\w+", text.lower()))
    return words - FUNCTION_WORDS["english"] or words


def _macro_f1(values: Sequence[float], gold: Sequence[int], threshold: float) -> float:
    parts = []
    for positive in (True, False):
        said = [(value > threshold) == positive for value in values]
        true = [bool(label) == positive for label in gold]
        hits = sum(s and t for s, t in zip(said, true, strict=True))
        parts.append(2 * hits / max(sum(said) + sum(true), 1))
    return sum(parts) / 2


def _count(name: str) -> str:
    labels = [atom["label"] for record in records(name) for atom in record["atoms"]]
    return f"({len(labels)} atoms, {sum(label == 'S' for label in labels)} S)"


def speed() -> None:
    """Judge all pairs of one set on one thread, texts unseen before."""
    data = [parsed(record) for record in records("factcheck_bench")]
    judge = EmbeddedJudge()
    pairs = 0
    start = time.perf_counter()
    for record in data:
        claims = [Claim(atom.id, atom.text) for atom in record.atoms or ()]
        texts = [context.text for context in record.contexts or ()]
        for number, text in enumerate(texts):
            others = tuple(texts[:number] + texts[number + 1 :])
            pairs += len(judge.judge(Premise(str(number), text, others), claims).verdicts)
    seconds = time.perf_counter() - start
    print(f"Speed: {pairs} pairs in {seconds:.1f} s, {pairs / seconds:.0f} pairs a second")


if __name__ == "__main__":
    main()
