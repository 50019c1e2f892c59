"""Intervals against scipy's, by hand, at their edges, and against what they must do."""

import numpy as np
import pytest
from assessments import assessment
from hypothesis import given, settings
from hypothesis import strategies as st
from samples_of_records import estimated, sampled
from scipy.stats import beta, binomtest, norm, ttest_1samp, ttest_rel
from scipy.stats import t as t_distribution

from factreasoner.metrics.claim_scores import AreaUnderROC, CalibrationError
from factreasoner.metrics.comparison import paired
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import NoInterval, interval_if_unchanged, jackknife_t, mean_of, wilson
from factreasoner.models import Usage

WIDE = (-100.0, 100.0)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipy(counts):
    interval = wilson(*counts)
    right = binomtest(*counts).proportion_ci(method="wilson")
    assert interval == pytest.approx((right.low, right.high), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_the_interval_of_a_mean_is_students(values):
    if np.std(values) < 1e-6:
        return
    right = ttest_1samp(values, 0.0).confidence_interval()
    found = mean_of(np.array([*values, np.nan])).interval(WIDE)
    assert found == pytest.approx((right.low, right.high), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30))
def test_mean_difference_interval_equals_paired_t(pairs):
    one, other = np.array(pairs).T
    if np.std(one - other) < 1e-6:
        return
    right = ttest_rel(one, other).confidence_interval()
    found = paired(mean_of(one), mean_of(other), WIDE)
    assert found.value == pytest.approx((one - other).mean())
    assert found.interval == pytest.approx((right.low, right.high), abs=1e-9)


@pytest.mark.parametrize(("records", "words"), [(0, "no record has"), (1, "one record has")])
def test_fewer_than_two_records_have_no_interval(records, words):
    values = np.array([0.5] * records + [np.nan])
    found = mean_of(values).interval((0.0, 1.0))
    assert words in found.reason


def test_statistic_undefined_without_a_record_lacks_interval():
    assert isinstance(jackknife_t(0.5, np.array([0.4, np.nan, 0.6]), (0.0, 1.0)), NoInterval)
    rare = sampled(*[assessment([0.9, 0.2], gold="SS")] * 20, assessment([0.4], gold="N"))
    found = estimated(rare, "auroc")
    assert found.value == 0.5  # below the S at .9, above that at .2
    assert found.interval is None
    assert found.reason == "no interval: one record alone has all claims of one label"


def test_identical_records_give_no_zero_width_interval():
    low, high = mean_of(np.array([1.0] * 10)).interval((0.0, 1.0))
    assert (low, high) == (pytest.approx(0.025**0.1), 1.0)
    right = binomtest(5, 10).proportion_ci(method="exact")
    assert mean_of(np.array([0.5] * 10)).interval((0.0, 1.0)) == pytest.approx((right.low, right.high))
    same = NoInterval("removing any one record does not change it")
    assert interval_if_unchanged(3.0, 10, (0.0, np.inf)) == same


def test_a_perfect_order_has_an_interval():
    perfect = sampled(*[assessment([0.9, 0.2], gold="SN")] * 8)
    assert estimated(perfect, "auroc") == (1.0, (pytest.approx(0.025 ** (1 / 8)), 1.0), None, 8)


def test_single_label_and_unknown_cost_give_reasons():
    unknown = [assessment([0.9], usage={"evaluator": Usage(calls=1, cost=None)}), assessment([0.9], gold="S")]
    sample = sampled(*unknown)
    assert estimated(sample, "auroc")[:3] == (
        None,
        None,
        "it needs labels of both kinds; there are 1 S and 0 others",
    )
    assert estimated(sample, "cost").reason == "unknown, because the price of a call is unknown"
    assert estimated(sample, "three_way_accuracy").reason == "no judged atom is labelled C or U"
    assert estimated(sampled(assessment([0.9])), "f1").reason == "no judged atom is labelled"
    assert estimated(sampled(assessment([None], gold="S")), "f1").reason == "no labelled atom could be judged"


@given(st.lists(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=5), min_size=1, max_size=8))
@settings(max_examples=50)
def test_every_interval_is_finite_and_holds_the_value(cases):
    parts = [
        assessment([p for p, _ in case], gold="".join("S" if hit else "N" for _, hit in case))
        for case in cases
    ]
    sample = sampled(*parts)
    for metric in FACTUALITY:
        value, interval, reason, _ = estimated(sample, metric.name)
        assert (reason is None) == (interval is not None)
        if interval is not None:
            assert np.isfinite(interval).all()
            low, high = metric.bounds
            assert low - 1e-9 <= interval.low <= value + 1e-9, metric.name
            assert value - 1e-9 <= interval.high <= high + 1e-9, metric.name


def drawn(random, records):
    """Calibrated but for a share of each record, so that atoms of a record depend on each other."""
    odds = random.normal(0.5, 1.5, (records, 8))
    shared = random.normal(0, 0.7, (records, 1))
    gold = random.random((records, 8)) < 1 / (1 + np.exp(-odds - shared))
    return Claims.of(1 / (1 + np.exp(-odds)).ravel(), gold.ravel(), np.repeat(np.arange(records), 8))


@pytest.mark.parametrize("statistic", [AreaUnderROC, CalibrationError])
@pytest.mark.parametrize("records", [8, 25])
def test_intervals_hold_the_truth(statistic, records):
    random = np.random.default_rng(5)
    truth = statistic(drawn(random, 20_000)).value
    found = [statistic(drawn(random, records)).interval((0.0, 1.0)) for _ in range(150)]
    assert 0.86 <= np.mean([low <= truth <= high for low, high in found]) <= 1.0


@given(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=30))
def test_share_interval_is_union_of_two_methods(values):
    """By means and variances instead of the jackknife, with scipy's distributions."""
    if np.std(values) < 1e-3:
        return
    n, mean, error = len(values), float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5
    factor = t_distribution.ppf(0.975, n - 1)
    trials = mean * (1 - mean) / error**2 * (norm.ppf(0.975) / factor) ** 2
    low = beta.ppf(0.025, mean * trials, trials * (1 - mean) + 1)
    high = beta.ppf(0.975, mean * trials + 1, trials * (1 - mean))
    found = mean_of(np.array(values)).interval((0.0, 1.0))
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9
    rest = [(sum(values) - value) / (n - 1) for value in values]
    odds = np.log(np.array(rest) / (1 - np.array(rest)))
    half = factor * (n - 1) / n**0.5 * float(np.std(odds, ddof=1))
    middle = np.log(mean / (1 - mean))
    ends = [1 / (1 + np.exp(-end)) for end in (middle - half, middle + half)]
    assert found == pytest.approx((min(low, ends[0]), max(high, ends[1])), abs=1e-9)


def test_calibration_error_interval_covers_zero():
    random = np.random.default_rng(5)
    record = np.repeat(np.arange(60), 10)
    p = random.random(600)
    calibrated = CalibrationError(Claims.of(p, random.random(600) < p, record)).interval((0.0, 1.0))
    assert calibrated.low == 0.0
    wrong = CalibrationError(Claims.of(p, random.random(600) < p**3, record)).interval((0.0, 1.0))
    assert 0.1 < wrong.low < 0.25 < wrong.high  # the mean of p - p^3 is 1/4


def test_a_difference_of_calibration_errors_has_no_interval():
    one = CalibrationError(Claims.of([0.2, 0.7, 0.9], [False, True, False], [0, 1, 2]))
    other = CalibrationError(Claims.of([0.3, 0.6, 0.8], [False, True, False], [0, 1, 2]))
    found = paired(one, other, (0.0, 1.0))
    assert found.value == pytest.approx((0.2 + 0.3 + 0.9) / 3 - (0.3 + 0.4 + 0.8) / 3)
    assert found.interval is None
