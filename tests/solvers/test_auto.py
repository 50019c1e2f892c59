from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import brute_force, largest_error, networks

from factreasoner.config import Config
from factreasoner.errors import OutOfTimeError
from factreasoner.graph.factor_graph import Factor, FactorGraph, Table
from factreasoner.solvers import auto, gibbs, memory
from factreasoner.solvers.auto import AutoSolver
from factreasoner.solvers.exact import ExactSolver, Job, solve
from factreasoner.solvers.reduction import Component


@settings(max_examples=60)
@given(networks())
def test_exact_wherever_that_is_possible(graph: FactorGraph) -> None:
    found = AutoSolver().marginals(graph)
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


def test_conditioned_where_that_is_enough_and_sampled_where_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MEMORY_BUDGET", 8 * 2048)
    assert AutoSolver().marginals(clique(12)).solver == "exact"
    monkeypatch.setattr(memory, "MEMORY_BUDGET", 1 << 30)
    found = AutoSolver(Config(tolerance=0.02)).marginals(clique(40))
    assert (found.solver, found.width) == ("gibbs", 39)


def worlds(count: int) -> FactorGraph:
    """All true or all false, twice as likely, with next to no way between: plain chains never converge."""
    same = np.array([[1.0, 1e-80], [1e-80, 1.0]])
    factors = [Factor(pair, same) for pair in itertools.combinations(range(count), 2)]
    factors.append(Factor((0,), np.array([2.0, 1.0])))
    return FactorGraph(tuple(map(str, range(count))), (2,) * count, tuple(factors))


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little for the junction tree of 12 variables at once, and no conditioning before sampling."""
    monkeypatch.setattr(memory, "MEMORY_BUDGET", 8 * 2048)
    monkeypatch.setattr(auto, "LARGEST_WORK", 0)


def test_exact_after_all_where_sampling_does_not_converge(little_memory: None) -> None:
    found = AutoSolver(Config(solver_seconds=5.0)).marginals(worlds(12))
    assert (found.solver, found.exact, found.converged) == ("exact", True, None)
    assert found.stderr is None
    assert found.diagnostics.keys() == {"conditioned_on"}
    assert largest_error(found, dict.fromkeys(found.probabilities, (2 / 3, 1 / 3))) < 1e-9


def test_what_does_not_fit_into_the_time_left_stays_sampled(
    little_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "ENTRIES_A_SECOND", 1)
    found = AutoSolver(Config(solver_seconds=0.001)).marginals(worlds(12))
    assert (found.solver, found.exact, found.converged) == ("gibbs", False, False)
    assert "without converging" in str(found.diagnostics["warning"])


def test_exact_inference_that_runs_out_of_time_stays_sampled(
    little_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More is expected of the machine than it does: 2^13 states of the cutset take seconds."""
    monkeypatch.setattr(auto, "ENTRIES_A_SECOND", 1 << 60)
    outcomes: list[str] = []

    def told(part: Component, job: Job, *, deadline: float = math.inf) -> list[Table]:
        try:
            return solve(part, job, deadline=deadline)
        except OutOfTimeError:
            outcomes.append("out of time")
            raise

    monkeypatch.setattr(gibbs, "solve", told)
    found = AutoSolver(Config(tolerance=1e-9, solver_seconds=0.5)).marginals(clique(24))
    assert outcomes == ["out of time"]
    assert (found.solver, found.converged) == ("gibbs", False)
    assert found.stderr is not None
