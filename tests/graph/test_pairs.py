"""Which pairs are judged, and what relations and priors verdicts make."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shuffled_cases import said
from table_judge import TableJudge

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.errors import InputError
from factreasoner.graph.pairs import (
    ContextPairs,
    combine,
    merge_equal,
    pairs,
    relations,
    relevant,
    text_order,
)
from factreasoner.models import Atom, Context, Record, Relation
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver

ATOMS = tuple(Atom(id=f"a{i}", text=f"atom {i}") for i in range(3))


def context(context_id, text, *atom_ids, **fields):
    return Context.model_validate({"id": context_id, "text": text, "atom_ids": atom_ids, **fields})


def test_merged_context_keeps_all_atom_ids():
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


def test_merging_folds_composition_but_not_what_characters_mean():
    assert len(merge_equal([context("c0", "Café"), context("c1", "Café")])) == 1
    assert len(merge_equal([context("c0", "10²"), context("c1", "102")])) == 2


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_merging_is_independent_of_order(order):
    equal = [
        context("c0", "One  two", prior=0.6),
        context("c1", "one two", title="b", prior=0.7),
        context("c2", "one two", title="a"),
        context("c3", "ONE two", dropped="irrelevant", prior=0.99),
    ]
    (merged,) = merge_equal([equal[i] for i in order])
    assert (merged.id, merged.prior) == ("c0", 0.7)
    assert min(equal[1:3], key=text_order).id == "c2"


def test_of_equal_contexts_one_that_is_kept_survives():
    one = context("c0", "same", "a0", dropped="irrelevant")
    merged = merge_equal([one, context("c1", "same", "a1"), context("c2", "same", "a2")])
    assert [(c.id, c.atom_ids, c.dropped) for c in merged] == [("c1", ("a1", "a2"), "")]
    assert merge_equal([one, one.model_copy(update={"id": "c3"})])[0].dropped == "irrelevant"


ALL = ("a0", "a1", "a2")
DROPPED = context("d", "x", "a0", dropped="irrelevant")


@pytest.mark.parametrize(
    ("contexts", "works"),
    [
        ((), ((), (), ())),
        (
            merge_equal([context("b", "same"), context("c", "same", "a1")]),
            ((ContextPairs("b", ("a1",)),), (ContextPairs("b", ALL),), (ContextPairs("b", ALL),)),
        ),
        (
            (DROPPED, context("c", "y", "a0")),
            ((ContextPairs("c", ("a0",)),), (ContextPairs("c", ALL),), (ContextPairs("c", ALL),)),
        ),
        (
            (DROPPED, context("question", "y")),
            ((), (ContextPairs("question", ALL),), (ContextPairs("question", ALL),)),
        ),
        (
            (context("c0", "x", "a2", "a0"), context("question", "y")),
            (
                (ContextPairs("c0", ("a0", "a2")),),
                (ContextPairs("c0", ALL), ContextPairs("question", ALL)),
                (ContextPairs("c0", ALL, ("question",)), ContextPairs("question", ALL, ("c0",))),
            ),
        ),
    ],
)
def test_each_version_judges_its_pairs(contexts, works):
    assert tuple(pairs(version, ATOMS, contexts) for version in (1, 2, 3)) == works


def test_pairs_without_atoms_are_between_contexts():
    one, other = context("c0", "x"), context("c1", "y")
    assert [pairs(version, [], [one]) for version in (1, 2, 3)] == [(), (), ()]
    assert pairs(3, [], [one, other]) == (ContextPairs("c0", (), ("c1",)), ContextPairs("c1", (), ("c0",)))
    assert relevant((DROPPED, one)) == (one,)
    with pytest.raises(InputError, match="no context names an atom"):
        pairs(1, ATOMS, [one])


def test_atom_verdicts_become_relations_without_neutral_ones():
    found = relations(
        [
            said("c0", "a0", "entailment", 0.8),
            said("c0", "a1", "neutral", 1.0),
            said("c1", "a1", "contradiction", 0.3),
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
def test_two_directions_combine(forward, backward, expected):
    judged = [said("x", "y", *forward)]
    if backward:
        judged.append(said("y", "x", *backward))
    found = relations(judged, atom_ids={"a0"})
    assert found == (combine(*judged),) if expected else found == ()
    for relation in found:
        assert (relation.source, relation.target, relation.kind, relation.probability) == expected


@pytest.mark.parametrize(("labels", "kind"), [((E, E), "equivalence"), ((C, C), C)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_tie_takes_its_direction_from_the_texts(labels, kind, turned):
    judged = [said("x", "y", labels[0], 0.9), said("y", "x", labels[1], 0.9)]
    contexts = [context("x", "Later in the alphabet."), context("y", "Earlier.")]
    for order in (1, -1):
        (found,) = relations(judged[:: -1 if turned else 1], atom_ids={"a0"}, contexts=contexts[::order])
        assert (found.source, found.target, found.kind) == ("y", "x", kind)


@given(
    st.lists(
        st.tuples(st.sampled_from([E, C, N]), st.sampled_from([0.4, 0.7, 0.9])), min_size=12, max_size=12
    )
)
def test_at_most_one_relation_a_context_pair(labels):
    directed = [(f"c{i}", f"c{j}") for i in range(4) for j in range(4) if i != j]
    judged = [said(*pair, *label) for pair, label in zip(directed, labels, strict=True)]
    found = [frozenset((r.source, r.target)) for r in relations(judged, atom_ids=())]
    telling = {frozenset((v.context_id, v.target_id)) for v in judged if v.label != N}
    assert len(found) == len(set(found))
    assert set(found) == telling


def test_duplicate_verdict_raises_value_error():
    with pytest.raises(ValueError, match="two verdicts for c0 -> a0"):
        relations([said("c0", "a0", E, 0.9), said("c0", "a0", N, 0.9)], atom_ids={"a0"})


def test_a_neutral_verdict_leaves_p_at_the_prior():
    evaluator = GraphEvaluator(TableJudge({}), ExactSolver(), Config(atom_prior=0.7))
    contexts = [Context(id=f"c{i}", text=f"Passage {i}.") for i in range(3)]
    outcome = evaluator.evaluate([Atom(id="a0", text="x")], contexts, Record(id="r", response="x"))
    assert outcome.graph.relations == ()
    assert outcome.p_true == pytest.approx({"a0": 0.7})
    assert outcome.support == {"a0": "unverified"}
