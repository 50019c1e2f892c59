"""Fits the embedded judge (word overlap) and prints what each of its parts is worth; `--write` keeps the fit.

Every figure on public data is of a model fitted without the labels of the set it is on. Nothing is set by
hand: the weights are those of largest penalised likelihood over labelled atoms and the passage that covers
each best, every set counting the same and with an intercept of its own; covering a claim never speaks against
it. An atom's likelihood is that of its posterior in a graph of one context with prior 0.9, so that the
posterior is what gets calibrated. Verdicts come from checks, without a threshold.

Data: see `labelled_pairs.py`. Run: `python benchmarks/overlap_judge.py [--write | --speed]` (two minutes).
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import numpy as np
from data_folder import data_folder
from labelled_pairs import (
    ATOM_SETS,
    HANDMADE,
    IN_RECORDS,
    STANCE_SETS,
    handmade,
    labelled_pairs,
    lines,
    records,
)
from scipy.optimize import minimize

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.judges.overlap import PARAMETERS, TRUST, OverlapJudge, PairModel, belief
from factreasoner.judges.overlap.checks import denying_sentence, has_words, in_order, qualified_alike
from factreasoner.judges.overlap.measures import MEASURES, Array, Measured, Passages
from factreasoner.judges.overlap.words import analyse
from factreasoner.metrics.claim_scores import AreaUnderROC, brier, macro_f1
from factreasoner.metrics.samples import Claims
from factreasoner.models import Atom, Claim, Context, Premise, Record
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

COMMON = 300
RARE = 0.03
RIDGE, SPREAD = 0.003, 0.01
FREE = {"names", "company"}
AGAINST = {"names_missing", "numbers_missing"}
MODEL_SETS = {"pairs_fcb": "factcheck_bench", "pairs_wikic": "wikicontradict", "pairs_kqa": "kqa"}
ENTAILED = ("entailment", "partial")
CHECKS = frozenset({"words", "qualifiers", "order", "contradictions"})
"""What makes a verdict."""
Columns = tuple[int, ...]
ALL: Columns = tuple(range(len(MEASURES)))


class Judged(NamedTuple):
    """A pair with people's label: its measures, and what the checks say of it."""

    values: Array
    label: str
    passes: frozenset[str]
    denied: bool


class Atoms(NamedTuple):
    """The labelled atoms of a set against the nearest passage: measures (n, d), labels (n,)."""

    values: Array
    true: Array


@cache
def common() -> dict[str, float]:
    """Weights below 1 of the stems that most passages have, each set counting the same, without labels."""
    shares: dict[str, float] = defaultdict(float)
    for name in ATOM_SETS:
        texts = {context["text"] for record in records(name) for context in record["contexts"]}
        read = [analyse(text, "english") for text in texts]
        counts = Counter(stem for text in read for stem in set(compress(text.stems, text.content)))
        for stem, count in counts.items():
            shares[stem] += count / len(texts) / len(ATOM_SETS)
    ranked = sorted(shares, key=lambda stem: (-shares[stem], stem))[:COMMON]
    return {stem: round(RARE / (RARE + shares[stem]), 1) for stem in ranked}


def measured(texts: Collection[str], claims: Sequence[str]) -> Measured:
    """What is measured on a record."""
    return Measured(Passages(sorted(set(texts)), common()), sorted(claims))


@cache
def atoms(name: str) -> Atoms:
    """Every labelled atom of a set against the passage of its record that covers it best."""
    values, true = [], []
    for record in records(name):
        found = measured([c["text"] for c in record["contexts"]], [a["text"] for a in record["atoms"]])
        by_row = [found.values(row) for row in range(len(found.passages.texts))]
        for n, atom in enumerate(sorted(record["atoms"], key=lambda atom: atom["text"])):
            if atom["label"] is not None:
                values.append(by_row[int(found.near[n].argmax())][n])
                true.append(atom["label"] == "S")
    return Atoms(np.array(values), np.array(true, dtype=float))


@cache
def judged(name: str) -> tuple[Judged, ...]:
    """Every pair of a set that people took a stance on; those of records in the record's company."""
    if name in HANDMADE or name not in IN_RECORDS:
        pairs = [pair for _, pair in handmade(name)] if name in HANDMADE else labelled_pairs(name)
        return tuple(_judged(measured([pair.premise], [pair.hypothesis]), 0, 0, pair.label) for pair in pairs)
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in labelled_pairs(name)}
    found = []
    for record in records(name):
        claims = sorted(atom["text"] for atom in record["atoms"])
        texts = [context["text"] for context in record["contexts"]]
        if not any((text, claim) in labels for text in texts for claim in claims):
            continue
        seen = measured(texts, claims)
        found += [
            _judged(seen, n, row, labels[text.raw, claim])
            for row, text in enumerate(seen.passages.texts)
            for n, claim in enumerate(claims)
            if (text.raw, claim) in labels
        ]
    return tuple(found)


def _judged(seen: Measured, n: int, row: int, label: str) -> Judged:
    claim, text, window = seen.claims[n], seen.passages.texts[row], seen.window(n, row)
    denied = denying_sentence(claim, seen.weights[n], text, window) is not None
    checks = {"words": has_words, "qualifiers": qualified_alike, "order": in_order}
    passes = frozenset(name for name, check in checks.items() if check(claim, text, window))
    return Judged(seen.values(row)[n], label, passes, denied)


def fit(left_out: str = "", columns: Columns = ALL) -> PairModel:
    """The model of all data sets but one."""
    bias, weights = _support([atoms(name) for name in ATOM_SETS if name != left_out], columns)
    pairs = {name: judged(name) for name in STANCE_SETS if name != left_out}
    scored = [
        (float(pair.values @ weights + bias), pair.label in ENTAILED, _passes(pair), 1 / len(found))
        for found in pairs.values()
        for pair in found
        if not pair.denied
    ]
    scores, right, said, weight = (np.array(column) for column in zip(*scored, strict=True))
    denials = [pair.label == "contradiction" for found in pairs.values() for pair in found if pair.denied]
    return PairModel(
        bias=bias,
        weights=weights,
        entailed=_precision(right[said]),
        silent=_platt(-scores[~said], ~right[~said], weight[~said]),
        contradicted=_precision(denials),
        common=common(),
    )


def _passes(pair: Judged, checks: Collection[str] = CHECKS) -> bool:
    return pair.passes.issuperset(set(checks) - {"contradictions"})


def _precision(right: Collection[bool]) -> float:
    """The share of verdicts that are right, by Laplace's rule."""
    return (sum(right) + 1) / (len(right) + 2)


def _platt(scores: Array, right: Array, weight: Array) -> tuple[float, float]:
    """Slope, 0 at least, and offset of P(right) by the score."""
    label, weight = right.astype(float), weight / weight.sum()

    def loss(point: Array) -> float:
        p = np.clip(1 / (1 + np.exp(-point[0] * scores - point[1])), 1e-9, 1 - 1e-9)
        return float(-weight @ (label * np.log(p) + (1 - label) * np.log(1 - p)) + 1e-4 * point[0] ** 2)

    found = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(0.0, None), (None, None)]).x
    return float(found[0]), float(found[1])


def _support(data: Sequence[Atoms], columns: Columns) -> tuple[float, Array]:
    """Bias and weights, 0 outside of `columns`, of largest penalised likelihood."""
    values = np.concatenate([part.values[:, columns] for part in data])
    label = np.concatenate([part.true for part in data])
    weight = np.concatenate([np.full(len(part.true), 1 / len(part.true) / len(data)) for part in data])
    of = np.repeat(np.arange(len(data)), [len(part.true) for part in data])
    mean = weight @ values
    scale = np.sqrt(weight @ (values - mean) ** 2) + 1e-6
    design = np.hstack([(values - mean) / scale, np.eye(len(data))[of]])
    width = len(columns)

    def loss(point: Array) -> tuple[float, Array]:
        support = 1 / (1 + np.exp(-design @ point))
        p = (1 - TRUST) / 2 + TRUST * support
        slope = -weight * TRUST * (label / p - (1 - label) / (1 - p)) * support * (1 - support)
        apart = point[width:] - point[width:].mean()
        gradient = slope @ design + np.concatenate([2 * RIDGE * point[:width], 2 * SPREAD * apart])
        likelihood = weight @ (label * np.log(p) + (1 - label) * np.log(1 - p))
        return float(RIDGE * point[:width] @ point[:width] + SPREAD * apart @ apart - likelihood), gradient

    bounds = [_bounds(MEASURES[column]) for column in columns] + [(None, None)] * len(data)
    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = np.zeros(len(MEASURES))
    weights[list(columns)] = found[:width] / scale
    return float(found[width:].mean() - found[:width] / scale @ mean), weights


def _bounds(name: str) -> tuple[float | None, float | None]:
    return (None if name in FREE | AGAINST else 0.0), (0.0 if name in AGAINST else None)


def as_json(model: PairModel) -> dict[str, Any]:
    """The parameters as they are shipped, rounded."""
    terms: dict[str, list[str]] = defaultdict(list)
    for term, weight in model.common.items():
        terms[f"{weight:g}"].append(term)
    return {
        "about": "Fitted by benchmarks/overlap_judge.py; see PairModel for what each number does.",
        "bias": round(model.bias, 4),
        "weights": {name: round(float(w), 4) for name, w in zip(MEASURES, model.weights, strict=True)},
        "entailed": round(model.entailed, 3),
        "silent": [round(-model.silent[0], 4), round(model.silent[1], 4)],
        "contradicted": round(model.contradicted, 3),
        "common": {weight: " ".join(sorted(found)) for weight, found in sorted(terms.items())},
    }


# What is printed.


def scores(claims: Claims) -> Array:
    """Macro-F1, AUROC, Brier."""
    return np.array([macro_f1(claims).value, AreaUnderROC(claims).value, brier(claims).value])


def by_nearest(columns: Columns = ALL) -> list[Array]:
    """Scores of the belief by the nearest passage, each set by a model fitted without it."""
    found = []
    for name in ATOM_SETS:
        data = atoms(name)
        bias, weights = _support([atoms(other) for other in ATOM_SETS if other != name], columns)
        found.append(scores(Claims.of(belief(data.values @ weights + bias), data.true)))
    return found


def through_graph(name: str, model: PairModel) -> Array:
    """Scores of P(true) in the graph of version 2, exact."""
    config = Config(version=2)
    evaluator = GraphEvaluator(OverlapJudge(config, model=model), ExactSolver(), config)
    p_true, gold = [], []
    for record in map(parsed, records(name)):
        posterior = evaluator.evaluate(record.atoms or (), record.contexts or (), record).p_true
        for atom in record.atoms or ():
            if atom.gold is not None:
                p_true.append(posterior[atom.id])
                gold.append(atom.gold == "S")
    return scores(Claims.of(p_true, gold))


def parsed(record: dict[str, Any]) -> Record:
    """The record as the evaluator reads it."""
    return Record(
        id=record["id"],
        response=record["output"],
        atoms=tuple(Atom(id=a["id"], text=a["text"], gold=a["label"]) for a in record["atoms"]),
        contexts=tuple(Context(id=c["id"], text=c["text"]) for c in record["contexts"]),
    )


def verdicts(pairs: Sequence[Judged], checks: Collection[str]) -> Iterator[tuple[str, str]]:
    """People's label and the judge's."""
    for pair in pairs:
        denied = pair.denied and "contradictions" in checks
        entails = _passes(pair, checks)
        yield pair.label, "contradiction" if denied else "entailment" if entails else "neutral"


def told(pairs: Sequence[Judged], checks: Collection[str] = CHECKS) -> str:
    """Right of said, and recall, of both labels."""
    counts = Counter(verdicts(pairs, checks))
    parts = []
    for label, gold in (("entailment", ENTAILED), ("contradiction", ("contradiction",))):
        said = sum(count for (_, own), count in counts.items() if own == label)
        right = sum(count for (people, own), count in counts.items() if own == label and people in gold)
        there = sum(count for (people, _), count in counts.items() if people in gold)
        share = f"{right / said:.2f}" if said else "-"
        parts.append(f"{right:3d} of {said:3d} = {share:4s} recall {right / max(there, 1):.3f}")
    return "   ".join(parts)


def fooled(name: str, half: str, checks: Collection[str] = CHECKS) -> str:
    """Of a half of a handmade list: wrongly entailed, rightly entailed, and contradictions right of said."""
    halves = [own for own, _ in handmade(name)]
    pairs = [pair for pair, own in zip(judged(name), halves, strict=True) if own == half]
    counts = Counter(verdicts(pairs, checks))
    true = sum(count for (people, _), count in counts.items() if people == "entailment")
    wrong = sum(c for (people, own), c in counts.items() if own == "entailment" != people)
    denials = sum(count for (_, own), count in counts.items() if own == "contradiction")
    denied = f"{counts['contradiction', 'contradiction']:2d} of {denials:2d} contradictions right"
    right = counts["entailment", "entailment"]
    return (
        f"entailed: {wrong:3d} of {len(pairs) - true:3d} wrongly, {right:3d} of {true:3d} rightly; {denied}"
    )


def row(title: str, found: Sequence[Array]) -> str:
    """A title, the means over the sets, and the scores of each."""
    mean = np.mean(found, axis=0)
    each = "   ".join("/".join(f"{value:.3f}" for value in one) for one in found)
    return f"{title:24s} {'/'.join(f'{value:.3f}' for value in mean)}   {each}"


def main() -> None:
    """Fit on everything, and print every table."""
    if "--speed" in sys.argv[1:]:
        speed()
        return
    whole = fit()
    target = Path(str(resources.files("factreasoner.judges.overlap").joinpath(PARAMETERS)))
    text = json.dumps(as_json(whole), indent=1) + "\n"
    if "--write" in sys.argv[1:]:
        target.write_text(text, encoding="utf-8")
    same = target.exists() and target.read_text(encoding="utf-8") == text
    print(f"{target.name} is {'what this fit gives' if same else 'NOT what this fit gives'}")
    held_out = {name: fit(name) for name in dict.fromkeys((*ATOM_SETS, *STANCE_SETS))}
    print("\nmacro-F1/AUROC/Brier, fitted without the set: mean, then", ", ".join(ATOM_SETS))
    print(row("graph", [through_graph(name, held_out[name]) for name in ATOM_SETS]))
    print(row("nearest passage alone", by_nearest()))
    for n, name in enumerate(MEASURES):
        print(row(f"  no {name}", by_nearest(tuple(column for column in ALL if column != n))))
    print_verdicts()
    beside_a_model(held_out)
    speed()


def print_verdicts() -> None:
    """Verdicts against people's, and of the handmade pairs, with each check left out."""
    print("\nVerdicts against people's: entailment, contradiction")
    for name in STANCE_SETS:
        print(f"{name:17s} all checks        {told(judged(name))}")
        for check in sorted(CHECKS):
            print(f"{'':17s} no {check:14s} {told(judged(name), CHECKS - {check})}")
    everywhere = [pair for name in STANCE_SETS for pair in judged(name)]
    print(f"all sets          all checks        {told(everywhere)}")
    for check in sorted(CHECKS):
        print(f"{'':17s} no {check:14s} {told(everywhere, CHECKS - {check})}")
    print("\nPairs written by hand")
    for name in HANDMADE:
        for half in dict.fromkeys(half for half, _ in handmade(name)):
            print(f"{name:12s} {half:6s} all checks         {fooled(name, half)}")
            for check in sorted(CHECKS):
                print(f"{'':19s} no {check:15s} {fooled(name, half, CHECKS - {check})}")


def beside_a_model(held_out: Mapping[str, PairModel]) -> None:
    """AUROC of entailment on pairs that a model of 1.5 billion parameters judged, each pair alone."""
    print("\nAUROC of entailment, pair by pair: this judge, fitted without the set; the 1.5B model's P(True)")
    rows = list(lines(data_folder() / "real_model" / "verdicts.jsonl"))
    for of_model, name in MODEL_SETS.items():
        texts = {row["id"]: row for row in lines(data_folder() / name / "nli_pairs.jsonl")}
        said = [row for row in rows if row["set"] == of_model]
        found = [
            measured([texts[row["pair"]]["premise"]], [texts[row["pair"]]["hypothesis"]]) for row in said
        ]
        model = held_out[name]
        ours = np.concatenate([one.values(0) for one in found]) @ model.weights + model.bias
        gold = [row["gold"] == "entailment" for row in said]
        scored = (Claims.of(1 / (1 + np.exp(-ours)), gold), Claims.of([row["p_true"] for row in said], gold))
        shown = "   ".join(f"{AreaUnderROC(one).value:.3f}" for one in scored)
        print(f"{name:17s} {len(said):3d} pairs   {shown}")


def speed() -> None:
    """Judge all pairs of one set on one thread, texts unseen before; beside it BM25 of the same pairs."""
    data = [parsed(record) for record in records("factcheck_bench")]
    judge, pairs = OverlapJudge(), 0
    start = time.process_time()
    for record in data:
        claims = [Claim(atom.id, atom.text) for atom in record.atoms or ()]
        texts = [context.text for context in record.contexts or ()]
        for number, text in enumerate(texts):
            others = tuple(texts[:number] + texts[number + 1 :])
            pairs += len(judge.judge(Premise(str(number), text, others), claims).verdicts)
    own = time.process_time() - start
    start = time.process_time()
    for record in data:
        index = bm25s.BM25()
        texts = [context.text for context in record.contexts or ()]
        index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
        for atom in record.atoms or ():
            index.get_scores(bm25s.tokenize(atom.text, return_ids=False, show_progress=False)[0])
    other = time.process_time() - start
    print(
        f"\nSpeed on one core: {pairs / own:.0f} pairs a second; bm25s: {pairs / other:.0f} of the same pairs"
    )


if __name__ == "__main__":
    main()
