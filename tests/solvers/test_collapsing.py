from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from oracle import networks

from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.solvers.collapsing import collapse
from factreasoner.solvers.log_factors import LogFactor
from factreasoner.solvers.reduction import Component, reduce


def joint(part: Component) -> np.ndarray:
    table = np.ones(part.cardinalities)
    for factor in part.factors:
        axes = range(len(part.variables))
        table = np.einsum(table, axes, np.exp(factor.logs), factor.scope, axes)
    return table / table.sum()


@settings(max_examples=150)
@given(networks(max_variables=8, max_scope=3))
def test_the_core_times_the_layers_is_the_joint_distribution(graph: FactorGraph) -> None:
    for part in reduce(graph).components:
        collapsed = collapse(part)
        axes = range(len(part.variables))
        product = np.ones(part.cardinalities)
        for factor in collapsed.factors:
            assert set(factor.scope) <= set(collapsed.core)
            product = np.einsum(product, axes, np.exp(factor.logs), factor.scope, axes)
        seen = set(collapsed.core)
        for layer in collapsed.layers:
            for i in layer.variables:
                weights = np.ones(part.cardinalities)
                for factor in layer.factors:
                    if i in factor.scope:
                        assert set(factor.scope) - {i} <= seen
                        weights = np.einsum(weights, axes, np.exp(factor.logs), factor.scope, axes)
                total = weights.sum(axis=i, keepdims=True)
                product = product * np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
            seen.update(layer.variables)
        assert seen == set(axes)
        np.testing.assert_allclose(product / product.sum(), joint(part), rtol=0, atol=1e-12)


def test_a_tree_has_no_core_and_a_clique_is_all_core() -> None:
    rng = np.random.default_rng(0)
    for pairs, size in (([(0, i) for i in range(1, 5)], 0), (itertools.combinations(range(5), 2), 5)):
        factors = tuple(LogFactor(pair, np.log(rng.random((2, 2)))) for pair in pairs)
        assert len(collapse(Component(tuple(range(5)), (2,) * 5, factors)).core) == size


def test_a_long_path_takes_few_layers() -> None:
    table = np.array([[0.6, 0.4], [0.3, 0.7]])
    factors = tuple(LogFactor((i, i + 1), np.log(table)) for i in range(999))
    collapsed = collapse(Component(tuple(range(1000)), (2,) * 1000, factors))
    assert collapsed.core == ()
    assert len(collapsed.layers) < 30
