from __future__ import annotations

import numpy as np
import pytest

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Factor
from factreasoner.solvers.log_factors import LogFactor, distribution, log_sum, logarithm, merged, scaled

ENTAILS = np.array([[0.5, 0.5], [0.1, 0.9]])


def log_factor(scope: tuple[int, ...], table: list[object]) -> LogFactor:
    return LogFactor.of(Factor(scope, np.array(table, dtype=float)))


def test_equal_scopes_in_any_order_become_one_sorted_factor() -> None:
    (found,) = merged([log_factor((1, 0), [[1.0, 2.0], [3.0, 4.0]]), LogFactor((0, 1), np.log(ENTAILS))])
    assert found.scope == (0, 1)
    product = np.array([[1.0, 3.0], [2.0, 4.0]]) * ENTAILS
    np.testing.assert_allclose(np.exp(found.logs), product / product.max())


def test_hundreds_of_factors_that_contradict_one_another_balance() -> None:
    factors = [log_factor((0,), [1.0, 1e-3])] * 500 + [log_factor((0,), [1e-3, 1.0])] * 500
    (found,) = merged(factors)
    np.testing.assert_allclose(found.logs, [0.0, 0.0], atol=1e-9)


def test_what_a_double_could_not_hold_is_kept() -> None:
    (found,) = merged([log_factor((0,), [1.0, 1e-300])] * 3)
    np.testing.assert_allclose(found.logs, [0.0, 3 * np.log(1e-300)])


def test_observed_variables_leave_the_scope() -> None:
    factor = log_factor((2, 0), [[1.0, 2.0], [3.0, 0.0]])
    assert factor.given({1: 0}) is factor
    found = factor.given({2: 1, 5: 0})
    assert found.scope == (0,)
    np.testing.assert_allclose(np.exp(found.logs), [3.0, 0.0])
    assert factor.given({2: 1, 0: 1}).logs == -np.inf


def test_sums_of_nothing_are_zero_and_not_nan() -> None:
    logs = logarithm(np.array([[0.0, 0.0], [1e-200, 3e-200]]))
    np.testing.assert_array_equal(log_sum(logs, [1]).ravel(), [-np.inf, np.log(1e-200) + np.log(4.0)])


def test_all_zero_is_inconsistent() -> None:
    nothing = np.full(3, -np.inf)
    for wrong in (scaled, distribution):
        with pytest.raises(SolverError, match="inconsistent"):
            wrong(nothing)
