"""What a model that is at hand makes of labelled pairs, by how it is asked: right, and at what price.

    python benchmarks/real_model.py URL [--model NAME] [--pairs N] [--designs A/B] [--out FILE]

URL is that of an OpenAI-compatible server, with /v1. `bundled` are pairs of the bundled answers, eight facts
for each of 13 passages; `natural` are pairs nobody tuned on, of Factcheck-Bench, WikiContradict and K-QA, the
same number of each label, N of each set (40). They lie in the folder that FACTREASONER_DATA names. Every
answer is kept in FILE (real_model.jsonl), and what is there is not asked again: stop it, and go on later.

- "word", "lines", "json_schema": this package's judge in that form, with so many facts a call.
- "neutral": every pair neutral, which takes nothing.

Columns: pairs that were answered, accuracy, macro-F1, recall of entailment, contradiction and neutral, AUROC
of entailment, the mean label mass, prompt tokens, those of them in the server's prefix cache, completion
tokens and seconds a fact, all counted between the judge and the server.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from data_folder import data_folder
from relay import Relay

from factreasoner.analysis.fitting import scores_of_labels
from factreasoner.judges.calibration import LABELS
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.client import LiteLLMClient
from factreasoner.metrics.claim_scores import AreaUnderROC
from factreasoner.metrics.samples import Claims
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Judge

ROOT = Path(__file__).parents[1]

PASSAGES, FACTS, SEED = 13, 8, 0
SETS = ("factcheck_bench", "wikicontradict", "kqa")
FORMS: dict[str, dict[str, Any]] = {
    "word, 1 fact": {"form": "word", "atoms_per_call": 1},
    "lines, 8 facts": {"form": "lines", "atoms_per_call": 8},
    "json_schema, 8 facts": {"form": "json_schema", "atoms_per_call": 8},
}
DESIGNS = (*FORMS, "neutral")
HEADS = (
    *("pairs", "acc", "F1", "rec E", "rec C", "rec N", "AUROC", "mass"),
    *("prompt", "cached", "compl.", "s"),
)


class Unit(NamedTuple):
    """A passage with claims and their right labels; `group` is "bundled" or "natural"."""

    group: str
    id: str
    passage: str
    claims: tuple[tuple[str, str, str], ...]
    """Id, text and label."""


class Answer(NamedTuple):
    """What was said of a pair: the label, P of `LABELS`, and their mass where that is known."""

    label: str
    p: tuple[float, ...]
    mass: float | None = None


def judged(judge: Judge, unit: Unit) -> dict[str, Answer]:
    """What a judge of this package says; failures are left out."""
    claims = [Claim(claim_id, text) for claim_id, text, _ in unit.claims]
    found = judge.judge(Premise(unit.id, unit.passage, record_id=unit.id), claims)
    return {v.target_id: Answer(v.label, tuple(v.p), v.label_mass) for v in found.verdicts}


def bundled() -> Iterator[Unit]:
    """Passages of the bundled answers that support and contradict most, each with eight facts."""
    labels: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in _lines(ROOT / "examples" / "relations.jsonl"):
        labels[row["record"], row["source"]][row["target"]] = row["label"]
    found = []
    for record in _lines(ROOT / "examples" / "answers.jsonl"):
        for context in record["contexts"]:
            known, by_label = labels[record["id"], context["id"]], defaultdict(list)
            for atom in record["atoms"]:
                label = known.get(atom["id"], "neutral")
                by_label[label].append((atom["id"], atom["text"], label))
            few = [claim for label in LABELS[:2] for claim in by_label[label][:2]]
            claims = [*few, *by_label["neutral"][: FACTS - len(few)]]
            random.Random(SEED).shuffle(claims)
            unit = Unit("bundled", f"{record['id']}-{context['id']}", context["text"], tuple(claims))
            found.append((-len(few), unit))
    yield from (unit for _, unit in sorted(found)[:PASSAGES])


def natural(number: int) -> Iterator[Unit]:
    """Pairs of three sets, so many of each, labels alike."""
    for name in SETS:
        rows = _lines(data_folder() / name / "nli_pairs.jsonl")
        rows = [row for row in rows if row.get("kind", "context_atom") == "context_atom"]
        random.Random(SEED).shuffle(rows)
        for label in LABELS:
            chosen = [row for row in rows if row["label"] == label][: -(-number // len(LABELS))]
            for row in chosen:
                yield Unit("natural", row["id"], row["premise"], ((row["id"], row["hypothesis"], label),))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def answers(
    design: str, units: Sequence[Unit], url: str, model: str
) -> Iterator[tuple[Unit, dict[str, Answer]]]:
    """What a design says of each unit, as it is asked."""
    config = Config(
        model=f"openai/{model}", api_base=url, cache=False, timeout=600.0, **FORMS.get(design, {})
    )
    judge = LLMJudge(LiteLLMClient(config), config)
    for unit in units:
        if design == "neutral":
            yield unit, {claim_id: Answer("neutral", (0.0, 0.0, 1.0)) for claim_id, _, _ in unit.claims}
        else:
            yield unit, judged(judge, unit)


def ask(design: str, units: Sequence[Unit], relay: Relay, model: str, out: Path) -> None:
    """Ask what is not in `out` yet, and put it there unit by unit."""
    done = {(row["design"], row["unit"]) for row in _lines(out)} if out.exists() else set()
    left = [unit for unit in units if (design, unit.id) not in done and _suits(design, unit)]
    start, seen = time.perf_counter(), len(relay.exchanges)
    for unit, said in answers(design, left, relay.url, model) if left else ():
        own = relay.exchanges[seen:]
        used = [exchange.answer.get("usage") or {} for exchange in own]
        cached = [(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0) for usage in used]
        row = {
            "design": design, "group": unit.group, "unit": unit.id, "said": said,
            "gold": {claim_id: label for claim_id, _, label in unit.claims},
            "prompt": sum(usage.get("prompt_tokens", 0) for usage in used), "cached": sum(cached),
            "completion": sum(usage.get("completion_tokens", 0) for usage in used),
            "seconds": sum(exchange.seconds for exchange in own) or time.perf_counter() - start,
        }  # fmt: skip
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        start, seen = time.perf_counter(), len(relay.exchanges)


def _suits(design: str, unit: Unit) -> bool:
    """Whether it is asked: several facts a call where there are several."""
    return unit.group != "natural" or FORMS.get(design, {}).get("atoms_per_call", 1) == 1


def print_table(group: str, rows: Sequence[dict[str, Any]]) -> None:
    """One line a design."""
    print(f"\n{group:22}", *(f"{head:>6}" for head in HEADS))
    for design in DESIGNS:
        own = [row for row in rows if (row["design"], row["group"]) == (design, group)]
        pairs = [(row["gold"][i], *said) for row in own for i, said in row["said"].items()]
        asked = sum(len(row["gold"]) for row in own)
        if not pairs:
            continue
        gold = np.array([LABELS.index(label) for label, *_ in pairs])
        said = np.array([LABELS.index(label) for _, label, _, _ in pairs])
        p_true = [p[0] for _, _, p, _ in pairs]
        scores = scores_of_labels(np.eye(len(LABELS))[said], gold, np.zeros(len(gold), dtype=int))
        auroc = AreaUnderROC(Claims.of(p_true, gold == 0)).value
        mass = [m for *_, m in pairs if m is not None]
        values = [scores.statistics[name].value for name in ("accuracy", "macro_f1")]
        values += [scores.beside[f"recall_{label}"] for label in LABELS] + [auroc]
        shown = [f"{value:6.3f}" for value in values] + [f"{np.mean(mass):6.2f}" if mass else "     -"]
        shown += [
            f"{sum(row[key] for row in own) / asked:6.0f}" for key in ("prompt", "cached", "completion")
        ]
        count = f"{len(pairs)}/{asked}" if len(pairs) < asked else f"{asked}"
        print(f"{design:22} {count:>6}", *shown, f"{sum(row['seconds'] for row in own) / asked:6.2f}")


def main() -> None:
    """Ask, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url")
    parser.add_argument("--model")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--designs", default="/".join(DESIGNS), help="names with a slash between them")
    parser.add_argument("--out", type=Path, default=Path("real_model.jsonl"))
    options = parser.parse_args()
    model = options.model or httpx.get(f"{options.url}/models", trust_env=False).json()["data"][0]["id"]
    units = [*bundled(), *natural(options.pairs)]
    with Relay(options.url.removesuffix("/v1")) as relay:
        for design in options.designs.split("/"):
            ask(design, units, relay, model, options.out)
    rows = _lines(options.out) if options.out.exists() else []
    for group in ("bundled", "natural"):
        print_table(group, rows)


if __name__ == "__main__":
    main()
