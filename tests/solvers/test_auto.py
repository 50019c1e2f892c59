from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import brute_force, largest_error, networks

from factreasoner.models.factor_graph import Factor, FactorGraph
from factreasoner.settings import Config
from factreasoner.solvers import memory
from factreasoner.solvers.auto import AutoSolver
from factreasoner.solvers.exact import ExactSolver


@settings(max_examples=60)
@given(networks())
def test_exact_wherever_that_is_possible(graph: FactorGraph) -> None:
    found = AutoSolver(Config()).marginals(graph)
    assert largest_error(found, brute_force(graph)) < 1e-9
    assert (found.solver, found.exact) == ("exact", True)
    assert found == ExactSolver().marginals(graph)


def clique(count: int) -> FactorGraph:
    rng = np.random.default_rng(0)
    factors = [
        Factor(pair, rng.uniform(0.5, 1.0, (2, 2))) for pair in itertools.combinations(range(count), 2)
    ]
    return FactorGraph(tuple(map(str, range(count))), (2,) * count, tuple(factors))


def test_sampled_above_the_width_set() -> None:
    found = AutoSolver(Config(max_width=5)).marginals(clique(9))
    assert (found.solver, found.exact, found.width) == ("gibbs", False, 8)
    assert found.stderr is not None
    assert largest_error(found, brute_force(clique(9))) <= 5 * found.stderr


def test_sampled_where_memory_does_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AutoSolver(Config()).marginals(clique(12)).solver == "exact"
    monkeypatch.setattr(memory, "MEMORY_BUDGET", 8 * 2048)
    found = AutoSolver(Config(tolerance=0.02)).marginals(clique(12))
    assert (found.solver, found.exact, found.width) == ("gibbs", False, 11)
    assert largest_error(found, brute_force(clique(12))) <= 5 * 0.02
