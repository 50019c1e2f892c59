from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import brute_force

from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.junction_tree import junction_tree_marginals
from factreasoner.solvers.lumping import lump
from factreasoner.solvers.reduction import reduce

CERTAIN = np.array([[1.0, 1.0], [0.0, 1.0]])


@st.composite
def repetitive(draw: st.DrawFn) -> FactorGraph:
    """Atoms and contexts whose relations come from very few kinds, so that many contexts are alike."""
    atoms, contexts = draw(st.integers(1, 3)), draw(st.integers(2, 8))
    kinds = [np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([[0.5, 0.5], [0.7, 0.3]]), CERTAIN, None]
    factors = [Factor((i,), np.array([0.5, 0.5])) for i in range(atoms)]
    for c in range(atoms, atoms + contexts):
        factors.append(Factor((c,), np.array(draw(st.sampled_from([[0.1, 0.9], [0.3, 0.7]])))))
        for a in range(atoms):
            table = draw(st.sampled_from(kinds))
            if table is not None:
                scope, values = draw(st.sampled_from([((c, a), table), ((a, c), table.T)]))
                factors.append(Factor(scope, values))
    count = atoms + contexts
    return FactorGraph(tuple(f"x{i}" for i in range(count)), (2,) * count, tuple(factors))


@settings(max_examples=100)
@given(graph=repetitive())
def test_counting_changes_no_marginal(graph: FactorGraph) -> None:
    reduced = reduce(graph)
    solved = []
    for part in reduced.components:
        lumped = lump(part)
        order = eliminate(lumped.cardinalities, lumped.scopes).order
        solved.append(
            lumped.expand(junction_tree_marginals(lumped.cardinalities, lumped.factors, order).marginals)
        )
    for name, expected in brute_force(graph).items():
        assert reduced.named(solved)[name] == pytest.approx(expected, abs=1e-12)


def test_one_group_of_all_that_are_alike_and_never_two_that_are_neighbours() -> None:
    table = np.array([[0.5, 0.5], [0.1, 0.9]])
    graph = FactorGraph(
        tuple(map(str, range(72))),
        (2,) * 72,
        tuple(Factor((c, a), table) for a in (0, 1) for c in range(2, 72)),
    )
    (part,) = reduce(graph).components
    lumped = lump(part)
    assert sorted(map(len, lumped.groups)) == [1, 1, 70]
    assert sorted(lumped.cardinalities) == [2, 2, 71]


def test_variables_with_wide_factors_or_more_states_are_left_alone() -> None:
    graph = FactorGraph(
        tuple("abcdef"),
        (2, 2, 2, 2, 3, 3),
        (
            Factor((0, 1, 2), np.arange(1.0, 9.0).reshape(2, 2, 2)),
            Factor((3, 4), np.arange(1.0, 7.0).reshape(2, 3)),
            Factor((3, 5), np.arange(1.0, 7.0).reshape(2, 3)),
        ),
    )
    for part in reduce(graph).components:
        assert all(len(group) == 1 for group in lump(part).groups)
