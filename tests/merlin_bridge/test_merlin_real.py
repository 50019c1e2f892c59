"""The binary named by MERLIN_PATH, when there is one, on what the stand-in is given elsewhere."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import brute_force, networks

from merlin_bridge import EXACT_ALGORITHMS, Network, run

pytestmark = pytest.mark.skipif(not os.environ.get("MERLIN_PATH"), reason="MERLIN_PATH is not set")

EXACT = pytest.mark.parametrize("algorithm", sorted(EXACT_ALGORITHMS))


def solved(graph, algorithm):
    network = Network(graph.cardinalities, [(factor.scope, factor.table.ravel()) for factor in graph.factors])
    return run(network, algorithm=algorithm, evidence=graph.evidence)


@EXACT
@settings(max_examples=25, deadline=None)
@given(graph=networks())
def test_exact_algorithms_equal_brute_force(algorithm, graph):
    found = solved(graph, algorithm).marginals
    for probabilities, expected in zip(found, brute_force(graph).values(), strict=True):
        assert probabilities == pytest.approx(expected, abs=2e-6)


@EXACT
def test_fewer_factors_than_variables_do_not_crash_it(algorithm):
    table = [0.128, 0.872, 0.920, 0.080]
    scopes = [((0, 2), table), ((0, 1), table), ((1, 3), table), ((2, 4), table), ((1, 4, 5), table * 2)]
    found = run(Network([2] * 6, scopes), algorithm=algorithm).marginals
    expected = ((0.5, 0.5), (0.524, 0.476), (0.524, 0.476), (0.504992, 0.495008), (0.504992, 0.495008))
    assert found[:5] == expected
    assert found[5] == pytest.approx((0.520046, 0.479954), abs=1e-6)


@EXACT
@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
def test_many_unconnected_parts(algorithm, weight):
    factors = [((i,), [weight, 3 * weight]) for i in range(600)]
    result = run(Network([2] * 600, factors), algorithm=algorithm)
    assert result.marginals == ((0.25, 0.75),) * 600


@EXACT
def test_evidence_on_everything(algorithm):
    result = run(
        Network([2, 3], [((0, 1), [0.5, 1, 2, 3, 4, 6])]), algorithm=algorithm, evidence={0: 1, 1: 2}
    )
    assert result.marginals == ((0.0, 1.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("algorithm", ["wmb", "ijgp", "lbp"])
def test_on_a_tree_approximations_are_exact(algorithm):
    rng = np.random.default_rng(0)
    scopes = [(i,) for i in range(8)] + [(i, i + 1) for i in range(7)]
    network = Network([2] * 8, [(scope, rng.uniform(0.2, 1.0, 2 ** len(scope)).tolist()) for scope in scopes])
    found = run(network, algorithm=algorithm, ibound=4, iterations=50).marginals
    for probabilities, expected in zip(found, run(network, algorithm="cte").marginals, strict=True):
        assert probabilities == pytest.approx(expected, abs=1e-4)
