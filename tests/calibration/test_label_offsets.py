"""A temperature and two offsets: the fit beside another optimiser, and a real model's recorded verdicts."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from factreasoner.calibration.label_offsets import UNCHANGED, LabelOffsets, fit_offsets, probabilities_of
from factreasoner.models import Verdict

GOLD = {"entailment": 0, "contradiction": 1, "neutral": 2}


def softmax(scores: Sequence[float]) -> list[float]:
    found = [math.exp(score) for score in scores]
    return [one / sum(found) for one in found]


def by_another_hand(p: Sequence[Sequence[float]], gold: Sequence[int]) -> LabelOffsets:
    """The same minimum found by a simplex from elsewhere, the loss written out pair by pair."""
    present = sorted(set(gold))

    def loss(values: Any) -> float:
        sharp, *offsets = float(values[0]), 0.0, float(values[1]), float(values[2])
        each = [
            -math.log(
                softmax([sharp * math.log(max(q, 1e-6)) + o for q, o in zip(row, offsets, strict=True)])[k]
            )
            for row, k in zip(p, gold, strict=True)
        ]
        by_label = [[one for one, k in zip(each, gold, strict=True) if k == label] for label in present]
        balanced = sum(sum(part) / len(part) for part in by_label) / len(present)
        small = (sharp - 1) ** 2 + offsets[1] ** 2 + offsets[2] ** 2
        return 0.5 * sum(each) / len(each) + 0.5 * balanced + 0.01 / len(each) * small

    options = {"xatol": 1e-7, "fatol": 1e-13, "maxiter": 20000, "maxfev": 20000}
    found = minimize(loss, (3.0, -2.0, 2.5), method="Nelder-Mead", options=options).x
    return LabelOffsets(temperature=1 / found[0], contradiction=found[1], neutral=found[2])


def a_judge_that_says_true_too_often(count: int) -> tuple[list[list[float]], list[int]]:
    rng = np.random.default_rng(3)
    gold = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2] * (count // 10)
    noise = rng.normal(0.0, 1.0, (len(gold), 3))
    p = [softmax(noise[i] + [3.0, 0, 0] + 2.0 * np.eye(3)[k]) for i, k in enumerate(gold)]
    return p, gold


def test_the_fit_is_the_minimum_that_another_optimiser_finds() -> None:
    p, gold = a_judge_that_says_true_too_often(120)
    found, wanted = fit_offsets(np.array(p), np.array(gold)), by_another_hand(p, gold)
    assert found.temperature == pytest.approx(wanted.temperature, abs=2e-3)
    assert found.contradiction == pytest.approx(wanted.contradiction, abs=2e-3)
    assert found.neutral == pytest.approx(wanted.neutral, abs=2e-3)
    assert found.neutral > 1.0


def test_what_is_applied_is_written_out() -> None:
    offsets = LabelOffsets(temperature=2.0, contradiction=0.5, neutral=-1.0)
    (found,) = offsets.apply(np.array([[0.7, 0.3, 0.0]]))
    scores = [math.log(0.7) / 2, math.log(0.3) / 2 + 0.5, math.log(1e-6) / 2 - 1]
    assert found.tolist() == pytest.approx(softmax(scores))
    assert UNCHANGED.apply(np.array([[0.7, 0.2, 0.1]]))[0].tolist() == pytest.approx([0.7, 0.2, 0.1])


def test_a_verdict_without_all_three_or_with_little_mass_has_none() -> None:
    given = {"True": 0.7, "False": 0.2, "Not clear": 0.1}

    def verdict(**fields: Any) -> Verdict:
        fields = {"label": "entailment", "probability": 0.7, "label_probabilities": given} | fields
        return Verdict(context_id="c0", target_id="a0", **fields)

    assert probabilities_of(verdict(label_mass=0.5)) == (0.7, 0.2, 0.1)
    assert probabilities_of(verdict()) == (0.7, 0.2, 0.1)
    assert probabilities_of(verdict(label_mass=0.49)) is None
    assert probabilities_of(verdict(label_probabilities={"True": 0.8, "False": 0.2})) is None
    assert probabilities_of(verdict(label_probabilities={})) is None
    assert probabilities_of(verdict(confidence="corrected")) is None


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def recorded(name: str) -> tuple[Any, Any, Any]:
    """P (pairs, 3), right labels and records of what a real model said, in the folder of public data."""
    folder = Path(os.environ.get("FACTREASONER_DATA", "nowhere"))
    if not folder.is_dir():
        pytest.skip("needs FACTREASONER_DATA")
    judged = rows_of(folder / "factcheck_bench/human_relations.jsonl")
    people = {(row["record"], row["source"], row["target"]): row["label"] for row in judged}
    rows = [row for row in rows_of(folder / "real_model/verdicts.jsonl") if row["set"] == name]
    labels = [row.get("gold") or people[row["record"], row["context"], row["atom"]] for row in rows]
    p = np.array([[row["p_true"], row["p_false"], row["p_not_clear"]] for row in rows])
    return p, np.array([GOLD[label] for label in labels]), np.array([row["record"] for row in rows])


def scores(p: Any, gold: Any) -> tuple[float, float]:
    """Accuracy and macro-F1 of the likeliest labels."""
    said = p.argmax(axis=1)
    hits = [int(((said == k) & (gold == k)).sum()) for k in range(3)]
    f1 = [2 * hit / ((said == k).sum() + (gold == k).sum()) for k, hit in enumerate(hits)]
    return float((said == gold).mean()), float(np.mean(f1))


def test_a_real_models_labels_get_better_with_each_answer_left_out() -> None:
    p, gold, record = recorded("bundled")
    assert scores(p, gold)[0] == pytest.approx(0.674, abs=5e-4)
    after, by_hand = np.empty_like(p), np.empty_like(p)
    for one in set(record):
        rest = record != one
        after[~rest] = fit_offsets(p[rest], gold[rest]).apply(p[~rest])
        by_hand[~rest] = by_another_hand(p[rest].tolist(), gold[rest].tolist()).apply(p[~rest])
    accuracy, macro_f1 = scores(after, gold)
    assert accuracy >= 0.895
    assert macro_f1 >= 0.713
    assert scores(by_hand, gold) == pytest.approx((accuracy, macro_f1), abs=3e-3)


def test_offsets_do_not_travel_to_data_with_other_rates() -> None:
    """What the bundled answers teach is worth less there than what that data teaches itself."""
    p, gold, _ = recorded("bundled")
    other, right, record = recorded("factcheck_bench")
    travelled = scores(fit_offsets(p, gold).apply(other), right)
    own = np.empty_like(other)
    for part in np.array_split(np.unique(record), 5):
        held = np.isin(record, part)
        own[held] = fit_offsets(other[~held], right[~held]).apply(other[held])
    assert scores(own, right)[0] > travelled[0] + 0.05
