"""Differences of runs, and agreement of judges."""

import itertools

import numpy as np
import pytest
from assessments import assessment
from hypothesis import given
from hypothesis import strategies as st
from samples_of_records import sampled, value_of

from factreasoner.metrics.comparison import Agreement, differences, holm, permutation_p
from factreasoner.metrics.factuality import FACTUALITY

METRICS = [FACTUALITY["precision"], FACTUALITY["auroc"]]
TESTED = [metric for metric in FACTUALITY if metric.tested]


def run(seed, *, records=6, skill=0.2):
    random, noise = np.random.default_rng(1), np.random.default_rng(seed)
    made = []
    for number in range(records):
        gold = random.random(5) < 0.6
        p = np.clip(0.5 + np.where(gold, skill, -skill) + noise.normal(0, 0.2, 5), 0.01, 0.99)
        labels = "".join("S" if label else "N" for label in gold)
        made.append(assessment(p.tolist(), gold=labels, record_id=f"r{number}"))
    return made


@pytest.mark.parametrize("name", ["precision", "macro_f1", "auroc", "brier"])
def test_the_test_is_exact_for_few_records(name):
    one, other = run(2), run(3, skill=0.0)
    observed = abs(value_of(sampled(*one), name) - value_of(sampled(*other), name))
    gaps = []
    for exchanged in itertools.product([False, True], repeat=len(one)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(one, other, exchanged, strict=True)]
        first, second = (value_of(sampled(*(pair[i] for pair in pairs)), name) for i in (0, 1))
        gaps.append(abs(first - second))
    share = np.mean(np.array(gaps) >= observed - 1e-12)
    assert permutation_p(sampled(*one), sampled(*other), FACTUALITY[name]) == pytest.approx(share)


def test_random_exchanges_are_those_of_the_seed():
    one, other = (sampled(*run(seed, records=20)) for seed in (2, 3))
    first, again, another = (permutation_p(one, other, METRICS[0], seed=seed) for seed in (1, 1, 2))
    assert first == again != another


def test_undefined_permutation_counts_against_a_difference():
    # One run has its NS in r0, the other in r1: where only one of the two is exchanged, a run has no AUROC.
    one = sampled(
        assessment([0.9, 0.2], gold="SN", record_id="r0"), assessment([0.8], gold="S", record_id="r1")
    )
    other = sampled(
        assessment([0.3], gold="S", record_id="r0"), assessment([0.7, 0.4], gold="SN", record_id="r1")
    )
    assert permutation_p(one, other, FACTUALITY["auroc"]) == 1.0  # and not 0.5


def test_equal_runs_do_not_differ():
    sample = sampled(*run(2))
    for item in differences({"a": sample, "b": sample}, "a", TESTED):
        assert (item.value, item.p_value, item.p_holm) == (0.0, 1.0, 1.0)
        if item.score == "ece":
            continue  # a difference of two of these has no interval
        assert item.interval is not None  # others of so many records may differ yet
        assert item.interval.low < 0.0 < item.interval.high


def test_rounding_makes_no_difference():
    random = np.random.default_rng(0)
    uneven = [
        assessment(random.choice([0.2, 0.9], size=random.integers(1, 12)).tolist(), record_id=f"r{number}")
        for number in range(62)
    ]
    sample = sampled(*uneven)
    for name in ("precision", "f1_k", "avg_entropy"):
        assert permutation_p(sample, sample, FACTUALITY[name]) == 1.0
    shares = [[0.9, *[0.2] * wrong] for wrong in (1, 2, 9)]
    one, other = (
        sampled(*(assessment(p, record_id=f"r{number}") for number, p in enumerate(order)))
        for order in (shares, shares[::-1])
    )
    assert value_of(one, "precision") < value_of(other, "precision")  # summed in another order
    (found,) = differences({"one": one, "other": other}, "other", METRICS[:1])
    assert str(found.value) == "0.0"


def test_a_clear_difference_is_found_and_signed():
    good, bad = sampled(*run(2, records=30)), sampled(*run(2, records=30, skill=-0.2))
    found = {item.score: item for item in differences({"bad": bad, "good": good}, "bad", TESTED)}
    for name, sign in {"auroc": 1, "brier": -1, "macro_f1": 1}.items():
        item = found[name]
        assert (item.run, item.baseline) == ("good", "bad")
        assert item.value * sign > 0
        assert all(end * sign > 0 for end in item.interval)
        assert item.p_value <= item.p_holm < 0.01


def test_few_records_and_undefined_scores_have_no_test():
    one = sampled(assessment([0.9], gold="S"))
    for item in differences({"a": one, "b": one}, "a", METRICS):
        assert (item.interval, item.p_value, item.p_holm) == (None, None, None)
    assert [i.value for i in differences({"a": one, "b": one}, "a", METRICS)] == [0.0, None]


def test_other_records_are_refused():
    one, other = run(2), run(2)
    with pytest.raises(ValueError, match="same records"):
        differences({"a": sampled(*one), "b": sampled(*other[::-1])}, "a", METRICS[:1])


def test_holm_by_hand():
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert holm([None, None]) == [None, None]
    assert holm([]) == []


OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
"""Krippendorff (2011), section C: four observers, twelve units, a stop where there is no value."""


def alpha(units):
    found = Agreement()
    for values in units:
        found.add(values)
    return found.alpha


def test_the_published_example():
    units = [[value for value in unit if value != "."] for unit in zip(*OBSERVERS, strict=True)]
    found = Agreement()
    for unit in units:
        found.add(unit)
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert found.units == 11


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=8))
def test_by_its_definition_over_all_pairs_of_values(units):
    """1 - D_o / D_e: disagreeing pairs inside units, against those of all values that can be paired."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    observed = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = sum(a != b for a, b in itertools.permutations(values, 2))
    n = len(values)
    wanted = 1 - (observed / n) / (expected / (n * (n - 1))) if expected else None
    assert alpha(units) == (None if wanted is None else pytest.approx(wanted))
