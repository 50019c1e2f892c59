"""Verdicts of the embedded judge against people's, by label, and look-alikes. Not a benchmark by itself.

Every set is judged by heads fitted without it. Precision and recall stand beside those of plain word
overlap that says a label as often: entailment of the pairs with the largest share of the claim's words in the
passage, contradiction of those with the smallest. A claim partly borne out counts as entailed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from fit_embedded_judge import denial, stance
from labelled_pairs import STANCE_SETS, THREE_WAY, background, labelled_pairs, records, stances

from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.judges.embedded.model import PairModel, shipped_model
from factreasoner.metrics.intervals import wilson
from factreasoner.models import Claim, Premise

LOOK_ALIKES = Path(__file__).parents[1] / "tests" / "judges" / "look_alikes.jsonl"
HANDMADE = LOOK_ALIKES.with_name("stances.jsonl")
EVEN = 0.5
ENTAILED = ("entailment", "partial")
DENIED = ("contradiction",)


class Stance(NamedTuple):
    """One pair: what people say of it, what the judge says, where, and the share of words in common."""

    gold: str
    said: str
    claim: str
    quote: str
    overlap: float


def verdicts_of(name: str, overlap: Callable[[str, str], float]) -> list[Stance]:
    """All labelled pairs of a set, judged by heads that have not seen it; those of records in company."""
    judge = EmbeddedJudge(model=_unseen(name))
    return [
        Stance(gold, verdict.label, claim, verdict.quote or "", overlap(claim, premise.text))
        for premise, labelled in _tasks(name)
        for (claim, gold), verdict in zip(
            labelled,
            judge.judge(premise, [Claim(str(n), text) for n, (text, _) in enumerate(labelled)]).verdicts,
            strict=True,
        )
        if gold
    ]


def _unseen(name: str) -> PairModel:
    bias, weights = stance(name)
    heads = {"stance_bias": bias, "stance_weights": weights, "denial": denial(name)}
    return replace(shipped_model(), **heads, background=background(name))


def _tasks(name: str) -> Iterator[tuple[Premise, list[tuple[str, str]]]]:
    """Passages with their claims and people's labels, empty for claims that nobody labelled for them."""
    if name not in STANCE_SETS:
        for pair in labelled_pairs(name):
            yield Premise("c", pair.premise), [(pair.hypothesis, pair.label)]
        return
    gold = stances(name)
    for record in records(name):
        texts = list(dict.fromkeys(context["text"] for context in record["contexts"]))
        claims = [atom["text"] for atom in record["atoms"]]
        for text in texts:
            others = tuple(other for other in texts if other != text)
            labelled = [(claim, gold.get((record["id"], text, claim), "")) for claim in claims]
            yield Premise("c", text, others), labelled


def print_stances(overlap: Callable[[str, str], float]) -> None:
    """Precision and recall of both labels, set by set and over all."""
    print("Verdicts against people's, heads fitted without the set: right of said, precision [95 %], recall;")
    print("overlap: the same of word overlap that says the label as often")
    total: list[Stance] = []
    for name in THREE_WAY:
        pairs = verdicts_of(name, overlap)
        total += pairs
        _print_set(name, pairs)
    _print_set("all", total)


def _print_set(name: str, pairs: list[Stance]) -> None:
    for label, golds, sign in (("entailment", ENTAILED, -1.0), ("contradiction", DENIED, 1.0)):
        said = [pair for pair in pairs if pair.said == label]
        ranked = sorted(pairs, key=lambda pair: sign * pair.overlap)[: len(said)]
        there = sum(pair.gold in golds for pair in pairs)
        print(f"{name:17s} {label:14s} {_scores(said, golds, there)}   | {_scores(ranked, golds, there)}")


def _scores(said: list[Stance], golds: tuple[str, ...], there: int) -> str:
    right = sum(pair.gold in golds for pair in said)
    if not said:
        return f"   0 of    0                       recall {0:.3f} of {there}"
    low, high = wilson(right, len(said))  # type: ignore[misc]
    share = f"{right / len(said):.3f} [{low:.2f}, {high:.2f}]"
    return f"{right:4d} of {len(said):4d}  {share:20s}  recall {right / max(there, 1):.3f} of {there}"


def print_look_alikes() -> None:
    """Of both halves: look-alikes that are entailed all the same, and true statements that stay so."""
    judge = EmbeddedJudge()
    entailed: Counter[tuple[str, bool]] = Counter()
    cases: Counter[tuple[str, bool]] = Counter()
    for line in LOOK_ALIKES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        (verdict,) = judge.judge(Premise("c", case["passage"]), [Claim("a", case["claim"])]).verdicts
        cases[case["half"], case["entailed"]] += 1
        entailed[case["half"], case["entailed"]] += verdict.label == "entailment"
    for half, named in (("built", "looked at while building"), ("aside", "kept aside")):
        alike, true = (half, False), (half, True)
        print(
            f"Look-alikes {named}: {entailed[alike]} of {cases[alike]} are entailed; "
            f"of true statements in other words {entailed[true]} of {cases[true]}"
        )


def print_handmade() -> None:
    """Of both halves of the handmade pairs: how often each label is said, by what is right."""
    judge = EmbeddedJudge()
    said: dict[tuple[str, str], Counter[str]] = {}
    for line in HANDMADE.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        (verdict,) = judge.judge(Premise("c", case["passage"]), [Claim("a", case["claim"])]).verdicts
        counts = said.setdefault((case["half"], case["stance"]), Counter())
        counts[verdict.label] += 1
        counts["believed"] += verdict.belief is not None and verdict.belief > EVEN
    for (half, right), counts in sorted(said.items()):
        labels = ", ".join(f"{counts[label]} {label}" for label in ("entailment", "neutral", "contradiction"))
        print(f"Handmade pairs ({half}) of {right}: {labels}; beliefs above .5: {counts['believed']}")
