from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import brute_force, networks

from factreasoner.errors import SolverError
from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.solvers import clique_tree as cliques
from factreasoner.solvers.clique_tree import clique_tree
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.junction_tree import _Linear, _Logarithmic, _Propagation, calibrate


def tables(graph: FactorGraph) -> tuple[Factor, ...]:
    """The factors with their evidence as tables, scaled to 1."""
    observed = (Factor((i,), np.eye(graph.cardinalities[i])[state]) for i, state in graph.evidence.items())
    return (*(Factor(f.scope, f.table / f.table.max()) for f in graph.factors), *observed)


@pytest.mark.parametrize("numbers", [_Linear(), _Logarithmic()], ids=["linear", "logarithmic"])
@settings(max_examples=60)
@given(graph=networks())
def test_both_kinds_of_numbers_give_marginals_and_log_z(
    numbers: _Linear | _Logarithmic, graph: FactorGraph
) -> None:
    factors = tables(graph)
    sizes, scopes = graph.cardinalities, [factor.scope for factor in factors]
    tree = clique_tree(sizes, scopes, eliminate(sizes, scopes).order)
    solved = _Propagation(sizes, tree, numbers).run(factors)
    for expected, found in zip(brute_force(graph).values(), solved.marginals, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    joint = np.ones(sizes)
    for factor in factors:
        joint = np.einsum(joint, range(len(sizes)), factor.table, factor.scope, range(len(sizes)))
    assert solved.log_z == pytest.approx(math.log(joint.sum()), abs=1e-9)


@settings(max_examples=60)
@given(graph=networks(max_variables=8))
def test_cliques_form_a_junction_tree(graph: FactorGraph) -> None:
    scopes = [factor.scope for factor in graph.factors]
    tree = clique_tree(graph.cardinalities, scopes, eliminate(graph.cardinalities, scopes).order)
    owned = [i for clique in tree.cliques for i in clique.scope[: clique.own]]
    assert sorted(owned) == list(range(len(graph.names)))
    for place, clique in enumerate(tree.cliques):
        if clique.parent is None:
            assert clique.own == len(clique.scope)
        else:
            assert clique.parent > place
            assert set(clique.separator) <= set(tree.cliques[clique.parent].scope)
    for scope, home in zip(scopes, tree.homes, strict=True):
        assert set(scope) <= set(tree.cliques[home].scope)


@settings(max_examples=60)
@given(graph=networks(max_variables=8, max_states=3))
def test_gathering_factors_in_groups_changes_nothing(graph: FactorGraph) -> None:
    factors = tables(graph)
    order = eliminate(graph.cardinalities, [factor.scope for factor in factors]).order
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cliques, "GROUPED_FROM", 1)
        patch.setattr(cliques, "GROUP_SHARE", 2)
        solved = calibrate(graph.cardinalities, factors, order)
    for expected, found in zip(brute_force(graph).values(), solved.marginals, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_groups_are_made_for_large_cliques() -> None:
    pairs = [(i, j) for i in range(14) for j in range(i)]
    tree = clique_tree([2] * 14, pairs, range(14))
    assert sum(clique.own == 0 for clique in tree.cliques) > 1
    assert all(len(clique.scope) <= 8 for clique in tree.cliques if clique.own == 0)


def test_products_beyond_the_range_of_a_double_balance() -> None:
    """A hub with 1,000 neighbours for it and then 1,000 against: the one-sided product is 1e-3000."""
    one_sided = np.array([[1.0, 0.5], [1e-3, 1e-3]])
    factors = [Factor((0, i), one_sided if i <= 1000 else one_sided[::-1]) for i in range(1, 2001)]
    scopes = [factor.scope for factor in factors]
    solved = calibrate([2] * 2001, factors, eliminate([2] * 2001, scopes).order)
    np.testing.assert_allclose(solved.marginals[0], [0.5, 0.5], rtol=1e-9)
    np.testing.assert_allclose(solved.marginals[1], [7 / 12, 5 / 12], rtol=1e-9)


def test_an_impossible_network_is_an_error_and_not_nan() -> None:
    differ = np.array([[0.0, 1.0], [1.0, 0.0]])
    triangle = [Factor((0, 1), differ), Factor((1, 2), differ), Factor((0, 2), differ)]
    with pytest.raises(SolverError, match="inconsistent"):
        calibrate([2, 2, 2], triangle, [0, 1, 2])
