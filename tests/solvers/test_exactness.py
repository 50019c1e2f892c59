"""What is called exact is: against rational arithmetic, over 60 orders of magnitude, with zeros."""

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import brute_force, exact_marginals, hub, largest_error, networks, wild_networks

from factreasoner.errors import SolverError
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver
from factreasoner.solvers.gibbs import AutoSolver
from factreasoner.solvers.pgmpy_solver import PgmpySolver

SOLVERS = (ExactSolver(), AutoSolver(Config()), PgmpySolver(Config()))


def holds(solve, graph, expected):
    """`solve` gives the exact marginals, or an error where there are none."""
    if expected is None:
        with pytest.raises(SolverError, match="inconsistent"):
            solve(graph)
    else:
        found = solve(graph)
        assert found.exact
        assert largest_error(found, expected) < 1e-9


@settings(max_examples=80, deadline=None)
@given(graph=networks())
def test_any_network_equals_brute_force(graph):
    expected = brute_force(graph)
    found = [solver.marginals(graph) for solver in SOLVERS]
    assert max(largest_error(item, expected) for item in found) < 1e-9
    assert [(item.solver, item.exact, item.stderr) for item in found] == [
        (name, True, None) for name in ("exact", "exact", "pgmpy")
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
def test_impossible_network_fails_and_empty_one_works(solver):
    differ = np.array([[0.0, 1.0], [1.0, 0.0]])
    ring = tuple(Factor((i, (i + 1) % 3), differ) for i in range(3))
    with pytest.raises(SolverError, match="every joint state has probability 0"):
        solver.marginals(FactorGraph(("a", "b", "c"), (2, 2, 2), ring))
    assert solver.marginals(FactorGraph((), (), ())).probabilities == {}
    assert solver.marginals(FactorGraph(("a",), (4,), ())).probabilities == {"a": (0.25,) * 4}


@settings(max_examples=80, deadline=None)
@given(graph=wild_networks())
def test_solvers_are_exact(graph):
    expected = exact_marginals(graph)
    for solver in SOLVERS[:2]:
        holds(solver.marginals, graph, expected)


@settings(max_examples=25, deadline=None)
@given(graph=wild_networks(max_variables=4))
def test_pgmpy_is_right_or_refuses(graph):
    expected = exact_marginals(graph)
    try:
        found = PgmpySolver(Config(solver_seconds=600)).marginals(graph)
    except SolverError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert expected is not None
        assert largest_error(found, expected) < 1e-9
    assert not refusal or expected is None or "leave their range" in refusal


@pytest.mark.parametrize("leaves", [32, 600])
@pytest.mark.parametrize("solver", SOLVERS[:2], ids=lambda s: s.name)
def test_a_hub_of_many_leaves_that_are_alike(solver, leaves):
    """What a leaf says is 1.1e-11 against 1.6e-11: to the power of 32 neither is left of a double."""
    found = solver.marginals(hub(leaves))
    odds = leaves * (np.log(1e-12 + 1.5e-11) - np.log(1e-12 + 1e-11))
    assert found.p_true["x0"] == pytest.approx(1.0 / (1.0 + np.exp(-odds)), abs=1e-12)
    if leaves == 32:
        assert found.p_true["x0"] == pytest.approx(0.9999938, abs=5e-8)


def test_a_peer_shares_nothing_with_the_others():
    """pgmpy refuses the network whose numbers it can't hold, and would show a fault on one it can."""
    with pytest.raises(SolverError, match="plain numbers"):
        PgmpySolver(Config()).marginals(hub(32))
    small = hub(6)
    expected = exact_marginals(small)
    assert largest_error(PgmpySolver(Config()).marginals(small), expected) < 1e-12
