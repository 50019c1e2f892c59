"""Sampling, and the solver that samples only where it must."""

import itertools
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import brute_force, largest_error, networks

from factreasoner.models import Marginals
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.solvers import exact, gibbs
from factreasoner.solvers.chains import Chains, Moments, colour_classes, joined
from factreasoner.solvers.exact import ExactSolver
from factreasoner.solvers.gibbs import AutoSolver, GibbsSolver, split_r_hat
from factreasoner.solvers.reduction import reduce

QUICK = Config(solver_seconds=120.0)


def relations(atoms, contexts, density, seed=0):
    rng = np.random.default_rng(seed)
    factors = [
        Factor((i,), np.array([0.5, 0.5] if i < atoms else [0.1, 0.9])) for i in range(atoms + contexts)
    ]
    for c, a in itertools.product(range(atoms, atoms + contexts), range(atoms)):
        if rng.random() < density:
            p = rng.uniform(0.6, 0.99)
            row = [1 - p, p] if rng.random() < 0.7 else [p, 1 - p]
            factors.append(Factor((c, a), np.array([[0.5, 0.5], row])))
    count = atoms + contexts
    return FactorGraph(tuple(f"x{i}" for i in range(count)), (2,) * count, tuple(factors))


@settings(max_examples=80, derandomize=True)
@given(graph=networks(max_scope=3, zeros=False))
def test_within_five_standard_errors_of_brute_force(graph):
    found = GibbsSolver(QUICK).marginals(graph)
    # A spread below a thousandth can't be told from 256 chains' means to better than that.
    error = 5 * max(found.stderr or 0.0, 1e-3)
    assert largest_error(found, brute_force(graph)) <= error or "warning" in found.diagnostics


@pytest.mark.parametrize("density", [0.1, 0.2])
def test_against_exact_inference_on_a_wide_graph(density):
    graph = relations(16, 30, density)
    found = GibbsSolver(Config()).marginals(graph)
    assert (found.solver, found.exact) == ("gibbs", False)
    assert found.stderr <= 0.003
    assert largest_error(found, ExactSolver().marginals(graph).probabilities) <= 5 * found.stderr
    assert found.converged
    assert found.diagnostics["r_hat"] <= gibbs.MIXED
    assert found.diagnostics["chains"] == 256
    assert found.diagnostics["sweeps"] >= 64
    assert found.width > 2


def test_a_seed_repeats_and_another_differs():
    graph = relations(8, 10, 0.4)
    first, again, other = (GibbsSolver(Config(seed=seed)).marginals(graph) for seed in (1, 1, 2))
    assert first == again
    assert first.probabilities != other.probabilities


@pytest.mark.parametrize(("least", "sampled"), [(0.1, True), (1e-4, False), (0.0, False)])
def test_near_zero_entries_are_solved_exactly(least, sampled):
    """Chains hardly ever cross such an entry. A variable's own may be as small as it likes."""
    same = Factor((0, 1), np.array([[0.6, 2 * least], [least, 0.4]]))
    graph = FactorGraph(("x", "y", "alone"), (2, 2, 2), (same, Factor((0,), np.array([1e-4, 1.0]))))
    found = GibbsSolver(Config()).marginals(graph)
    assert (found.solver, found.exact) == (("gibbs", False) if sampled else ("exact", True))
    assert found.p_true["alone"] == 0.5
    assert largest_error(found, brute_force(graph)) <= 5 * (found.stderr or 1e-12)


def test_auto_samples_only_the_wide_component(monkeypatch):
    wide = relations(14, 28, 0.9)
    pair = Factor((42, 43), np.array([[1.0, 2.0], [3.0, 4.0]]))
    graph = FactorGraph((*wide.names, "l", "r", "alone"), (2,) * 45, (*wide.factors, pair))
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 8 * 2048)
    found = AutoSolver(Config()).marginals(graph)
    assert found.diagnostics["sampled_components"] == 1
    assert found.diagnostics["sampled_variables"] == 42
    assert found.p_true["l"] == pytest.approx(0.7, abs=1e-12)
    assert found.p_true["alone"] == 0.5


def test_unmixed_chains_are_reported(caplog):
    """Two worlds of equal weight with next to no way between them."""
    same = np.array([[1.0, 1e-6], [1e-6, 1.0]])
    pairs = itertools.combinations(range(12), 2)
    graph = FactorGraph(tuple("abcdefghijkl"), (2,) * 12, tuple(Factor(pair, same) for pair in pairs))
    with caplog.at_level(logging.WARNING, logger="factreasoner.solvers.gibbs"):
        found = GibbsSolver(Config(solver_seconds=1e-6)).marginals(graph)
    assert found.converged is False
    assert found.diagnostics["sweeps"] == gibbs.FIRST_SWEEPS * gibbs.FEWEST_STRETCHES
    assert "without converging" in str(found.diagnostics["warning"])
    assert Marginals.model_validate_json(found.model_dump_json()) == found
    assert caplog.messages == [found.diagnostics["warning"]]
    assert found.stderr > 0.01


def test_priors_of_zero_and_one():
    graph = relations(6, 6, 0.6)
    certain = {6: [0.0, 1.0], 7: [1.0, 0.0]}
    factors = [Factor(f.scope, np.array(certain.get(f.scope[0], f.table))) for f in graph.factors[:12]]
    graph = FactorGraph(graph.names, graph.cardinalities, (*factors, *graph.factors[12:]))
    found = GibbsSolver(QUICK).marginals(graph)
    assert (found.p_true["x6"], found.p_true["x7"]) == (1.0, 0.0)
    assert largest_error(found, brute_force(graph)) <= 5 * max(found.stderr or 0.0, 1e-3)


def test_chain_moments_equal_those_of_single_sweeps():
    (part,) = reduce(relations(4, 3, 1.0)).components
    chains = Chains(part, 8, np.random.default_rng(0))
    single = [chains.run(1) for _ in range(6)]
    whole = joined(single)
    stacked = np.stack([moments.mean for moments in single])
    assert whole.sweeps == 6
    np.testing.assert_allclose(whole.mean, stacked.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(whole.variance, stacked.var(axis=0), atol=1e-6)


def test_split_r_hat_detects_two_worlds():
    rng = np.random.default_rng(0)

    def half(shift):
        draws = rng.normal(size=(500, 1, 40)) * 0.1 + shift
        return Moments(500, draws.mean(axis=0), draws.var(axis=0))

    assert split_r_hat([half(np.zeros(40)), half(np.zeros(40))], negligible=1e-6) == pytest.approx(
        1.0, abs=0.01
    )
    worlds = np.repeat([0.0, 0.5], 20)
    assert split_r_hat([half(worlds), half(worlds)], negligible=1e-6) > 2.0
    assert split_r_hat([half(worlds), half(worlds)], negligible=1.0) == 1.0


@given(st.data())
def test_no_two_neighbours_share_a_colour(data):
    count = data.draw(st.integers(1, 12))
    variables = st.integers(0, count - 1)
    scopes = data.draw(st.lists(st.lists(variables, min_size=1, max_size=3, unique=True), max_size=20))
    classes = colour_classes(count, scopes)
    assert sorted(i for members in classes for i in members) == list(range(count))
    assert all(classes)
    colour = {i: c for c, members in enumerate(classes) for i in members}
    for scope in scopes:
        assert len({colour[i] for i in scope}) == len(scope)


def test_bipartite_graph_needs_two_colours():
    assert len(colour_classes(30, [(i, 10 + (7 * i + j) % 20) for i in range(10) for j in range(5)])) == 2
    assert len(colour_classes(5, list(itertools.combinations(range(5), 2)))) == 5


def clique(count):
    rng = np.random.default_rng(0)
    factors = [
        Factor(pair, rng.uniform(0.5, 1.0, (2, 2))) for pair in itertools.combinations(range(count), 2)
    ]
    return FactorGraph(tuple(map(str, range(count))), (2,) * count, tuple(factors))


def test_low_memory_switches_to_sampling(monkeypatch):
    assert AutoSolver(Config()).marginals(clique(12)).solver == "exact"
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 8 * 2048)
    found = AutoSolver(Config()).marginals(clique(12))
    assert (found.solver, found.exact, found.width) == ("gibbs", False, 11)
    assert largest_error(found, brute_force(clique(12))) <= 5 * 0.02


def test_a_state_that_is_impossible_is_never_drawn(monkeypatch):
    alike = np.array([[3.0, 2.0], [2.0, 3.0]])
    tables = {(0, 1): np.array([[1.0, 1.0], [1.0, 0.0]]), (0, 2): alike, (1, 2): alike}
    graph = FactorGraph(tuple("abc"), (2,) * 3, tuple(Factor(*item) for item in tables.items()))
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 64)
    found = AutoSolver(Config()).marginals(graph)
    assert not found.exact
    assert largest_error(found, brute_force(graph)) <= 5 * found.stderr
