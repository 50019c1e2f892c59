"""Beliefs: which of an atom's counts, and that it enters the graph as a prior and as nothing else."""

import itertools

import pytest

from factreasoner.assessors.graph import GraphEvaluator, with_graph
from factreasoner.graph.beliefs import Belief, beliefs
from factreasoner.models import Atom, Context, Outcome, Premise, Record, Verdict
from factreasoner.protocols import Judged
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

ATOMS = [Atom(id="a0", text="x"), Atom(id="a1", text="y")]
CONTEXTS = [Context(id=f"c{i}", text=f"Passage {i}.") for i in range(3)]


def verdict(context, atom, belief=None, nearness=0.0, label="neutral", probability=0.9):
    return Verdict(
        context_id=context,
        target_id=atom,
        label=label,
        probability=probability,
        belief=belief,
        nearness=nearness,
    )


def test_the_nearest_passages_belief_goes_first_in_any_order():
    verdicts = [
        verdict("c0", "a0", 0.4, 0.2),
        verdict("c1", "a0", 0.1, 0.7),
        verdict("c2", "a0", 0.8, 0.7),
        verdict("c0", "a1"),
        verdict("c1", "c2", 0.9, 0.9),
    ]
    expected = {"a0": (Belief("c1", 0.1), Belief("c2", 0.8), Belief("c0", 0.4))}
    for order in itertools.permutations(verdicts):
        assert beliefs(order, {"a0", "a1"}) == expected


def test_a_belief_is_a_prior_and_no_relation():
    outcome = Outcome(p_true={}, support={}, verdicts=(verdict("c0", "a0", 0.31, 0.5),))
    graph = with_graph(outcome, ATOMS, CONTEXTS, Config(atom_prior=0.4)).graph
    assert {node.id: node.prior for node in graph.nodes if node.kind == "atom"} == {"a0": 0.31, "a1": 0.4}
    assert graph.relations == ()


class Believing:
    """Says of every claim what the table holds."""

    def __init__(self, *verdicts):
        self.table = {(v.context_id, v.target_id): v for v in verdicts}

    def judge(self, premise: Premise, claims):
        return Judged(tuple(self.table.get((premise.id, c.id)) or verdict(premise.id, c.id) for c in claims))


def outcome_of(*verdicts, **settings):
    evaluator = GraphEvaluator(Believing(*verdicts), ExactSolver(), Config(**settings))
    return evaluator.evaluate(ATOMS, CONTEXTS, Record(id="r", response="x y"))


def test_what_nothing_decides_is_as_likely_as_its_belief():
    outcome = outcome_of(
        verdict("c0", "a0", 0.31, 0.5), verdict("c1", "a0", 0.9, 0.1), verdict("c0", "a1", 0.7)
    )
    assert outcome.p_true == pytest.approx({"a0": 0.31, "a1": 0.7})
    assert outcome.support == {"a0": "unverified", "a1": "unverified"}


def test_evidence_moves_an_atom_from_its_belief():
    found = outcome_of(
        verdict("c0", "a0", 0.31, 0.5), verdict("c1", "a0", 0.2, 0.1, label="entailment", probability=0.8)
    )
    odds = 0.31 / 0.69 * (0.05 + 0.9 * 0.8) / (0.05 + 0.9 * 0.2)
    assert found.p_true["a0"] == pytest.approx(odds / (1 + odds))
    denied = outcome_of(
        verdict("c0", "a0", 0.31, 0.5), verdict("c1", "a0", 0.2, 0.1, label="contradiction", probability=0.8)
    )
    assert denied.support["a0"] == "contradicted"
    assert denied.p_true["a0"] < 0.31


def test_one_source_of_several_contexts_keeps_its_nearest_belief():
    found = outcome_of(verdict("c0", "a0", 0.31, 0.5), verdict("c1", "a0", 0.9, 0.9), independence=True)
    assert found.p_true["a0"] == pytest.approx(0.9)
