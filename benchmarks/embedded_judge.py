"""The embedded judge on labelled atoms, through the factor graph, beside plain word overlap; and its speed.

Each data set is scored with a model fitted without any part of it, its pairs and its words included; the
shipped parameters have seen all of them, and what they reach stands in the last table for comparison. Every
record is judged as in version 2 (each context against each atom) and, where atoms name their contexts, as in
version 1; posteriors are exact. Overlap is the largest share of an atom's words, function words aside, that
one passage of the record has; it gets the threshold that suits the very data it is scored on.

Brackets hold bootstrap 95 % intervals over atoms; resampling raises an ECE, so its interval leans upwards.
`calibrated` is the ECE to be expected, with as many atoms and these posteriors, were every posterior exactly
right: an ECE near it says nothing against the calibration. `P - S` is the mean posterior less the share of S,
and no ECE is below its size. Data: see `labelled_pairs.py`.
Run: `python benchmarks/embedded_judge.py` (takes some minutes: it fits five models).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
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
HEADING = "macro-F1 / AUROC [95 %]       Brier   ECE [95 %]            calibrated  P - S"
DRAWS = 500

Array: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.int64]
Metric: TypeAlias = Callable[..., float | None]


class Rated(NamedTuple):
    """Posteriors and labels (1 is S) of the labelled atoms of one data set, in the same order."""

    p_true: Array
    gold: Labels

    def __str__(self) -> str:
        parts = (
            f"{_macro_f1(*self, 0.5):.3f} / {_score(auroc, self):.3f} {_interval(auroc, self)}",
            f"{_score(brier, self):.3f}",
            f"{_score(expected_calibration_error, self):.3f} {_interval(expected_calibration_error, self)}",
            f"{_calibrated(self.p_true):.3f}      ",
            f"{self.p_true.mean() - self.gold.mean():+.3f}",
        )
        return "   ".join(parts)


def main() -> None:
    """Print the three tables and the speed."""
    models = {name: fit(name).model for name in ATOM_SETS}
    print("Version 2, model fitted without the set")
    print(f"{'':41s}{HEADING}   | overlap: macro-F1 / AUROC")
    for name in ATOM_SETS:
        print(f"{name:17s} {_count(name):>20s}   {judged(name, models[name], version=2)}   | {overlap(name)}")
    print("Version 1, model fitted without the set")
    for name in LINKED:
        print(f"{name:17s} {_count(name):>20s}   {judged(name, models[name], version=1)}")
    print("Version 2, shipped parameters (they have seen every set)")
    for name in ATOM_SETS:
        print(f"{name:17s} {_count(name):>20s}   {judged(name, shipped_model(), version=2)}")
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


def judged(name: str, model: Model, *, version: int) -> Rated:
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
    return Rated(np.array(p_true), np.array(gold))


def overlap(name: str) -> str:
    """Macro-F1 and AUROC of plain word overlap with its best threshold."""
    share, gold = [], []
    for record in records(name):
        passages = [_words(context["text"]) for context in record["contexts"]]
        for atom in record["atoms"]:
            if atom["label"] is not None:
                words = _words(atom["text"])
                share.append(max((len(words & passage) / len(words) for passage in passages), default=0.0))
                gold.append(int(atom["label"] == "S"))
    found = Rated(np.array(share), np.array(gold))
    best = max(_macro_f1(*found, threshold - 1e-9) for threshold in set(share))
    return f"{best:.3f} / {_score(auroc, found):.3f}"


def _score(metric: Metric, of: Rated) -> float:
    value = metric(of.p_true, of.gold)
    if value is None:
        raise SystemExit("a data set needs atoms of both labels")
    return value


def _interval(metric: Metric, of: Rated) -> str:
    """Bootstrap 95 % interval over atoms."""
    chance = np.random.default_rng(0)
    draws = []
    for _ in range(DRAWS):
        drawn = chance.integers(0, len(of.gold), len(of.gold))
        draws.append(_score(metric, Rated(of.p_true[drawn], of.gold[drawn])))
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"[{low:.3f}, {high:.3f}]"


def _calibrated(p_true: Array) -> float:
    """Mean ECE over labels drawn from the posteriors themselves."""
    chance = np.random.default_rng(0)
    drawn = (chance.random((DRAWS, len(p_true))) < p_true).astype(np.int64)
    return float(np.mean([expected_calibration_error(p_true, labels) for labels in drawn]))


def _words(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"\w+", text.lower()))
    return words - FUNCTION_WORDS["english"] or words


def _macro_f1(values: Array, gold: Labels, threshold: float) -> float:
    said, true = values > threshold, gold.astype(bool)
    parts = [
        2 * ((said == label) & (true == label)).sum() / ((said == label).sum() + (true == label).sum())
        for label in (True, False)
    ]
    return float(np.mean(parts))


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
