"""What a verifier says of pairs and atoms that people labelled, beside the bundled judge.

    python benchmarks/verifier_quality.py FOLDER [--verifier NAME_OR_TOML] [--pairs N] [--atoms]

FOLDER is the verifier's, as for `--verifier-model`. The first three sets are the 280 pairs on which a model
of 1.5 billion parameters was asked, whose kept answers are shown too; of the other two, N pairs each are
drawn (200).

- `macro-F1`: of the three labels; `AUROC` and `Brier`: of P(entailment).
- `contra.`: AUROC of P(contradiction). `constant`: the most frequent label, and the share of entailment.

`--atoms` adds P(true) of people's atoms of Factcheck-Bench, each against the passages found for it (version
1), by both judges. `MAE`: mean |precision - people's share of supported atoms| over
answers; `rho`: their Spearman correlation; `MAE P`, `rho P`: the same of the mean P(true).
Data: the folder named by FACTREASONER_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from data_folder import data_folder, lines
from scipy.stats import spearmanr

from factreasoner.analysis.fitting import scores_of_labels
from factreasoner.inputs.input import CheckedInput
from factreasoner.judges.calibration import LABELS
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.metrics.claim_scores import AreaUnderROC, brier, macro_f1
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import Statistic
from factreasoner.models import Claim, Premise, Verdict, factuality
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.plugins.kinds import JUDGE
from factreasoner.protocols import Judge

MODEL_SETS = {"pairs_fcb": "factcheck_bench", "pairs_wikic": "wikicontradict", "pairs_kqa": "kqa"}
OTHER_SETS = ("fever_symmetric", "scifact_oracle")


class Pair(NamedTuple):
    """A premise, a hypothesis and what people said of them."""

    premise: str
    hypothesis: str
    label: str


class Said(NamedTuple):
    """What a judge says of a pair: its label, P(entailment) and P(contradiction)."""

    label: str
    entailed: float
    contradicted: float


class Case(NamedTuple):
    """A labelled pair, and what the model said of it, where it was asked."""

    pair: Pair
    model: Said | None = None


def cases(number: int) -> Iterator[tuple[str, list[Case]]]:
    """The pairs of each set."""
    rows = list(lines("real_model/verdicts.jsonl"))
    for of_model, name in MODEL_SETS.items():
        texts = {row["id"]: row for row in lines(f"{name}/nli_pairs.jsonl")}
        found = []
        for row in rows:
            if row["set"] == of_model:
                pair, p = texts[row["pair"]], [row["p_true"], row["p_false"], row["p_not_clear"]]
                model = Said(LABELS[int(np.argmax(p))], *p[:2])
                found.append(Case(Pair(pair["premise"], pair["hypothesis"], row["gold"]), model))
        yield name, found
    for name in OTHER_SETS:
        own = [row for row in lines("nli/pairs.jsonl") if row["source"] == name and row["label"] in LABELS]
        pairs = [Pair(row["premise"], row["hypothesis"], row["label"]) for row in own]
        yield name, [Case(pair) for pair in random.Random(0).sample(pairs, min(number, len(pairs)))]


def said(judge: Judge, pair: Pair) -> Said:
    """What a judge says of a pair alone. The program ends if it can't say anything."""
    judged = judge.judge(Premise("p", pair.premise), [Claim("c", pair.hypothesis)])
    if judged.failures:
        raise SystemExit(f"no verdict on {pair.hypothesis!r}: {judged.failures[0].message}")
    return read(judged.verdicts[0])


def read(verdict: Verdict) -> Said:
    """P of the labels of a verdict."""
    return Said(verdict.label, verdict.p.entailment, verdict.p.contradiction)


def print_row(title: str, gold: Sequence[str], found: Sequence[Said]) -> None:
    """The scores of one judge on one set."""
    right, own = (
        np.array([LABELS.index(label) for label in labels]) for labels in (gold, [one.label for one in found])
    )
    labels = scores_of_labels(np.eye(len(LABELS))[own], right, np.zeros(len(right), dtype=int))
    entailed = Claims.of([one.entailed for one in found], right == LABELS.index("entailment"))
    against = Claims.of([one.contradicted for one in found], right == LABELS.index("contradiction"))
    scores = (labels.statistics["macro_f1"], AreaUnderROC(entailed), brier(entailed), AreaUnderROC(against))
    print(f"  {title:12}", *map(shown, scores))


def shown(score: Statistic) -> str:
    """A score; - where it is undefined."""
    return f"{'-':>9}" if np.isnan(score.value) else f"{score.value:9.3f}"


def print_pairs(verifier: Judge, bundled: Judge, number: int) -> None:
    """A table for each set of pairs."""
    for name, found in cases(number):
        pairs, gold = [case.pair for case in found], [case.pair.label for case in found]
        counts = ", ".join(f"{gold.count(label)} {label}" for label in LABELS)
        print(f"\n{name}: {counts}\n  {'':12}  macro-F1     AUROC     Brier   contra.")
        start = time.process_time()
        print_row("verifier", gold, [said(verifier, pair) for pair in pairs])
        seconds = time.process_time() - start
        print_row("bundled", gold, [said(bundled, pair) for pair in pairs])
        if kept := [case.model for case in found if case.model is not None]:
            print_row("1.5B model", gold, kept)
        most, share = max(LABELS, key=gold.count), gold.count("entailment") / len(gold)
        print_row("constant", gold, [Said(most, share, 0.0)] * len(gold))
        print(f"  the verifier: {len(pairs) / seconds:.1f} pairs a second of CPU", flush=True)


def print_atoms(title: str, config: Config) -> None:
    """P(true) of people's atoms, and precision by answer."""
    records = list(CheckedInput(data_folder() / "factcheck_bench" / "records.jsonl").records())
    pipeline = build_pipeline(config)
    p_true, gold, precision, mean_p, share = [], [], [], [], []
    for record in records:
        made = pipeline.assess(record)
        labelled = [atom for atom in made.atoms if atom.gold is not None]
        p_true += [made.p_true[atom.id] for atom in labelled]
        own = [atom.gold == "S" for atom in labelled]
        gold += own
        scored = factuality(made, len(made.atoms)).precision
        assert scored is not None, record.id
        precision.append(scored)
        mean_p.append(np.mean(list(made.p_true.values())))
        share.append(np.mean(own))
    claims = Claims.of(p_true, gold)
    scores = map(shown, (macro_f1(claims), AreaUnderROC(claims), brier(claims)))
    of_answers = (
        f"{np.mean(np.abs(np.subtract(own, share))):9.3f} {spearmanr(own, share).statistic:9.3f}"
        for own in (precision, mean_p)
    )
    print(f"  {title:12}", *scores, *of_answers, flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--verifier", default="nli")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--atoms", action="store_true")
    options = parser.parse_args()
    config = Config(
        judge="verifier",
        verifier=options.verifier,
        verifier_model=options.folder,
        version=1,
    )
    use_one_thread()
    judge = VerifierJudge(config)
    print(judge.runtime)
    own = Config(version=1)
    print_pairs(judge, JUDGE.make(own.plugin("judge"), {"config": own}), options.pairs)
    if options.atoms:
        heads = ("macro-F1", "AUROC", "Brier", "MAE", "rho", "MAE P", "rho P")
        print(f"\natoms of Factcheck-Bench\n  {'':12}", *(f"{head:>9}" for head in heads))
        print_atoms("verifier", config)
        print_atoms("bundled", own)


if __name__ == "__main__":
    main()
