from __future__ import annotations

import numpy as np
import pytest

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Factor, FactorGraph
from factreasoner.solvers.reduction import reduce


def graph(*factors: Factor, sizes: tuple[int, ...] = (2, 2, 2), **evidence: int) -> FactorGraph:
    names = tuple(f"n{i}" for i in range(len(sizes)))
    return FactorGraph(names, sizes, factors, {names.index(name): state for name, state in evidence.items()})


ENTAILS = np.array([[0.5, 0.5], [0.1, 0.9]])


def test_evidence_cuts_the_network() -> None:
    found = reduce(graph(Factor((0, 1), ENTAILS), Factor((1, 2), ENTAILS), n1=1))
    assert dict(found.fixed) == {1: 1}
    assert [part.variables for part in found.components] == [(0,), (2,)]
    np.testing.assert_allclose(np.exp(found.components[0].factors[0].logs), [0.5 / 0.9, 1.0])
    np.testing.assert_allclose(np.exp(found.components[1].factors[0].logs), [0.1 / 0.9, 1.0])


def test_one_state_left_counts_as_observed_and_so_do_its_consequences() -> None:
    implies = np.array([[1.0, 1.0], [0.0, 1.0]])
    found = reduce(
        graph(Factor((0,), np.array([0.0, 3.0])), Factor((0, 1), implies), Factor((1, 2), implies))
    )
    assert dict(found.fixed) == {0: 1, 1: 1, 2: 1}
    assert found.components == ()


def test_a_table_that_is_a_product_joins_nothing() -> None:
    half = np.array([[0.5, 0.5], [0.5, 0.5]])
    skewed = np.outer([0.3, 0.7], [0.2, 0.8])
    found = reduce(graph(Factor((0, 1), half), Factor((1, 2), skewed)))
    assert [part.variables for part in found.components] == [(0,), (1,), (2,)]


def test_tiny_entries_are_told_apart_when_a_table_is_split() -> None:
    found = reduce(graph(Factor((0, 1), np.array([[1.0, 1.0], [1e-20, 1e-25]])), sizes=(2, 2)))
    assert [part.variables for part in found.components] == [(0, 1)]


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (graph(Factor((0, 1), np.ones((2, 3)))), r"n0, n1: table of shape \(2, 3\), expected \(2, 2\)"),
        (graph(Factor((0, 0), np.ones((2, 2)))), "n0, n0: table of shape"),
        (graph(Factor((0,), np.array([-1.0, 1.0]))), "n0: entries must be finite and not negative"),
        (graph(Factor((0,), np.array([np.nan, 1.0]))), "n0: entries must be finite and not negative"),
        (graph(Factor((0,), np.array([np.inf, 1.0]))), "n0: entries must be finite and not negative"),
        (graph(Factor((0,), np.zeros(2))), "inconsistent"),
        (graph(Factor((0,), np.array([0.0, 1.0])), Factor((0,), np.array([1.0, 0.0]))), "inconsistent"),
        (graph(Factor((0,), np.array([0.0, 1.0])), n0=0), "inconsistent"),
        (graph(n0=2), "variable 0 has no state 2"),
        (graph(n0=-1), "variable 0 has no state -1"),
        (graph(sizes=(2, 10**12)), "'n1' alone 1000000000000; at most"),
    ],
)
def test_what_makes_no_sense_is_refused(network: FactorGraph, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        reduce(network)
