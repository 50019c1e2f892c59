from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import brute_force, networks

from factreasoner.models.graph import Factor
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.junction_tree import (
    LINEAR,
    LOGARITHMIC,
    JunctionTree,
    clique_tree,
    junction_tree_marginals,
)
from factreasoner.solvers.reduction import LogFactor, distribution


def tables(graph):
    """The factors with their evidence as tables, scaled to 1."""
    observed = (Factor((i,), np.eye(graph.cardinalities[i])[state]) for i, state in graph.evidence.items())
    scaled = (Factor(f.scope, f.table / f.table.max()) for f in graph.factors)
    return tuple(map(LogFactor.of, (*scaled, *observed)))


@pytest.mark.parametrize("numbers", [LINEAR, LOGARITHMIC], ids=["linear", "logarithmic"])
@settings(max_examples=60)
@given(graph=networks())
def test_both_kinds_of_numbers_give_marginals(numbers, graph):
    factors = tables(graph)
    sizes, scopes = graph.cardinalities, [factor.scope for factor in factors]
    found = JunctionTree(sizes, factors, eliminate(sizes, scopes).order).propagated(numbers)
    for i, expected in enumerate(brute_force(graph).values()):
        np.testing.assert_allclose(distribution(found.logs(i))[:, 0], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("numbers", [LINEAR, LOGARITHMIC], ids=["linear", "logarithmic"])
@settings(max_examples=60)
@given(graph=networks(max_variables=6), seed=st.integers(0, 99))
def test_variants_lack_the_factors_of_their_variables(numbers, graph, seed):
    factors = tables(replace(graph, evidence={}))
    sizes, scopes = graph.cardinalities, [factor.scope for factor in factors]
    lacks = np.random.default_rng(seed).random((len(sizes), 3)) < 0.3
    tree = JunctionTree(sizes, factors, eliminate(sizes, scopes).order)
    found = tree.propagated(numbers, lacks)
    for variant in range(3):
        left = tuple(
            factor
            for factor in graph.factors
            if len(factor.scope) < 2 or not lacks[list(factor.scope), variant].any()
        )
        expected = brute_force(replace(graph, factors=left, evidence={}))
        for i, p in enumerate(expected.values()):
            np.testing.assert_allclose(distribution(found.logs(i))[:, variant], p, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(graph=networks(max_variables=8))
def test_cliques_form_a_junction_tree(graph):
    scopes = [factor.scope for factor in graph.factors]
    order = eliminate(graph.cardinalities, scopes).order
    cliques, places = clique_tree(len(graph.names), scopes, order)
    owned = [i for clique in cliques for i in clique.scope[: clique.own]]
    assert sorted(owned) == list(range(len(graph.names)))
    for place, clique in enumerate(cliques):
        assert all(places[i] == place for i in clique.scope[: clique.own])
        if clique.parent is None:
            assert clique.own == len(clique.scope)
        else:
            assert clique.parent > place
            assert set(clique.separator) <= set(cliques[clique.parent].scope)
    for scope in scopes:
        assert any(set(scope) <= set(clique.scope) for clique in cliques)


@settings(max_examples=60)
@given(graph=networks(max_variables=8, max_states=3))
def test_variable_is_read_from_its_smallest_table(graph):
    factors, sizes = tables(graph), graph.cardinalities
    scopes = [factor.scope for factor in factors]
    order = eliminate(sizes, scopes).order
    found = JunctionTree(sizes, factors, order).calibrated()
    cliques, _ = clique_tree(len(sizes), scopes, order)
    entries = [(clique.scope, np.prod([sizes[i] for i in clique.scope])) for clique in cliques]
    for i in range(len(sizes)):
        assert found.smallest[i].table.size == min(count for scope, count in entries if i in scope)


def test_products_beyond_the_range_of_a_double_balance():
    """A hub with 1,000 neighbours for it and then 1,000 against: the one-sided product is 1e-3000."""
    one_sided = np.array([[1.0, 0.5], [1e-3, 1e-3]])
    logs = np.log(one_sided)
    factors = [LogFactor((0, i), logs if i <= 1000 else logs[::-1]) for i in range(1, 2001)]
    scopes = [factor.scope for factor in factors]
    solved = junction_tree_marginals([2] * 2001, factors, eliminate([2] * 2001, scopes).order)
    np.testing.assert_allclose(solved[0], [0.5, 0.5], rtol=1e-9)
    np.testing.assert_allclose(solved[1], [7 / 12, 5 / 12], rtol=1e-9)
