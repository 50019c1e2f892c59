"""Factors by their logarithms, and networks in components."""

import numpy as np
import pytest

from factreasoner.errors import SolverError
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.solvers.reduction import LogFactor, distribution, log_sum, logarithm, merged, reduce, scaled

ENTAILS = np.array([[0.5, 0.5], [0.1, 0.9]])


def log_factor(scope, table):
    return LogFactor.of(Factor(scope, np.array(table, dtype=float)))


def test_equal_scopes_merge_into_one_factor():
    (found,) = merged([log_factor((1, 0), [[1.0, 2.0], [3.0, 4.0]]), LogFactor((0, 1), np.log(ENTAILS))])
    assert found.scope == (0, 1)
    product = np.array([[1.0, 3.0], [2.0, 4.0]]) * ENTAILS
    np.testing.assert_allclose(np.exp(found.logs), product / product.max())


def test_hundreds_of_factors_stay_in_range():
    (tiny,) = merged([log_factor((0,), [1.0, 1e-300])] * 3)
    np.testing.assert_allclose(tiny.logs, [0.0, 3 * np.log(1e-300)])
    factors = [log_factor((0,), [1.0, 1e-3])] * 500 + [log_factor((0,), [1e-3, 1.0])] * 500
    (found,) = merged(factors)
    np.testing.assert_allclose(found.logs, [0.0, 0.0], atol=1e-9)


def test_observed_variables_leave_the_scope():
    factor = log_factor((2, 0), [[1.0, 2.0], [3.0, 0.0]])
    assert factor.given({1: 0}) is factor
    found = factor.given({2: 1, 5: 0})
    assert found.scope == (0,)
    np.testing.assert_allclose(np.exp(found.logs), [3.0, 0.0])
    assert factor.given({2: 1, 0: 1}).logs == -np.inf


def test_sums_of_nothing_are_zero_and_not_nan():
    logs = logarithm(np.array([[0.0, 0.0], [1e-200, 3e-200]]))
    np.testing.assert_array_equal(log_sum(logs, [1]).ravel(), [-np.inf, np.log(1e-200) + np.log(4.0)])


def test_all_zero_is_inconsistent():
    nothing = np.full(3, -np.inf)
    for wrong in (scaled, distribution):
        with pytest.raises(SolverError, match="inconsistent"):
            wrong(nothing)


def graph(*factors, sizes=(2, 2, 2), **evidence):
    names = tuple(f"n{i}" for i in range(len(sizes)))
    return FactorGraph(names, sizes, factors, {names.index(name): state for name, state in evidence.items()})


def test_evidence_cuts_the_network():
    found = reduce(graph(Factor((0, 1), ENTAILS), Factor((1, 2), ENTAILS), n1=1))
    assert dict(found.fixed) == {1: 1}
    assert [part.variables for part in found.components] == [(0,), (2,)]
    np.testing.assert_allclose(np.exp(found.components[0].factors[0].logs), [0.5 / 0.9, 1.0])
    np.testing.assert_allclose(np.exp(found.components[1].factors[0].logs), [0.1 / 0.9, 1.0])


def test_single_state_propagates_as_observed():
    implies = np.array([[1.0, 1.0], [0.0, 1.0]])
    found = reduce(
        graph(Factor((0,), np.array([0.0, 3.0])), Factor((0, 1), implies), Factor((1, 2), implies))
    )
    assert dict(found.fixed) == {0: 1, 1: 1, 2: 1}
    assert found.components == ()


def test_a_table_that_is_a_product_joins_nothing():
    half = np.array([[0.5, 0.5], [0.5, 0.5]])
    skewed = np.outer([0.3, 0.7], [0.2, 0.8])
    found = reduce(graph(Factor((0, 1), half), Factor((1, 2), skewed)))
    assert [part.variables for part in found.components] == [(0,), (1,), (2,)]


def test_tiny_entries_are_distinguished_on_splitting():
    found = reduce(graph(Factor((0, 1), np.array([[1.0, 1.0], [1e-20, 1e-25]])), sizes=(2, 2)))
    assert [part.variables for part in found.components] == [(0, 1)]


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (graph(Factor((0,), np.zeros(2))), "inconsistent"),
        (graph(Factor((0,), np.array([0.0, 1.0])), Factor((0,), np.array([1.0, 0.0]))), "inconsistent"),
        (graph(Factor((0,), np.array([0.0, 1.0])), n0=0), "inconsistent"),
        (graph(sizes=(2, 10**12)), "'n1' alone 1000000000000; at most"),
    ],
)
def test_invalid_networks_are_refused(network, message):
    with pytest.raises(SolverError, match=message):
        reduce(network)
