"""Which pairs are judged, and what relations and priors verdicts make."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.assessors.graph import GraphEvaluator, with_graph
from factreasoner.errors import InputError
from factreasoner.graph.pairs import (
    Belief,
    Work,
    beliefs,
    combine,
    kept,
    merge_equal,
    pairs,
    relations,
    text_order,
)
from factreasoner.models import Atom, Context, Outcome, Premise, Record, Relation, Verdict
from factreasoner.protocols import Judged
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

ATOMS = tuple(Atom(id=f"a{i}", text=f"atom {i}") for i in range(3))


def context(context_id: str, text: str, *atom_ids: str, **fields: object) -> Context:
    return Context.model_validate({"id": context_id, "text": text, "atom_ids": atom_ids, **fields})


def verdict(source: str, target: str, label: str, probability: float = 0.9) -> Verdict:
    return Verdict.model_validate(
        {"context_id": source, "target_id": target, "label": label, "probability": probability}
    )


def test_merging_keeps_one_and_every_atom_id_in_order() -> None:
    contexts = (
        context("c0", "Paris  is\nthe capital.", "a2", "a0", title="First", link="x"),
        context("c1", "Lyon is not.", "a1"),
        context("c2", " paris is the CAPITAL. ", "a1", "a0", title="Second", prior=0.7),
    )
    merged = merge_equal(contexts)
    assert [c.id for c in merged] == ["c2", "c1"]
    assert merged[0].atom_ids == ("a2", "a0", "a1")
    assert (merged[0].title, merged[0].link, merged[0].text) == ("Second", "", contexts[2].text)
    assert merged[0].prior == 0.7
    assert merged[1] is contexts[1]


def test_merging_folds_composition_but_not_what_characters_mean() -> None:
    assert len(merge_equal([context("c0", "Café"), context("c1", "Café")])) == 1
    assert len(merge_equal([context("c0", "10²"), context("c1", "102")])) == 2


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_which_survives_and_with_what_prior_hangs_on_no_order(order: tuple[int, ...]) -> None:
    equal = [
        context("c0", "One  two", prior=0.6),
        context("c1", "one two", title="b", prior=0.7),
        context("c2", "one two", title="a"),
        context("c3", "ONE two", dropped="irrelevant", prior=0.99),
    ]
    (merged,) = merge_equal([equal[i] for i in order])
    assert (merged.id, merged.prior) == ("c0", 0.7)
    assert min(equal[1:3], key=text_order).id == "c2"


def test_of_equal_contexts_the_one_that_was_judged_survives() -> None:
    equal = [context("c0", "one TWO", prior=0.7), context("c1", "one two"), context("c2", "one two")]
    assert [c.id for c in merge_equal(equal)] == ["c0"]
    (merged,) = merge_equal(equal, judged={"c1", "c2"})
    assert (merged.id, merged.prior) == ("c1", 0.7)


def test_a_context_of_no_atom_merged_with_one_of_some_is_judged_for_all_in_version_2() -> None:
    merged = merge_equal([context("b", "same"), context("c", "same", "a1")])
    assert pairs(2, ATOMS, merged) == (Work("b", ("a0", "a1", "a2")),)
    assert pairs(1, ATOMS, merged) == (Work("b", ("a1",)),)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_dropped_contexts_are_judged_for_nothing(version: Literal[1, 2, 3]) -> None:
    contexts = (context("c0", "x", "a0", dropped="irrelevant"), context("c1", "y", "a0"))
    assert pairs(version, ATOMS[:1], contexts) == (Work("c1", ("a0",)),)
    assert [c.id for c in kept(contexts)] == ["c1"]


def test_version_1_with_nothing_left_but_the_questions_contexts_has_nothing_to_judge() -> None:
    contexts = (context("c0", "x", "a0", dropped="irrelevant"), context("q", "y"))
    assert pairs(1, ATOMS, contexts) == ()


def test_of_equal_contexts_one_that_is_kept_survives() -> None:
    one = context("c0", "same", "a0", dropped="irrelevant")
    merged = merge_equal([one, context("c1", "same", "a1"), context("c2", "same", "a2")])
    assert [(c.id, c.atom_ids, c.dropped) for c in merged] == [("c1", ("a1", "a2"), "")]
    assert merge_equal([one, one.model_copy(update={"id": "c3"})])[0].dropped == "irrelevant"


def test_version_1_judges_only_what_was_retrieved_for_the_atom() -> None:
    contexts = (context("c0", "x", "a2", "a0"), context("question", "y"), context("c1", "z", "a1"))
    assert pairs(1, ATOMS, contexts) == (Work("c0", ("a0", "a2")), Work("c1", ("a1",)))


def test_version_1_without_any_link_is_the_users_to_fix() -> None:
    with pytest.raises(InputError, match="no context names an atom"):
        pairs(1, ATOMS, [context("c0", "x")])
    assert pairs(1, ATOMS, []) == ()
    assert pairs(1, [], [context("c0", "x")]) == ()


def test_version_3_adds_every_context_pair_in_both_directions() -> None:
    contexts = [context(f"c{i}", str(i)) for i in range(4)]
    work = pairs(3, ATOMS, contexts)
    assert all(item.atom_ids == ("a0", "a1", "a2") for item in work)
    directed = Counter((item.context_id, other) for item in work for other in item.context_ids)
    assert directed == Counter((f"c{i}", f"c{j}") for i in range(4) for j in range(4) if i != j)


def test_version_3_without_atoms_or_with_one_context() -> None:
    assert pairs(3, [], [context("c0", "x")]) == ()
    assert pairs(3, ATOMS, [context("c0", "x")]) == (Work("c0", ("a0", "a1", "a2")),)


def test_atom_verdicts_become_relations_and_neutral_makes_none() -> None:
    found = relations(
        [
            verdict("c0", "a0", "entailment", 0.8),
            verdict("c0", "a1", "neutral", 1.0),
            verdict("c1", "a1", "contradiction", 0.3),
        ],
        atom_ids={"a0", "a1"},
    )
    assert found == (
        Relation(source="c0", target="a0", kind="entailment", probability=0.8),
        Relation(source="c1", target="a1", kind="contradiction", probability=0.3),
    )


E, C, N = "entailment", "contradiction", "neutral"


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        ((E, 0.9), (E, 0.7), ("x", "y", "equivalence", 0.7)),
        ((E, 0.6), (N, 1.0), ("x", "y", E, 0.6)),
        ((N, 1.0), (E, 0.6), ("y", "x", E, 0.6)),
        ((N, 1.0), (C, 0.6), ("y", "x", C, 0.6)),
        ((E, 0.9), (C, 0.8), ("x", "y", E, 0.9)),
        ((E, 0.8), (C, 0.9), ("y", "x", C, 0.9)),
        ((C, 0.9), (E, 0.8), ("x", "y", C, 0.9)),
        ((E, 0.8), (C, 0.8), ("y", "x", C, 0.8)),
        ((C, 0.8), (E, 0.8), ("x", "y", C, 0.8)),
        ((C, 0.7), (C, 0.8), ("y", "x", C, 0.8)),
        ((C, 0.8), (C, 0.8), ("x", "y", C, 0.8)),
        ((E, 0.6), None, ("x", "y", E, 0.6)),
        ((N, 0.9), (N, 0.9), None),
        ((N, 0.9), None, None),
    ],
)
def test_two_directions_combine(
    forward: tuple[str, float],
    backward: tuple[str, float] | None,
    expected: tuple[str, str, str, float] | None,
) -> None:
    judged = [verdict("x", "y", *forward)]
    if backward:
        judged.append(verdict("y", "x", *backward))
    found = relations(judged, atom_ids={"a0"})
    assert found == (combine(*judged),) if expected else found == ()
    for relation in found:
        assert (relation.source, relation.target, relation.kind, relation.probability) == expected


@pytest.mark.parametrize(("labels", "kind"), [((E, E), "equivalence"), ((C, C), C)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_tie_takes_its_direction_from_the_texts(labels: tuple[str, str], kind: str, turned: bool) -> None:
    judged = [verdict("x", "y", labels[0]), verdict("y", "x", labels[1])]
    contexts = [context("x", "Later in the alphabet."), context("y", "Earlier.")]
    for order in (1, -1):
        (found,) = relations(judged[:: -1 if turned else 1], atom_ids={"a0"}, contexts=contexts[::order])
        assert (found.source, found.target, found.kind) == ("y", "x", kind)


@given(
    st.lists(
        st.tuples(st.sampled_from([E, C, N]), st.sampled_from([0.4, 0.7, 0.9])), min_size=12, max_size=12
    )
)
def test_at_most_one_relation_a_context_pair(labels: list[tuple[str, float]]) -> None:
    directed = [(f"c{i}", f"c{j}") for i in range(4) for j in range(4) if i != j]
    judged = [verdict(*pair, *label) for pair, label in zip(directed, labels, strict=True)]
    found = [frozenset((r.source, r.target)) for r in relations(judged, atom_ids=())]
    telling = {frozenset((v.context_id, v.target_id)) for v in judged if v.label != N}
    assert len(found) == len(set(found))
    assert set(found) == telling


def test_texts_are_sorted_only_where_pairs_of_contexts_were_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        "factreasoner.graph.pairs.text_order", lambda item: read.append(item.id) or (item.id,)
    )
    contexts = [context("x", "Earlier."), context("y", "Later.")]
    assert relations([verdict("x", "a0", E)], atom_ids={"a0"}, contexts=contexts)
    assert read == []
    assert relations([verdict("x", "y", E)], atom_ids={"a0"}, contexts=contexts)
    assert read == ["x", "y"]


def test_a_pair_judged_twice_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="two verdicts for c0 -> a0"):
        relations([verdict("c0", "a0", E), verdict("c0", "a0", N)], atom_ids={"a0"})


TWO_ATOMS = [Atom(id="a0", text="x"), Atom(id="a1", text="y")]
CONTEXTS = [Context(id=f"c{i}", text=f"Passage {i}.") for i in range(3)]


def believed_verdict(context, atom, belief=None, nearness=0.0, label="neutral", probability=0.9):
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
        believed_verdict("c0", "a0", 0.4, 0.2),
        believed_verdict("c1", "a0", 0.1, 0.7),
        believed_verdict("c2", "a0", 0.8, 0.7),
        believed_verdict("c0", "a1"),
        believed_verdict("c1", "c2", 0.9, 0.9),
    ]
    expected = {"a0": (Belief("c1", 0.1), Belief("c2", 0.8), Belief("c0", 0.4))}
    for order in itertools.permutations(verdicts):
        assert beliefs(order, {"a0", "a1"}) == expected


def test_a_belief_is_a_prior_and_no_relation():
    outcome = Outcome(p_true={}, support={}, verdicts=(believed_verdict("c0", "a0", 0.31, 0.5),))
    graph = with_graph(outcome, TWO_ATOMS, CONTEXTS, Config(atom_prior=0.4)).graph
    assert {node.id: node.prior for node in graph.nodes if node.kind == "atom"} == {"a0": 0.31, "a1": 0.4}
    assert graph.relations == ()


class Believing:
    """Says of every claim what the table holds."""

    def __init__(self, *verdicts):
        self.table = {(v.context_id, v.target_id): v for v in verdicts}

    def judge(self, premise: Premise, claims):
        return Judged(
            tuple(self.table.get((premise.id, c.id)) or believed_verdict(premise.id, c.id) for c in claims)
        )


def outcome_of(*verdicts, **settings):
    evaluator = GraphEvaluator(Believing(*verdicts), ExactSolver(), Config(**settings))
    return evaluator.evaluate(TWO_ATOMS, CONTEXTS, Record(id="r", response="x y"))


def test_what_nothing_decides_is_as_likely_as_its_belief():
    outcome = outcome_of(
        believed_verdict("c0", "a0", 0.31, 0.5),
        believed_verdict("c1", "a0", 0.9, 0.1),
        believed_verdict("c0", "a1", 0.7),
    )
    assert outcome.p_true == pytest.approx({"a0": 0.31, "a1": 0.7})
    assert outcome.support == {"a0": "unverified", "a1": "unverified"}


def test_evidence_moves_an_atom_from_its_belief():
    found = outcome_of(
        believed_verdict("c0", "a0", 0.31, 0.5),
        believed_verdict("c1", "a0", 0.2, 0.1, label="entailment", probability=0.8),
    )
    odds = 0.31 / 0.69 * (0.05 + 0.9 * 0.8) / (0.05 + 0.9 * 0.2)
    assert found.p_true["a0"] == pytest.approx(odds / (1 + odds))
    denied = outcome_of(
        believed_verdict("c0", "a0", 0.31, 0.5),
        believed_verdict("c1", "a0", 0.2, 0.1, label="contradiction", probability=0.8),
    )
    assert denied.support["a0"] == "contradicted"
    assert denied.p_true["a0"] < 0.31


def test_one_source_of_several_contexts_keeps_its_nearest_belief():
    found = outcome_of(
        believed_verdict("c0", "a0", 0.31, 0.5), believed_verdict("c1", "a0", 0.9, 0.9), independence=True
    )
    assert found.p_true["a0"] == pytest.approx(0.9)
