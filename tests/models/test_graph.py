"""Sides of one half, and labels of atoms."""

import pytest

from factreasoner.models import FactGraph, Node, Relation, side_of, support_of


@pytest.mark.parametrize(
    ("p", "side"),
    [(0.5, 0), (0.5 + 9e-10, 0), (0.5 - 9e-10, 0), (0.5 + 2e-9, 1), (0.5 - 2e-9, -1), (1.0, 1), (0.0, -1)],
)
def test_one_half_is_neither_true_nor_false(p, side):
    assert side_of(p) == side


@pytest.mark.parametrize(
    ("kinds", "below", "at_half", "above"),
    [
        ("", "unverified", "unverified", "unverified"),
        ("E", "unverified", "unverified", "supported"),
        ("Q", "unverified", "unverified", "supported"),
        ("C", "contradicted", "unverified", "unverified"),
        ("CC", "contradicted", "unverified", "unverified"),
        ("EC", "contradicted", "conflicting", "supported"),
        ("CQ", "contradicted", "conflicting", "supported"),
    ],
)
def test_label_follows_the_evidence(kinds, below, at_half, above):
    kind = {"E": "entailment", "C": "contradiction", "Q": "equivalence"}
    touching = [Relation(source="c", target="a", kind=kind[k], probability=0.9) for k in kinds]
    assert support_of(0.0, touching) == support_of(0.5 - 2e-9, touching) == below
    assert support_of(0.5, touching) == at_half
    assert support_of(0.5 + 2e-9, touching) == above
    unsure = [relation.model_copy(update={"probability": 0.5}) for relation in touching]
    assert {support_of(p, unsure) for p in (0.2, 0.5, 0.8)} == {"unverified"}


def test_sampled_posterior_near_half_is_conflicting():
    kinds = ("entailment", "contradiction")
    both = [Relation(source="c", target="a", kind=kind, probability=0.9) for kind in kinds]
    assert [support_of(p, both, stderr=0.01) for p in (0.479, 0.481, 0.519, 0.521)] == [
        "contradicted",
        "conflicting",
        "conflicting",
        "supported",
    ]


def test_only_relations_with_contexts_are_evidence():
    nodes = [Node(id=i, kind="context" if i[0] == "c" else "atom", prior=0.5) for i in ("a0", "a1", "c0")]
    found = [("a0", "a1", "contradiction"), ("a1", "c0", "entailment"), ("a1", "c0", "equivalence")]
    relations = [Relation(source=s, target=t, kind=k, probability=0.9) for s, t, k in found]
    evidence = FactGraph(nodes=tuple(nodes), relations=tuple(relations)).evidence()
    assert evidence == {"a0": [], "a1": [relations[2]]}
