"""Intervals against scipy's and against what they must do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap

from factreasoner.metrics import intervals
from factreasoner.metrics.intervals import bootstrap_mean, wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipy(counts: tuple[int, int]) -> None:
    interval = wilson(*counts)
    expected = binomtest(*counts).proportion_ci(method="wilson")
    assert interval is not None
    assert interval == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_no_trials() -> None:
    assert wilson(0, 0) is None


def test_bootstrap_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).beta(4, 2, size=60)
    expected = bootstrap(
        (values,), np.mean, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    assert bootstrap_mean(values.tolist()) == pytest.approx((expected.low, expected.high), abs=0.006)


def test_bootstrap_is_reproducible() -> None:
    values = [i / 37 for i in range(37)]
    assert bootstrap_mean(values, seed=1) == bootstrap_mean(values, seed=1)
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)


def test_bootstrap_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [0.1, 0.4, 0.9, 0.3]
    whole = bootstrap_mean(values)
    monkeypatch.setattr(intervals, "_NUMBERS_AT_ONCE", 28)
    assert bootstrap_mean(values) == whole


@pytest.mark.parametrize("values", [[], [0.5]])
def test_bootstrap_of_too_few_records(values: list[float]) -> None:
    assert bootstrap_mean(values) is None


def test_bootstrap_of_equal_values() -> None:
    assert bootstrap_mean([0.25] * 5) == (0.25, 0.25)
