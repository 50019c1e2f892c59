"""Ways of asking about a passage and claims that `real_model.py` compares. Not a benchmark by itself."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from contenders import Contender

from factreasoner.judges.calibration import LABELS
from factreasoner.models import Claim, Premise, Verdict
from factreasoner.protocols import Judge

SCRIPT = Path(__file__).parent / "peer_scripts" / "fact_reasoner_pairs.py"
VALUES = {"entailment": "True", "contradiction": "False", "neutral": "Not clear"}
PUBLISHED = Contender(
    "fact-reasoner",
    ("mellea==0.6.0", "requests", "tqdm", "numpy"),
    "import mellea",
    alone=("fact-reasoner==0.8.0",),
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
    return {v.target_id: Answer(v.label, shares(v), v.label_mass) for v in found.verdicts}


def shares(verdict: Verdict) -> tuple[float, ...]:
    """P of the three labels; where a judge gives one alone, the others share the rest."""
    given = verdict.label_probabilities
    if given:
        return tuple(given.get(VALUES[label], 0.0) for label in LABELS)
    return spread(verdict.label, verdict.probability)


def spread(label: str, p: float) -> tuple[float, ...]:
    """P of the three labels where one has this much."""
    return tuple(p if name == label else (1 - p) / 2 for name in LABELS)


def few_shot(url: str, model: str, unit: Unit) -> dict[str, Answer]:
    """One question about each pair, with worked examples that reason before they answer."""
    cases = json.loads(
        resources.files("factreasoner.prompts").joinpath("judge_examples.json").read_text("utf-8")
    )
    label_of = {value: label for label, value in VALUES.items()}
    facts = [(case["passage"], fact, label_of[fact["value"]]) for case in cases for fact in case["facts"]]
    shown = [
        f"Example {number}:\nPREMISE: {passage}\nHYPOTHESIS: {fact['text']}\n"
        f"Reasoning: {fact['why']} {MEANING[label]}\nFinal answer: [{label}]"
        for number, (passage, fact, label) in enumerate(facts[:6], start=1)
    ]
    found = {}
    for claim_id, text, _ in unit.claims:
        task = f"Your task:\nPREMISE: {unit.passage}\nHYPOTHESIS: {text}"
        message = {"role": "user", "content": "\n\n".join([INSTRUCTION, *shown, task])}
        body = {"model": model, "messages": [message], "temperature": 0, "max_tokens": 1000, "logprobs": True}
        reply = httpx.post(
            f"{url}/chat/completions", json=body | {"top_logprobs": 1}, timeout=900, trust_env=False
        )
        choice = reply.raise_for_status().json()["choices"][0]
        labels = re.findall(r"\[(entailment|contradiction|neutral)\]", choice["message"]["content"])
        if labels:
            found[claim_id] = Answer(
                labels[-1],
                spread(labels[-1], _p_of(labels[-1], (choice.get("logprobs") or {}).get("content") or ())),
            )
    return found


INSTRUCTION = """You are given a PREMISE and a HYPOTHESIS. Evaluate how they relate, step by step:
1. If the premise directly supports or strongly implies the hypothesis, explain the supporting evidence.
   If it contradicts the hypothesis, name the conflicting evidence and explain it.
   If it is not enough to confirm or deny the hypothesis, explain why the evidence is inconclusive.
2. Give the reasoning behind your evaluation.
3. End with your final answer in square brackets: [entailment], [contradiction] or [neutral].
Use the following examples to understand the task better."""
MEANING = {
    "entailment": "So the premise supports the hypothesis in every part.",
    "contradiction": "So the premise and the hypothesis cannot both be true.",
    "neutral": "So the premise neither supports nor contradicts the hypothesis.",
}


def _p_of(label: str, tokens: Sequence[dict[str, Any]]) -> float:
    """The probability of the last token that begins the label."""
    found = [
        t["logprob"] for t in tokens if t["token"].strip(" [") and label.startswith(t["token"].strip(" ["))
    ]
    return float(np.exp(found[-1])) if found else 0.5


def published(url: str, model: str, units: Sequence[Unit]) -> Iterator[tuple[Unit, dict[str, Answer]]]:
    """The extractor of fact-reasoner on pairs, one unit after the other."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.jsonl"
        rows = [{"id": c, "passage": u.passage, "claim": t} for u in units for c, t, _ in u.claims]
        pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        command = [str(PUBLISHED.python), str(SCRIPT), str(pairs), url, model]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            for unit in units:
                said = [json.loads(process.stdout.readline()) for _ in unit.claims]
                yield unit, {r["id"]: Answer(r["label"], spread(r["label"], r["probability"])) for r in said}
