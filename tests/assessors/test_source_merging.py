from __future__ import annotations

import pytest
from oracle import brute_force

from factreasoner.assessors.source_merging import MergedSources, merge_sources
from factreasoner.graph.fact_graph import build_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.models import Atom, Context, Relation

PAGE, OTHER = "https://x.example/page", "https://y.example/other"
ATOMS = [Atom(id="a0", text="One."), Atom(id="a1", text="Two.")]


def context(name: str, link: str = PAGE, **fields: object) -> Context:
    return Context.model_validate({"id": name, "text": f"What {name * 9} says.", "link": link, **fields})


def relation(source: str, target: str, kind: str, probability: float) -> Relation:
    return Relation.model_validate(
        {"source": source, "target": target, "kind": kind, "probability": probability}
    )


def entails(source: str, target: str, probability: float = 0.9) -> Relation:
    return relation(source, target, "entailment", probability)


def contradicts(source: str, target: str, probability: float = 0.9) -> Relation:
    return relation(source, target, "contradiction", probability)


def p_true(found: MergedSources) -> dict[str, float]:
    graph = factor_graph(build_fact_graph(ATOMS, found.contexts, found.relations))
    return {name: values[1] for name, values in brute_force(graph).items()}


def told(found: MergedSources) -> list[tuple[str, str, str, float]]:
    return [(r.source, r.target, r.kind, r.probability) for r in found.relations]


def test_a_source_has_its_strongest_relation_alone() -> None:
    contexts = [context("c0"), context("c1"), context("c2")]
    found = merge_sources(contexts, [entails("c0", "a0", 0.7), entails("c1", "a0"), entails("c2", "a0", 0.8)])
    assert told(found) == [("c1", "a0", "entailment", 0.9)]
    assert [c.id for c in found.contexts] == ["c1"]
    assert found.independence.sources == (("c1", "c0", "c2"),)
    assert found.independence.relations_left_out == 2
    assert p_true(found)["a0"] == pytest.approx(0.86)


def test_different_sources_add_up() -> None:
    contexts = [context("c0"), context("c1", OTHER)]
    relations = [entails("c0", "a0"), entails("c1", "a0")]
    found = merge_sources(contexts, relations)
    assert found.relations == tuple(relations)
    assert found.contexts == tuple(contexts)
    assert found.independence.sources == ()
    assert p_true(found)["a0"] > 0.95


def test_each_atom_hears_the_strongest_of_its_own() -> None:
    contexts = [context("c0"), context("c1")]
    found = merge_sources(
        contexts, [entails("c0", "a0"), contradicts("c1", "a1", 0.8), contradicts("c0", "a1", 0.6)]
    )
    assert told(found) == [("c0", "a0", "entailment", 0.9), ("c0", "a1", "contradiction", 0.8)]


def test_the_stronger_side_speaks_where_a_source_takes_both() -> None:
    contexts = [context("c0"), context("c1"), context("c2")]
    found = merge_sources(
        contexts, [entails("c0", "a0", 0.7), contradicts("c1", "a0"), entails("c2", "a0", 0.7)]
    )
    assert told(found) == [("c1", "a0", "contradiction", 0.9)]


def test_sides_that_are_equally_strong_cancel_out_and_harm_nothing_else() -> None:
    contexts = [context("c0"), context("c1")]
    found = merge_sources(contexts, [entails("c0", "a0"), contradicts("c1", "a0"), entails("c1", "a1")])
    assert told(found) == [("c0", "a1", "entailment", 0.9)]
    assert found.independence.relations_left_out == 2
    assert p_true(found) == pytest.approx({"a0": 0.5, "a1": 0.86, "c0": 0.9})


def test_a_source_neither_confirms_itself_nor_is_refuted_twice_by_another() -> None:
    contexts = [context("c0"), context("c1"), context("d0", OTHER), context("d1", OTHER)]
    relations = [
        entails("c0", "a0"),
        relation("c0", "c1", "equivalence", 0.9),
        contradicts("d0", "c0", 0.8),
        contradicts("c1", "d1", 0.95),
        contradicts("d1", "c0", 0.7),
    ]
    found = merge_sources(contexts, relations)
    assert told(found) == [("c0", "a0", "entailment", 0.9), ("c0", "d0", "contradiction", 0.95)]
    assert [c.id for c in found.contexts] == ["c0", "d0"]


def test_the_largest_own_prior_is_the_sources() -> None:
    contexts = [context("c0", prior=0.6), context("c1", prior=0.7), context("c2"), context("d", OTHER)]
    found = merge_sources(contexts, [entails("c0", "a0")])
    assert [(c.id, c.prior) for c in found.contexts] == [("c0", 0.7), ("d", None)]
    assert merge_sources([context("c0"), context("c1")], ()).contexts[0].prior is None


def test_copies_without_a_relation_are_one_context() -> None:
    found = merge_sources([context("c0"), context("c1")], ())
    assert [c.id for c in found.contexts] == ["c0"]
    assert found.relations == ()
