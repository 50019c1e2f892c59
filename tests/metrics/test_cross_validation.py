"""Held-out quality: honest about records, refused for too little, right about a known distortion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from factreasoner.metrics.cross_validation import Known, fit, folds, held_out, quality, shortage


def known(sharpness: float, *, count: int = 600, records: int = 30, seed: int = 2) -> Known:
    random = np.random.default_rng(seed)
    odds = random.normal(0.4, 1.3, count)
    hits = random.random(count) < expit(odds)
    return Known.of(expit(sharpness * odds), hits, random.integers(0, records, count))


def test_folds_split_records_and_hold_out_everything_once() -> None:
    data = known(1.0, count=100, records=13)
    seen = []
    for train, test in folds(data.record):
        assert not set(data.record[train]) & set(data.record[test])
        seen += test.tolist()
    assert sorted(seen) == list(range(100))


@pytest.mark.parametrize("choice", ["auto", "temperature", "platt", "isotonic"])
def test_a_judge_that_is_too_sure_is_mended(choice: str) -> None:
    result = fit(known(3.0), choice)
    assert result.gain > 0.01
    assert 0 < result.gain_interval.low < result.gain < result.gain_interval.high
    assert result.gain == pytest.approx(result.before.brier.brier - result.after.brier.brier)
    assert result.after.brier.reliability < result.before.brier.reliability / 3
    assert result.after.ece < result.before.ece
    assert result.after.log_loss < result.before.log_loss
    assert (result.size, result.records) == (600, 30)


def test_a_calibrated_judge_has_nothing_to_gain() -> None:
    result = fit(known(1.0), "isotonic")
    assert result.gain < 0.005
    assert result.gain_interval.low < 0


def test_records_are_never_judged_by_themselves() -> None:
    # One record in three is all wrong whatever the probability: what is learnt of it must not help it.
    random = np.random.default_rng(4)
    record = np.repeat(np.arange(12), 10)
    p = np.where(record % 3 == 0, 0.8 + record / 1000, 0.6 + record / 1000)
    data = Known.of(p, np.where(record % 3 == 0, 0, random.random(120) < 0.9), record)
    after = held_out(data, "isotonic")
    for number in range(12):
        others = data.at(np.flatnonzero(record != number))
        assert after[record == number].max() <= others.hits.max()
    assert np.ptp(after) > 0


def test_quality_is_scikit_learns() -> None:
    data = known(2.0)
    found = quality(data.p, data.hits)
    assert found.brier.brier == pytest.approx(brier_score_loss(data.hits, data.p))
    assert found.log_loss == pytest.approx(sklearn_log_loss(data.hits, data.p))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (known(1.0, count=19), "19 with a known outcome"),
        (Known.of([0.9] * 40, [1] * 40, list(range(40))), "(40 right, 0 wrong) in 40 records"),
        (Known.of([0.9] * 40, [0] * 38 + [1] * 2, list(range(40))), "(2 right, 38 wrong)"),
        (Known.of([0.9] * 40, [0, 1] * 20, [0] * 40), "in 1 records; it takes 20, 5 of them right"),
        (Known.of([], [], []), "0 with a known outcome (0 right, 0 wrong) in 0 records"),
    ],
)
def test_too_little_is_refused_with_the_numbers(data: Known, words: str) -> None:
    assert words in shortage(data)
    with pytest.raises(ValueError, match="with a known outcome"):
        fit(data)


def test_enough_is_enough() -> None:
    data = Known.of([0.9, 0.6] * 10, [1, 0] * 10, [i // 4 for i in range(20)])
    assert shortage(data) is None
    assert fit(data).gain_interval is not None


def test_an_outcome_that_one_record_has_alone() -> None:
    record = [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5 + [4] * 5
    hits = [0] * 5 + [1] * 20
    for choice in ("auto", "temperature", "platt", "isotonic"):
        result = fit(Known.of([0.8] * 25, hits, record), choice)
        assert np.isfinite([result.gain, *result.gain_interval, result.after.log_loss]).all()
