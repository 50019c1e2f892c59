"""The parts of the Brier score, by hand and by what they add up to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.metrics.claim_scores import brier
from factreasoner.metrics.reliability import brier_parts, reliability_bins
from factreasoner.metrics.samples import Claims

cases = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


@given(cases)
def test_the_parts_add_up(case: list[tuple[float, bool]]) -> None:
    claims = Claims.of(*zip(*case, strict=True))
    parts = brier_parts(claims)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins
    assert total == pytest.approx(brier(claims).value, abs=1e-12)
    assert min(parts.reliability, parts.resolution, parts.uncertainty) >= 0
    assert sum(part.size for part in reliability_bins(claims)) == len(case)


@given(st.lists(st.tuples(st.sampled_from([0.05, 0.35, 0.75, 1.0]), st.booleans()), min_size=1, max_size=40))
def test_equal_probabilities_leave_nothing_to_the_width_of_bins(case: list[tuple[float, bool]]) -> None:
    assert brier_parts(Claims.of(*zip(*case, strict=True))).within_bins == pytest.approx(0.0, abs=1e-12)


def test_by_hand() -> None:
    # four at .8, three of them S; four at .4, one of them S
    claims = Claims.of([0.8] * 4 + [0.4] * 4, [1, 1, 1, 0, 1, 0, 0, 0])
    parts = brier_parts(claims)
    assert parts.reliability == pytest.approx((0.05**2 + 0.15**2) / 2)
    assert parts.resolution == pytest.approx(0.25**2)
    assert parts.uncertainty == 0.25
    low, high = reliability_bins(claims)
    assert (low.mean_p, low.share, low.size) == (pytest.approx(0.4), 0.25, 4)
    assert high.interval.low < high.share < high.interval.high


def test_nothing_has_no_parts() -> None:
    nothing = Claims.of([], [])
    assert reliability_bins(nothing) == []
    with pytest.raises(ValueError, match="no probabilities"):
        brier_parts(nothing)
