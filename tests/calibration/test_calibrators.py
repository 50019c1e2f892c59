"""Calibrators recover known distortions, keep what they promise, and survive degenerate data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from factreasoner.calibration.calibrators import (
    FITS,
    Calibrator,
    Platt,
    Temperature,
    applied,
    fit_platt,
    fit_temperature,
)
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import log_loss

METHODS = list(FITS)


def drawn(count: int = 4000, *, distort=lambda z: 2.5 * z) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities with wrong log-odds, and outcomes by the right ones."""
    random = np.random.default_rng(11)
    odds = random.normal(0.5, 1.5, count)
    return expit(distort(odds)), random.random(count) < expit(odds)


def test_temperature_recovers_a_known_one() -> None:
    assert fit_temperature(*drawn()).temperature == pytest.approx(2.5, rel=0.08)


def test_platt_recovers_slope_and_intercept() -> None:
    fitted = fit_platt(*drawn(distort=lambda z: 2 * z + 1))
    assert (fitted.slope, fitted.intercept) == (pytest.approx(0.5, abs=0.05), pytest.approx(-0.5, abs=0.1))


def test_platt_is_scikit_learns_logistic_regression() -> None:
    p, hits = drawn(distort=lambda z: 2 * z + 1)
    model = LogisticRegression(C=1e9).fit(logit(p)[:, None], hits)
    fitted = fit_platt(p, hits)
    assert fitted.slope == pytest.approx(model.coef_[0, 0], abs=2e-3)
    assert fitted.intercept == pytest.approx(model.intercept_[0], abs=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_fits_lower_the_log_loss(method: str) -> None:
    p, hits = drawn()
    after = applied(FITS[method](p, hits), p)
    assert log_loss(Claims.of(after, hits)).value < log_loss(Claims.of(p, hits)).value - 0.05


cases = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=25)


@pytest.mark.parametrize("method", METHODS)
@given(cases)
@settings(max_examples=25)
def test_any_data_gives_a_rising_map_into_the_unit_interval(method: str, case) -> None:
    calibrator = FITS[method](*map(list, zip(*case, strict=True)))
    values = applied(calibrator, np.linspace(0, 1, 21))
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    assert (values <= 1).all()
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_judge_that_is_wrong_way_round_is_not_turned(method: str) -> None:
    p, hits = drawn(500, distort=lambda z: -2 * z)
    assert (np.diff(applied(FITS[method](p, hits), [0.1, 0.5, 0.9])) >= 0).all()


def test_one_probability_becomes_its_share() -> None:
    calibrator = fit_platt([0.9] * 100, [True] * 60 + [False] * 40)
    assert calibrator.apply(0.9) == pytest.approx(0.6, abs=0.005)


def test_temperature_keeps_one_half() -> None:
    assert Temperature(temperature=3.0).apply(0.5) == 0.5


@pytest.mark.parametrize(
    "calibrator",
    [
        Temperature(temperature=2.0),
        Platt(slope=0.0, intercept=800.0),
        Platt(slope=900.0, intercept=-5.0),
    ],
)
def test_maps_round_trip_and_survive_extremes(calibrator) -> None:
    adapter = TypeAdapter(Calibrator)
    assert adapter.validate_json(adapter.dump_json(calibrator)) == calibrator
    assert all(0.0 <= calibrator.apply(p) <= 1.0 for p in (0.0, 1e-300, 0.5, 1.0))


@pytest.mark.parametrize(
    "data",
    [
        {"method": "temperature", "temperature": 0},
        {"method": "platt", "slope": -1, "intercept": 0},
        {"method": "isotonic", "p": [0.1], "calibrated": [0.5]},
    ],
)
def test_maps_that_are_none(data: dict) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Calibrator).validate_python(data)
