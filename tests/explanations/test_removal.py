import itertools
import time

import numpy as np
import pytest
from fact_graphs import TABLES, fact_graphs, posteriors
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graph_of

from factreasoner.explanations import removal
from factreasoner.explanations.components import network
from factreasoner.explanations.removal import JunctionTreeRemoval, SolverRemoval, probability, removals
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.exact import ExactSolver

SOLVER = ExactSolver()


class CountingSolver:
    """The exact solver, and how often it was called; `told` changes what it says of its results."""

    name = "counting"

    def __init__(self, **told):
        self.calls = 0
        self._told = told

    def marginals(self, graph):
        self.calls += 1
        return SOLVER.marginals(graph).model_copy(update=self._told)


def ways(part, base, way):
    """One way of taking contexts out, whatever would be chosen."""
    plan = eliminate(part.graph.cardinalities, [factor.scope for factor in part.graph.factors])
    if way == "many at once":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(removal, "CHUNK_ENTRIES", 2 * plan.total)
            return JunctionTreeRemoval(part, plan)
    return by_solver(part, base, SOLVER)


def by_solver(part, base, solver, *, seconds=600.0):
    return SolverRemoval(part, base, lambda _: solver, deadline=time.monotonic() + seconds)


def chosen(part, base):
    return removals(part, base, lambda _: SOLVER, deadline=time.monotonic() + 600.0)


WAYS = ("many at once", "by the solver")


@settings(max_examples=120)
@given(st.sampled_from(WAYS), fact_graphs(), st.sampled_from(TABLES))
def test_every_way_gives_what_brute_force_does(way, graph, table):
    whole, parts = network(graph, table, {node.id for node in graph.nodes})
    base = SOLVER.marginals(whole)
    for part in parts:
        found = ways(part, base, way)
        names = part.graph.names
        whole_part = found.whole()
        if way == "many at once":
            compare(part, whole_part[None], [()], graph, table)
        else:
            assert whole_part is None
        sets = [(c,) for c in part.contexts]
        compare(part, found.one_by_one(), sets, graph, table)
        assert {names[c] for c in found.candidates} == {names[c] for c in part.contexts}


def compare(part, rows, sets, graph, table):
    names = part.graph.names
    assert rows.shape == (len(sets), len(part.atoms))
    for gone, row in zip(sets, probability(rows), strict=True):
        expected = posteriors(graph, table, {names[c] for c in gone})
        assert row == pytest.approx([expected[names[i]] for i in part.atoms], abs=1e-9)


def dense(seed, version, *, atoms=9, contexts=16, share=0.3):
    rng = np.random.default_rng(seed)
    pairs = [(f"c{c}", f"a{a}") for c in range(contexts) for a in range(atoms) if rng.random() < share]
    if version == 3:
        pairs += [
            (f"c{c}", f"c{d}")
            for c, d in itertools.combinations(range(contexts), 2)
            if rng.random() < share / 2
        ]
    kinds = ("entailment", "contradiction")
    return graph_of(*((s, t, kinds[rng.integers(2)], float(rng.uniform(0.6, 0.999))) for s, t in pairs))


def test_removal_method_depends_on_size_and_solver(monkeypatch):
    graph = dense(1, 2)
    whole, (part,) = network(graph, "conditional", {node.id for node in graph.nodes})
    exact = SOLVER.marginals(whole)
    off = {name: (p[0] - 1e-4, p[1] + 1e-4) for name, p in exact.probabilities.items()}
    sampled = exact.model_copy(update={"exact": False, "probabilities": off})
    assert isinstance(chosen(part, exact), JunctionTreeRemoval)
    assert isinstance(chosen(part, sampled), SolverRemoval)
    # Sampled elsewhere, but not in this part.
    assert isinstance(chosen(part, exact.model_copy(update={"exact": False})), JunctionTreeRemoval)
    monkeypatch.setattr(removal, "NARROW_ENTRIES", 0)
    assert isinstance(chosen(part, exact), SolverRemoval)


def test_timed_out_removal_has_no_candidates():
    graph = dense(0, 2, atoms=9, contexts=8, share=0.6)
    whole, (part,) = network(graph, "conditional", {node.id for node in graph.nodes})
    solver = CountingSolver(exact=False, stderr=0.001)
    base = solver.marginals(whole)
    late = by_solver(part, base, solver, seconds=-1.0)
    assert late.one_by_one().shape == (0, len(part.atoms))
    assert late.candidates == ()
    assert "the time is up; raise solver_seconds" in late.not_computed


def test_unconverged_samples_give_no_effects():
    graph = dense(0, 2, atoms=9, contexts=8, share=0.6)
    whole, (part,) = network(graph, "conditional", {node.id for node in graph.nodes})
    lost = {"exact": False, "stderr": 0.1, "converged": False}
    solver = CountingSolver(**lost)
    unsure = by_solver(part, solver.marginals(whole), solver)
    assert unsure.one_by_one().shape == (0, len(part.atoms))
    assert solver.calls == 1
    assert "did not converge" in unsure.not_computed
    # Converged as it is, but not without a context.
    unsure = by_solver(part, CountingSolver(exact=False, stderr=0.001).marginals(whole), solver)
    assert unsure.one_by_one().shape == (0, len(part.atoms))
    assert "did not converge in the time left" in unsure.not_computed


def test_sampled_removal_tries_only_adjacent_contexts():
    graph = graph_of(
        ("c1", "a1", "entailment", 0.9), ("c2", "a1", "entailment", 0.8), ("c2", "a2", "contradiction", 0.9)
    )
    whole, (part,) = network(graph, "conditional", {"a2"})
    sampled = SOLVER.marginals(whole).model_copy(update={"exact": False, "stderr": 0.001})
    found = by_solver(part, sampled, SOLVER)
    assert [part.graph.names[c] for c in found.candidates] == ["c2"]


def test_weights_beyond_a_double():
    """300 sure witnesses for, 299 against: their products are far below the smallest double."""
    relations = [(f"c{i:03}", "a", "entailment", 1.0) for i in range(300)]
    relations += [(f"c{i:03}", "a", "contradiction", 1.0) for i in range(300, 599)]
    graph = graph_of(*relations, prior=0.99999)
    whole, (part,) = network(graph, "conditional", {"a"})
    found = ways(part, SOLVER.marginals(whole), "many at once")
    one = 0.99999 * 0.999 + 0.00001 * 0.5
    rows = probability(found.one_by_one())
    two = one**2 / (one**2 + (1 - one) ** 2)
    assert rows[:, 0] == pytest.approx([0.5] * 300 + [two] * 299, abs=1e-9)
