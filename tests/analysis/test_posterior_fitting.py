"""Held-out quality: honest about records, refused for too little, right about a known distortion."""

import numpy as np
import pytest
from scipy.special import expit

from factreasoner.analysis.posterior_fitting import fit, folds, held_out, helps, improvement, shortage
from factreasoner.calibration.calibrators import Identity
from factreasoner.metrics.claim_scores import log_loss
from factreasoner.metrics.samples import Claims


def known(sharpness, *, count=600, records=30, seed=2):
    random = np.random.default_rng(seed)
    odds = random.normal(0.4, 1.3, count)
    hits = random.random(count) < expit(odds)
    return Claims.of(expit(sharpness * odds), hits, random.integers(0, records, count))


def test_folds_split_records_and_hold_out_everything_once():
    data = known(1.0, count=100, records=13)
    seen = []
    for train, test in folds(data.record):
        assert not set(data.record[train]) & set(data.record[test])
        seen += test.tolist()
    assert sorted(seen) == list(range(100))


@pytest.mark.parametrize("choice", ["temperature", "platt"])
def test_a_judge_that_is_too_sure_is_mended(choice):
    result = fit(known(3.0), choice).held_out
    before, after = result["before"], result["after"]
    assert before["log_loss"] == log_loss(known(3.0)).value
    for name in ("brier", "log_loss", "ece"):
        value, interval, _ = result["gain"][name].values()
        assert value == pytest.approx(before[name] - after[name])
        assert interval is None if name == "ece" else 0 < interval.low < value < interval.high
        assert after[name] < before[name]
    assert before["brier"] - after["brier"] > 0.01
    assert after["reliability"] < before["reliability"] / 3
    assert (result["n"], result["records"]) == (600, 30)


def test_a_calibrated_judge_has_nothing_to_gain():
    for choice in ("temperature", "platt"):
        result = fit(known(1.0), choice)
        value, interval, _ = result.held_out["gain"]["brier"].values()
        assert value < 0.005
        assert interval.low < 0
        points = np.linspace(0.1, 0.9, 9)
        assert result.calibrator.apply(points) == pytest.approx(points, abs=0.12)


def test_where_nothing_helps_nothing_is_changed():
    """Calibrated probabilities in few records: any fit is a fit to chance."""
    harmed = [fit(known(1.0, count=60, records=6, seed=seed)) for seed in range(8)]
    assert any(not helps(result.held_out) for result in harmed)
    for result in harmed:
        assert (result.calibrator == Identity()) == (not helps(result.held_out))
    assert Identity().apply(np.array([0.0, 0.3, 1.0])).tolist() == [0.0, 0.3, 1.0]


@pytest.mark.parametrize("worse", ["brier", "log_loss"])
def test_both_proper_scores_must_gain(worse):
    data = known(3.0)
    found = improvement(data, held_out(data, "platt"))
    assert helps(found)
    found["gain"][worse]["value"] = -0.001
    assert not helps(found)


def test_one_record_has_no_interval():
    data = Claims.of([0.9, 0.2], [1, 0], [3, 3])
    reason = "no interval: one record has what it is computed from; an interval needs two"
    found = {"value": 0.0, "interval_95": None, "reason": reason}
    assert improvement(data, data.p)["gain"]["brier"] == found


def test_the_seed_decides_what_is_held_out_together():
    record = known(1.0).record
    first, again, other = ([tuple(test) for _, test in folds(record, seed=s)] for s in (0, 0, 1))
    assert first == again != other


def test_records_are_never_judged_by_themselves():
    random = np.random.default_rng(4)
    record, p, hits = np.repeat(np.arange(12), 10), random.random(120), random.random(120)
    after = held_out(Claims.of(p, hits > 0.4, record), "platt")
    for number in range(12):
        own = record == number
        again = held_out(Claims.of(p, np.where(own, hits <= 0.4, hits > 0.4), record), "platt")
        assert again[own] == pytest.approx(after[own], abs=1e-12)
        assert again[~own] != pytest.approx(after[~own], abs=1e-3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (known(1.0, count=19), "19 with a known outcome"),
        (Claims.of([0.9] * 40, [1] * 40, list(range(40))), "(40 right, 0 wrong) in 40 records"),
        (Claims.of([0.9] * 40, [0] * 38 + [1] * 2, list(range(40))), "(2 right, 38 wrong)"),
        (Claims.of([0.9] * 40, [0, 1] * 20, [0] * 40), "in 1 record; it takes 20, 5 of them right"),
        (Claims.of([], [], []), "0 with a known outcome (0 right, 0 wrong) in 0 records"),
    ],
)
def test_too_little_is_refused_with_the_numbers(data, words):
    assert words in shortage(data)


def test_enough_is_enough():
    data = Claims.of([0.9, 0.6] * 10, [1, 0] * 10, [i // 4 for i in range(20)])
    assert shortage(data) is None
    assert fit(data).held_out["gain"]["brier"]["interval_95"] is not None


def test_an_outcome_that_one_record_has_alone():
    record = [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5 + [4] * 5
    hits = [0] * 5 + [1] * 20
    for choice in ("temperature", "platt"):
        result = fit(Claims.of([0.8] * 25, hits, record), choice).held_out
        value, interval, _ = result["gain"]["log_loss"].values()
        assert np.isfinite([value, *interval, result["after"]["log_loss"]]).all()
