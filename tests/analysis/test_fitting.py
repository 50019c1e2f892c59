"""Fits of offsets equal those found otherwise; folds hold records out whole."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from factreasoner.analysis.fitting import fit_offsets, folds
from factreasoner.judges.calibration import UNCHANGED, LabelOffsets


def softmax(scores):
    found = [math.exp(score) for score in scores]
    return [one / sum(found) for one in found]


def by_another_hand(p, gold):
    """The same minimum found by a simplex from elsewhere, the loss written out pair by pair."""
    present = sorted(set(gold))

    def loss(values):
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


def a_judge_that_says_true_too_often(count):
    rng = np.random.default_rng(3)
    gold = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2] * (count // 10)
    noise = rng.normal(0.0, 1.0, (len(gold), 3))
    p = [softmax(noise[i] + [3.0, 0, 0] + 2.0 * np.eye(3)[k]) for i, k in enumerate(gold)]
    return p, gold


def test_fit_matches_another_optimiser():
    p, gold = a_judge_that_says_true_too_often(120)
    found, wanted = fit_offsets(np.array(p), np.array(gold)), by_another_hand(p, gold)
    assert found.model_dump() == pytest.approx(wanted.model_dump(), abs=2e-3)
    assert found.neutral > 1.0


def log_loss_of_two(values, p, entailed):
    """The loss of a judge that says "entailed" with `p` or "neutral", each pair's odds written out."""
    sharp, offset = values
    lost = [
        math.log1p(math.exp(-z if hit else z))
        for q, hit in zip(p, entailed, strict=True)
        for z in [sharp * math.log(max(q, 1e-6) / max(1 - q, 1e-6)) - offset]
    ]
    sides = [[one for one, hit in zip(lost, entailed, strict=True) if hit is side] for side in (True, False)]
    balanced = sum(sum(side) / len(side) for side in sides if side) / sum(map(bool, sides))
    small = (sharp - 1) ** 2 + offset**2
    return sum(lost) / len(lost) / 2 + balanced / 2 + 0.01 / len(lost) * small


def by_brute_force(p, entailed):
    """The best of a grid of sharpness and offset, and then of finer ones round it."""
    best, width = (10.0, 0.0), (9.95, 20.0)
    for _ in range(9):
        grid = [
            (sharp, offset)
            for sharp in np.linspace(best[0] - width[0], best[0] + width[0], 21)
            for offset in np.linspace(best[1] - width[1], best[1] + width[1], 21)
            if 0.05 <= sharp <= 20 and abs(offset) <= 20
        ]
        best = min(grid, key=lambda values: log_loss_of_two(values, p, entailed))
        width = (width[0] / 5, width[1] / 5)
    return best


def a_judge_of_two_labels(case):
    """P of entailment and whether it is right to say so: drawn, sure, unsure, of few, and of one label."""
    rng = np.random.default_rng(case)
    odds = rng.normal(0.0, 1.5, 60)
    entailed = [bool(one) for one in rng.random(60) < expit(odds)]
    match case:
        case 0 | 1:
            return expit(2.5 * odds + 2.0).tolist(), entailed
        case 2:
            return expit(0.3 * odds - 1.0).tolist(), entailed
        case 3:
            return [float(one > 0) for one in odds], entailed
        case 4:
            return [0.5] * 60, entailed
        case 5:
            return expit(odds).tolist(), [n < 5 for n in range(60)]
        case 6:
            return expit(-odds).tolist(), entailed
        case 7:
            return expit(odds)[:6].tolist(), [True, True, False, True, False, False]
        case 8:
            return expit(odds).tolist(), [False] * 60
    return expit(40 * odds).tolist(), entailed


@pytest.mark.parametrize("case", range(10))
def test_fit_of_two_labels_equals_brute_force(case):
    p, entailed = a_judge_of_two_labels(case)
    rows = np.array([[q, 0.0, 1 - q] for q in p])
    gold = np.array([0 if hit else 2 for hit in entailed])
    found = fit_offsets(rows, gold, ("entailment", "neutral"))
    sharp, offset = by_brute_force(p, entailed)
    assert found.contradiction is None
    least = log_loss_of_two((sharp, offset), p, entailed)
    assert log_loss_of_two((1 / found.temperature, found.neutral), p, entailed) == pytest.approx(
        least, abs=1e-7
    )
    assert (1 / found.temperature, found.neutral) == pytest.approx((sharp, offset), abs=5e-3)
    applied = found.apply(rows)
    assert (applied[:, 1] == 0).all()
    wanted = expit(np.array([sharp * math.log(max(q, 1e-6) / max(1 - q, 1e-6)) - offset for q in p]))
    assert applied[:, 0] == pytest.approx(wanted, abs=2e-3)
    assert applied.sum(axis=1) == pytest.approx(1.0)


def test_label_offsets_apply_the_formula():
    offsets = LabelOffsets(temperature=2.0, contradiction=0.5, neutral=-1.0)
    (found,) = offsets.apply(np.array([[0.7, 0.3, 0.0]]))
    scores = [math.log(0.7) / 2, math.log(0.3) / 2 + 0.5, math.log(1e-6) / 2 - 1]
    assert found.tolist() == pytest.approx(softmax(scores))
    assert UNCHANGED.apply(np.array([[0.7, 0.2, 0.1]]))[0].tolist() == pytest.approx([0.7, 0.2, 0.1])


RECORD = np.random.default_rng(2).integers(0, 13, 100)


def test_folds_hold_out_every_pair_once():
    seen = []
    for train, test in folds(RECORD):
        assert not set(RECORD[train]) & set(RECORD[test])
        seen += test.tolist()
    assert sorted(seen) == list(range(100))


def test_the_seed_decides_what_is_held_out_together():
    first, again, other = ([tuple(test) for _, test in folds(RECORD, seed=s)] for s in (0, 0, 1))
    assert first == again != other
