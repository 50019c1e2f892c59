import time
from itertools import pairwise

import pytest
from fact_graphs import TABLES, assessed, fact_graphs
from fact_graphs import posteriors as brute
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graph_of

from factreasoner import assess
from factreasoner.errors import ConfigError, InputError, SolverError
from factreasoner.explanations.explain import explain
from factreasoner.explanations.models import DirectRelation, Dispute
from factreasoner.graph.factors import factor_graph
from factreasoner.models import Assessment, Failure, Marginals, Outcome, support_of
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver

PAPER = graph_of(
    ("c1", "a", "entailment", 0.8), ("c2", "a", "contradiction", 0.9), ("c3", "c2", "contradiction", 0.9)
)
"""Example 2 of the FactReasoner paper, with its two contexts in dispute."""


class Unwilling:
    """A solver that must not be asked."""

    name = "unwilling"

    def marginals(self, graph):
        raise SolverError("asked all the same")


class Sampling:
    """The exact solver, in the guise of one that samples."""

    name = "sampling"

    def __init__(self, stderr, *, converged=True):
        self._stderr = stderr
        self._converged = converged

    def marginals(self, graph):
        exact = ExactSolver().marginals(graph)
        # Not quite exact, and still one half where it is one half.
        off = {name: tuple(q + 1e-7 * (q - 0.5) for q in p) for name, p in exact.probabilities.items()}
        told = {"solver": "sampling", "exact": False, "stderr": self._stderr, "probabilities": off}
        return exact.model_copy(update=told | {"converged": self._converged})


def labelled(graph, atom, p_true, gone=()):
    ends = [(r, {r.source, r.target}) for r in graph.relations]
    return support_of(p_true, [r for r, both in ends if atom in both and both.isdisjoint(gone)])


def of_a_run(graph, table="conditional"):
    return assessed(graph, marginals=ExactSolver().marginals(factor_graph(graph, table)))


@settings(max_examples=80)
@given(fact_graphs(), st.sampled_from(TABLES))
def test_effects_are_what_brute_force_finds(graph, table):
    told = explain(assessed(graph), Config(factors=table))
    now = brute(graph, table)
    contexts = [node.id for node in graph.nodes if node.kind == "context"]
    assert [atom.atom_id for atom in told.atoms] == [n.id for n in graph.nodes if n.kind == "atom"]
    for atom in told.atoms:
        assert atom.p_true == pytest.approx(now[atom.atom_id], abs=1e-9)
        assert atom.support == labelled(graph, atom.atom_id, now[atom.atom_id])
        shifts = {c: now[atom.atom_id] - brute(graph, table, {c})[atom.atom_id] for c in contexts}
        moved = {c: shift for c, shift in shifts.items() if abs(shift) > 1e-6}
        assert {effect.context_id: effect.shift for effect in atom.effects} == pytest.approx(moved, abs=1e-9)
        assert all(e.p_without == pytest.approx(atom.p_true - e.shift, abs=1e-12) for e in atom.effects)
        sizes = [abs(effect.shift) for effect in atom.effects]
        assert all(later <= earlier + 1e-12 for earlier, later in pairwise(sizes))


def test_the_papers_example():
    told = explain(of_a_run(PAPER, "table1"), Config(factors="table1"), solver=Unwilling())
    (atom,) = told.atoms
    assert (told.record_id, told.solver, told.exact, told.stderr) == ("r1", "exact", True, None)
    assert atom.text == "Text of a."
    assert atom.p_true == pytest.approx(0.568720, abs=5e-7)
    expected = {c: brute(PAPER, "table1", {c})["a"] for c in ("c1", "c2", "c3")}
    assert {e.context_id: e.p_without for e in atom.effects} == pytest.approx(expected, abs=1e-9)
    assert expected["c1"] < expected["c3"] < 0.5 < expected["c2"]
    assert [(e.context_id, e.probability) for e in atom.entailing] == [("c1", 0.8)]
    assert [(e.context_id, e.probability) for e in atom.contradicting] == [("c2", 0.9)]
    assert [(d.source, d.target, d.probability) for d in atom.disputes] == [("c3", "c2", 0.9)]


def test_an_atom_without_a_posterior_is_not_explained():
    """Its search failed: it is in the graph, but nothing was judged against it."""
    graph = graph_of(("c1", "a1", "entailment", 0.9), ("c1", "a2", "entailment", 0.5))
    made = of_a_run(graph)
    lost = made.model_copy(update={"outcome": made.outcome.model_copy(update={"unjudged": ("a2",)})})
    assert [atom.atom_id for atom in explain(lost).atoms] == ["a1"]
    with pytest.raises(InputError, match="'a2' has no posterior: none of its judgements succeeded"):
        explain(lost, atom_ids=["a2"])


def test_explain_refuses_settings_of_another_run():
    graph = graph_of(*((f"c{i}", f"a{j}", "entailment", 0.9) for i in range(2) for j in range(3)))
    made = of_a_run(graph, "table1")
    assert explain(made, Config(factors="table1")).atoms
    with pytest.raises(
        InputError,
        match=r"with factors 'conditional'; pass the config it was made with, or .*--factors conditional",
    ):
        explain(made)


def test_from_assess_to_an_explanation_in_one_call():
    passages = ["Marie Curie was born in Warsaw.", "Marie Curie moved to Paris in 1891."]
    made = assess("Marie Curie was born in Warsaw.", contexts=passages)
    (atom,) = explain(made).atoms
    assert (atom.atom_id, atom.p_true) == ("a0", made.p_true["a0"])
    assert atom.effects[0].context_id == made.contexts[0].id
    table1 = Config(factors="table1", version=3)
    again = assess("Marie Curie was born in Warsaw.", contexts=passages, factors="table1", version=3)
    assert explain(again, table1).atoms[0].p_true == again.p_true["a0"]


def test_explain_keeps_requested_atoms_in_graph_order():
    graph = graph_of(*(("c1", f"a{i}", "entailment", 0.9) for i in range(5)))
    told = explain(of_a_run(graph), atom_ids={"a3", "a1"})
    assert [atom.atom_id for atom in told.atoms] == ["a1", "a3"]
    with pytest.raises(InputError, match="record 'r1': atom: no atom 'a9'; known: a0, a1, a2"):
        explain(of_a_run(graph), atom_ids=["a1", "a9"])


def test_unconnected_atom_has_no_effects():
    graph = graph_of(("c1", "a1", "entailment", 0.5), ("c2", "a2", "entailment", 0.9))
    first, _ = explain(of_a_run(graph)).atoms
    assert (first.p_true, first.effects, first.tried, first.connected) == (0.5, (), 0, 0)
    assert (first.entailing, first.contradicting, first.disputes) == ((), (), ())


@pytest.mark.parametrize("marginals", [None, {"a": (0.5, 0.5)}, {"a": (1.0,), "c1": (0.1, 0.9)}])
def test_missing_posteriors_are_computed_on_explain(marginals):
    graph = graph_of(("c1", "a", "entailment", 0.9))
    known = Marginals(probabilities=marginals, solver="other", exact=True) if marginals else None
    told = explain(assessed(graph, marginals=known))
    assert told.solver == "exact"
    assert told.atoms[0].p_true == pytest.approx(0.86)


def test_small_sampled_shifts_are_ignored():
    graph = graph_of(
        ("c1", "a1", "entailment", 0.9), ("c2", "a1", "entailment", 0.6), ("c3", "a2", "contradiction", 0.9)
    )
    shift = explain(assessed(graph)).atoms[0].effects[1].shift
    told = explain(assessed(graph), solver=Sampling(shift / 3.9))
    assert (told.exact, told.solver, told.stderr) == (False, "sampling", shift / 3.9)
    assert [effect.context_id for effect in told.atoms[0].effects] == ["c1"]
    told = explain(assessed(graph), solver=Sampling(shift / 4.1))
    assert [effect.context_id for effect in told.atoms[0].effects] == ["c1", "c2"]


def test_unconverged_posteriors_give_no_effects():
    graph = graph_of(("c1", "a1", "entailment", 0.9), ("c2", "a1", "contradiction", 0.6))
    told = explain(assessed(graph), solver=Sampling(0.01, converged=False))
    (atom,) = told.atoms
    assert told.converged is False
    assert (atom.effects, atom.tried, atom.connected) == ((), 0, 2)
    assert "did not converge" in atom.not_computed
    assert [item.context_id for item in atom.entailing] == ["c1"]
    assert explain(assessed(graph)).atoms[0].not_computed == ""


def test_the_time_of_an_explanation_is_limited():
    """A solver that takes its time, 40 contexts: a few are told, and that there was no time."""
    graph = graph_of(*((f"c{i}", f"a{i % 3}", "entailment", 0.6 + i / 120) for i in range(40)))
    base = Sampling(0.001)

    class Slow:
        name = "slow"

        def marginals(self, graph):
            time.sleep(0.02)
            return base.marginals(graph)

    told = explain(assessed(graph), Config(solver_seconds=0.2), solver=Slow())
    assert any("the time is up; raise solver_seconds" in atom.not_computed for atom in told.atoms)
    assert sum(atom.tried for atom in told.atoms) < 40


def test_unexplainable_assessments_are_refused():
    down = Failure(stage="atomizer", item_id="r7", error_type="ProviderError", message="status 503")
    nothing = Assessment(record_id="r7", status="failed", assessor="factreasoner", failures=(down,))
    with pytest.raises(InputError, match=r"'r7': no fact graph to explain: .*'failed', atomizer: status 503"):
        explain(nothing)
    with pytest.raises(InputError, match="the response has no atoms"):
        explain(nothing.model_copy(update={"status": "no_atoms", "failures": ()}))
    asked = Assessment(
        record_id="r7", status="ok", assessor="factscore", outcome=Outcome(p_true={"a": 1.0}, support={})
    )
    with pytest.raises(InputError, match="assessor 'factscore' builds none"):
        explain(asked)
    with pytest.raises(ConfigError, match="did you mean 'exact'"):
        explain(of_a_run(PAPER), Config(solver="exakt"))
    with pytest.raises(SolverError, match="asked all the same"):
        explain(assessed(PAPER), solver=Unwilling())


def conflicts(graph):
    return {atom.atom_id: atom for atom in explain(assessed(graph)).atoms}


def test_evidence_for_and_against_the_most_probable_first():
    found = conflicts(
        graph_of(
            ("c1", "a1", "entailment", 0.7),
            ("c2", "a1", "contradiction", 0.8),
            ("c3", "a1", "equivalence", 0.9),
            ("a1", "c4", "equivalence", 0.95),
            ("c6", "a1", "contradiction", 0.7),
            ("c5", "a1", "entailment", 0.5),
            ("c1", "a2", "entailment", 0.6),
        )
    )
    assert found["a1"].entailing == (
        DirectRelation(context_id="c4", kind="equivalence", probability=0.95),
        DirectRelation(context_id="c3", kind="equivalence", probability=0.9),
        DirectRelation(context_id="c1", kind="entailment", probability=0.7),
    )
    assert [item.context_id for item in found["a1"].contradicting] == ["c2", "c6"]
    assert [item.context_id for item in found["a2"].entailing] == ["c1"]


def test_disputes_of_an_atoms_own_evidence_only():
    found = conflicts(
        graph_of(
            ("c1", "a1", "entailment", 0.9),
            ("c2", "a2", "entailment", 0.9),
            ("c3", "c1", "contradiction", 0.8),
            ("c1", "c2", "entailment", 0.8),
            ("c2", "c4", "contradiction", 0.5),
            ("c4", "c3", "contradiction", 0.9),
        )
    )
    assert found["a1"].disputes == (Dispute(source="c3", target="c1", probability=0.8),)
    assert found["a2"].disputes == ()
    assert found.keys() == {"a1", "a2"}
