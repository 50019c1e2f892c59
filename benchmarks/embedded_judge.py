"""The embedded judge on labelled atoms, through the factor graph, beside plain word overlap; and its speed.

Each data set is scored with a model fitted without any part of it, its pairs and its words included; the
shipped parameters have seen all of them, and what they reach stands in the last table for comparison. Every
record is judged as in version 2 (each context against each atom) and, where atoms name their contexts, as in
version 1; posteriors are exact. Overlap is the largest share of an atom's words, function words aside, that
one passage of the record has; it gets the threshold that suits the very data it is scored on.

Brackets hold 95 % intervals over records.
`calibrated` is the ECE to be expected, with as many atoms and these posteriors, were every posterior exactly
right: an ECE near it says nothing against the calibration. `P - S` is the mean posterior less the share of S,
and no ECE is below its size. Data: see `labelled_pairs.py`.
Run: `python benchmarks/embedded_judge.py` (takes some minutes: it fits five models).
"""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
from fit_embedded_judge import fit
from labelled_pairs import ATOM_SETS, records
from stance_table import print_handmade, print_look_alikes, print_stances

from factreasoner.evaluators.graph import GraphEvaluator
from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.judges.embedded.model import PairModel, shipped_model
from factreasoner.metrics.auroc import AreaUnderROC
from factreasoner.metrics.intervals import NoInterval
from factreasoner.metrics.reliability import CalibrationError
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import Statistic, brier, macro_f1
from factreasoner.models import Atom, Claim, Context, Premise, Record
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver
from factreasoner.text.lexicon import FUNCTION_WORDS

LINKED = ("factcheck_bench", "wice")
HEADING = "macro-F1 / AUROC [95 %]       Brier   ECE [95 %]            calibrated  P - S"
DRAWS = 500


def rating(claims: Claims) -> str:
    """One row: scores of the labelled atoms of one data set, with intervals over records."""
    auroc, error = AreaUnderROC(claims), CalibrationError(claims)
    parts = (
        f"{macro_f1(claims).value:.3f} / {auroc.value:.3f} {_interval(auroc)}",
        f"{brier(claims).value:.3f}",
        f"{error.value:.3f} {_interval(error)}",
        f"{_calibrated(claims):.3f}      ",
        f"{claims.p.mean() - claims.hits.mean():+.3f}",
    )
    return "   ".join(parts)


def main() -> None:
    """Print the tables of atoms, of verdicts and of look-alikes, and the speed."""
    models = {name: fit(name).model for name in ATOM_SETS}
    print("Version 2, model fitted without the set")
    print(f"{'':41s}{HEADING}   | overlap: macro-F1 / AUROC")
    for name in ATOM_SETS:
        found = rating(judged(name, models[name], version=2))
        print(f"{name:17s} {_count(name):>20s}   {found}   | {overlap(name)}")
    print("Version 1, model fitted without the set")
    for name in LINKED:
        print(f"{name:17s} {_count(name):>20s}   {rating(judged(name, models[name], version=1))}")
    print("Version 2, shipped parameters (they have seen every set)")
    for name in ATOM_SETS:
        print(f"{name:17s} {_count(name):>20s}   {rating(judged(name, shipped_model(), version=2))}")
    print_stances(lambda claim, passage: _share(_words(claim), _words(passage)))
    print_look_alikes()
    print_handmade()
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


def judged(name: str, model: PairModel, *, version: int) -> Claims:
    """The judge with `model` on all labelled atoms of a set; supported is P > 0.5."""
    config = Config(version=version)
    evaluator = GraphEvaluator(EmbeddedJudge(config, model=model), ExactSolver(), config)
    p_true, gold, places = [], [], []
    for place, record in enumerate(map(parsed, records(name))):
        atoms, contexts = record.atoms or (), record.contexts or ()
        posterior = evaluator.evaluate(atoms, contexts, record).p_true
        for atom in atoms:
            if atom.gold is not None:
                p_true.append(posterior[atom.id])
                gold.append(atom.gold == "S")
                places.append(place)
    return Claims.of(p_true, gold, places)


def overlap(name: str) -> str:
    """Macro-F1 and AUROC of plain word overlap with its best threshold."""
    share, gold = [], []
    for record in records(name):
        passages = [_words(context["text"]) for context in record["contexts"]]
        for atom in record["atoms"]:
            if atom["label"] is not None:
                words = _words(atom["text"])
                share.append(max((_share(words, passage) for passage in passages), default=0.0))
                gold.append(int(atom["label"] == "S"))
    found = Claims.of(share, gold)
    thresholds = (found._replace(said=np.where(found.p > t - 1e-9, 0, 1)) for t in set(share))
    best = max(macro_f1(predicted).value for predicted in thresholds)
    return f"{best:.3f} / {AreaUnderROC(found).value:.3f}"


def _interval(statistic: Statistic) -> str:
    found = statistic.interval((0.0, 1.0))
    return found.reason if isinstance(found, NoInterval) else f"[{found.low:.3f}, {found.high:.3f}]"


def _calibrated(claims: Claims) -> float:
    """Mean ECE over labels drawn from the posteriors themselves."""
    chance = np.random.default_rng(0)
    drawn = (chance.random((DRAWS, len(claims.p))) < claims.p).astype(float)
    return float(np.mean([CalibrationError(Claims.of(claims.p, hits)).value for hits in drawn]))


def _words(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"\w+", text.lower()))
    return words - FUNCTION_WORDS["english"] or words or frozenset({""})


def _share(words: frozenset[str], passage: frozenset[str]) -> float:
    return len(words & passage) / len(words)


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
