"""Judges a checkpoint: on every set, with and without the last layer.

python training/evaluate.py FOLDER/mean.safetensors [--sample 200]

The last layer is fitted anew, on the left-out sources and on synthetic pairs, and written to layer.json
beside the weights; a source that it is fitted on is judged by a layer fitted on the others.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from data import Pair, left_out, measured, strangers
from edits import made
from factreasoner.judges.encoder.bundled.asking import LEAST_SURE, UNREAD
from factreasoner.judges.encoder.bundled.reading import NEUTRAL, SAME_THING, Layer, Reading, read
from factreasoner.judges.encoder.bundled.windows import Window, choose_windows
from layer import fitted
from network import Network, base_tokenizer, from_file
from train import tensors

NAMED = ("factcheck_bench", "kqa", "wikicontradict")
BATCH = 48


class Case(NamedTuple):
    """A pair to judge, its label, and the set or kind it belongs to; `group` joins pairs of one claim."""

    passage: str
    title: str
    claim: str
    label: str
    group: str


class Judged(NamedTuple):
    """A case with what the network says: P of the labels without the layer, and what it reads."""

    case: Case
    alone: tuple[float, float, float]
    reading: Reading | None


def pair_sets(sample: int) -> dict[str, list[Case]]:
    """The measuring sets, then what the layer is fitted on, at most `sample` cases a source; 0: all."""
    found: dict[str, list[Case]] = {}
    for name in NAMED:
        rows = measured(f"{name}/nli_pairs.jsonl")
        rows = [row for row in rows if row.get("kind", "context_atom") == "context_atom"]
        found[name] = [
            Case(row["premise"], "", row["hypothesis"], row["label"], row["id"])
            for row in rows
            if row["label"] != "partial"
        ]
    found["wice"] = [
        Case(" ".join(c["text"] for c in record["contexts"] if c["id"] in atom["contexts"]), "", atom["text"],
             "entailment" if atom["label"] == "S" else "not_entailment", record["id"])
        for record in measured("wice/records.jsonl")
        for atom in record["atoms"]
    ]  # fmt: skip
    by_source: dict[str, list[Case]] = defaultdict(list)
    for number, pair in enumerate(outside()):
        by_source[pair.source].append(Case(pair.premise, "", pair.claim, pair.label, str(number)))
    edits = made(sample or 1000, seed=98, use="fitting")
    by_source["edits"] = [Case(pair.premise, "", pair.claim, pair.label, "") for pair, _ in edits]
    return found | {name: _sampled(cases, sample) for name, cases in by_source.items()}


def outside() -> list[Pair]:
    """The pairs of sources that the network never sees; half as many of strangers beside."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in left_out():
        found[pair.source].append(pair)
    return [one for pairs in found.values() for one in [*pairs, *strangers(pairs, len(pairs) // 2)]]


def _sampled(cases: list[Case], sample: int) -> list[Case]:
    """Cases drawn at random: a third of them entailed and a third contradicted, where there are as many."""
    if not sample or len(cases) <= sample:
        return cases
    rng = random.Random(5)
    of = {label: [case for case in cases if case.label == label] for label in ("contradiction", "entailment")}
    kept = [case for found in of.values() for case in rng.sample(found, min(len(found), sample // 3))]
    rest = [case for case in cases if case.label not in of]
    return kept + rng.sample(rest, min(len(rest), sample - len(kept)))


def edited(amount: int) -> dict[str, list[Case]]:
    """Synthetic pairs of passages kept for measuring, by kind."""
    found: dict[str, list[Case]] = defaultdict(list)
    for pair, kind in made(amount, seed=99, use="measuring"):
        found[f"{kind} ({pair.label})"].append(Case(pair.premise, "", pair.claim, pair.label, ""))
    return dict(found)


class Scorer:
    """Reads cases with a network."""

    def __init__(self, network: Network) -> None:
        self._network, self._tokenizer = network.eval(), base_tokenizer()

    def judged(self, cases: Sequence[Case]) -> list[Judged]:
        """What the network says of each case."""
        windows = [choose_windows(case.passage, case.claim, case.title) for case in cases]
        texts = [(w.text, case.claim) for case, found in zip(cases, windows, strict=True) for w in found]
        logits = self.logits(texts)
        result, at = [], 0
        for case, found in zip(cases, windows, strict=True):
            result.append(_judged(case, found, logits[at : at + len(found)]))
            at += len(found)
        return result

    def logits(self, texts: Sequence[tuple[str, str]]) -> np.ndarray:
        """Logits of window and claim, (texts, 3)."""
        encodings = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda n: len(encodings[n]))
        logits = np.zeros((len(texts), 3))
        with torch.inference_mode():
            for n in range(0, len(order), BATCH):
                part = order[n : n + BATCH]
                logits[part] = self._network(*tensors([encodings[i] for i in part])).double().numpy()
        return logits


def _judged(case: Case, windows: Sequence[Window], logits: np.ndarray) -> Judged:
    if not windows:
        return Judged(case, UNREAD, None)
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    near = [n for n, window in enumerate(windows) if window.share >= SAME_THING * windows[0].share]
    entailed, contradicted = p[:, 0].max(), p[near, 2].max()
    alone = entailed, 1 - max(entailed, contradicted), contradicted
    return Judged(case, alone, read(case.claim, f"{case.title}\n{case.passage}", windows, logits))


def with_layer(judged: Judged, layer: Layer) -> tuple[float, float, float]:
    """P of the three labels by the last layer, or where no window is read."""
    return layer.probabilities(judged.reading) if judged.reading else UNREAD


def label_of(p: Sequence[float]) -> int:
    """The label that the judge gives, by its number."""
    best = int(np.argmax(p))
    return best if p[best] > LEAST_SURE else NEUTRAL


def area(right: Sequence[bool], scores: Sequence[float]) -> float:
    """The area under the ROC curve; NaN where all are of one kind."""
    return float(roc_auc_score(right, scores)) if len(set(right)) == 2 else float("nan")


def entailing(judged: Sequence[Judged], layer: Layer) -> tuple[list[bool], list[float]]:
    """Whether each case is entailed, and P of that."""
    return [one.case.label == "entailment" for one in judged], [with_layer(one, layer)[0] for one in judged]


def row(judged: Sequence[Judged], layer: Layer) -> str:
    """One set's figures: AUROC of entailment and contradiction (alone, layer), wrong alarms, accuracy."""
    labels = [one.case.label for one in judged]
    entailed = [label == "entailment" for label in labels]
    denied = [label == "contradiction" for label in labels]
    alone, layered = [one.alone for one in judged], [with_layer(one, layer) for one in judged]
    called = [label_of(p) for p in layered]
    alarms = [call == 2 for call, right in zip(called, entailed, strict=True) if right]
    supported = [call == 0 for call, right in zip(called, entailed, strict=True) if right]
    unrelated = [call == 2 for call, label in zip(called, labels, strict=True) if label == "neutral"]
    wrong = [call == 0 for call, right in zip(called, entailed, strict=True) if not right]
    caught = [call == 2 for call, right in zip(called, denied, strict=True) if right]
    figures = [
        area(entailed, [p[0] for p in alone]),
        area(entailed, [p[0] for p in layered]),
        area(denied, [p[2] for p in alone]),
        area(denied, [p[2] for p in layered]),
        *(
            float(np.mean(part)) if part else float("nan")
            for part in (supported, wrong, caught, alarms, unrelated)
        ),
    ]
    return f"{len(judged):5} " + " ".join(f"{figure:6.3f}" for figure in figures)


def cross_fitted(judged: dict[str, list[Judged]], names: Sequence[str]) -> dict[str, Layer]:
    """For each left-out source a layer fitted on the others; under "" one fitted on all of them."""
    layers = {}
    for out in ("", *names):
        used = [(name, one) for name in names if name != out for one in judged[name] if one.reading]
        layers[out] = fitted(
            [one.reading for _, one in used if one.reading],
            [one.case.label for _, one in used],
            [name for name, _ in used],
        )
    return layers


def bundled(scorer: Scorer, layer: Layer) -> str:
    """The bundled answers: how claims come out when the passages together decide."""
    path = Path(__file__).resolve().parents[1] / "examples" / "answers.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    cases = [
        Case(c["text"], c.get("title") or "", atom["text"], atom["label"], f"{record['id']}/{atom['id']}")
        for record in records
        for atom in record["atoms"]
        for c in record["contexts"]
    ]
    grouped: dict[str, list[tuple[Judged, tuple[float, float, float]]]] = defaultdict(list)
    for one in scorer.judged(cases):
        grouped[one.case.group].append((one, with_layer(one, layer)))
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for found in grouped.values():
        odds = 0.0
        for _, p in found:
            label = label_of(p)
            if label != NEUTRAL:
                sure = 0.9 * p[label] + 0.05
                odds += np.log(sure / (1 - sure)) * (1 if label == 0 else -1)
        counts[
            found[0][0].case.label, "supported" if odds > 0 else "contradicted" if odds < 0 else "unverified"
        ] += 1
    return "; ".join(f"{label} {said} {count}" for (label, said), count in sorted(counts.items()))


def tables(scorer: Scorer, sample: int, out: Path) -> Iterable[str]:
    """All tables, line by line; the layer goes to `out`."""
    judged = {name: scorer.judged(cases) for name, cases in pair_sets(sample).items()}
    names = [name for name in judged if name not in (*NAMED, "wice")]
    layers = cross_fitted(judged, names)
    areas = [area(*entailing(judged[name], layers[""])) for name in NAMED]
    said = f"On three labelled sets it ranks claims with an AUROC of {np.mean(areas):.2f}"
    content = layers[""].weights() | {"measured": said}
    out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    head = "    n  E alo  E lay  C alo  C lay  E>E  not>E   C>C    E>C    N>C"
    yield f"{'set':44}{head}"
    for name, found in judged.items():
        yield f"{name:44}{row(found, layers.get(name, layers['']))}"
    for name, cases in sorted(edited(5 * sample or 4000).items()):
        yield f"{name:44}{row(scorer.judged(cases), layers[''])}"
    yield f"bundled answers: {bundled(scorer, layers[''])}"
    yield f"last layer: {layers[''].weights()}"


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="cases of a left-out source; 0: all")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    for line in tables(Scorer(from_file(given.weights)), given.sample, given.weights.with_name("layer.json")):
        print(line, flush=True)


if __name__ == "__main__":
    main()
