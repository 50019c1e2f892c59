"""Data models: frozen, strict, and able to survive a round trip."""

import pytest
from pydantic import ValidationError

from factreasoner.models import (
    Assessment,
    Atom,
    Context,
    Failure,
    Outcome,
    Record,
    Relation,
    Usage,
    side_of,
    support_of,
)


@pytest.mark.parametrize(
    ("p", "side"),
    [(0.5, 0), (0.5 + 9e-10, 0), (0.5 - 9e-10, 0), (0.5 + 2e-9, 1), (0.5 - 2e-9, -1), (1.0, 1), (0.0, -1)],
)
def test_one_half_is_neither_true_nor_false(p, side):
    assert side_of(p) == side


@pytest.mark.parametrize(
    ("kinds", "below", "at_half"),
    [
        ("", "unverified", "unverified"),
        ("E", "unverified", "unverified"),
        ("Q", "unverified", "unverified"),
        ("C", "contradicted", "unverified"),
        ("CC", "contradicted", "unverified"),
        ("EC", "contradicted", "undecided"),
        ("CQ", "contradicted", "undecided"),
    ],
)
def test_what_is_not_supported_is_contradicted_only_where_something_contradicts_it(kinds, below, at_half):
    kind = {"E": "entailment", "C": "contradiction", "Q": "equivalence"}
    touching = [Relation(source="c", target="a", kind=kind[k], probability=0.9) for k in kinds]
    assert support_of(0.0, touching) == support_of(0.5 - 2e-9, touching) == below
    assert support_of(0.5, touching) == at_half
    assert support_of(0.5 + 2e-9, touching) == "supported"


@pytest.mark.parametrize(
    ("atoms", "contexts", "word"),
    [
        ([Atom(id="a", text="x"), Atom(id="a", text="y")], [], "duplicate atom id 'a'"),
        ([], [Context(id="c", text="x"), Context(id="c", text="y")], "duplicate context id 'c'"),
        ([Atom(id="a", text="x")], [Context(id="c", text="x", atom_ids=("b",))], "unknown atom 'b'"),
        ([Atom(id="1", text="x")], [Context(id="1", text="y")], "both an atom and a context"),
    ],
)
def test_ids_of_a_record_must_agree(atoms, contexts, word):
    with pytest.raises(ValidationError, match=word):
        Record(id="r", response="x", atoms=tuple(atoms), contexts=tuple(contexts))


def test_links_to_atoms_that_are_yet_to_be_found_are_accepted():
    Record(id="r", response="x", contexts=(Context(id="c", text="x", atom_ids=("a0",)),))


def test_models_are_frozen_and_refuse_unknown_fields():
    atom = Atom(id="a", text="x")
    with pytest.raises(ValidationError):
        atom.text = "y"
    with pytest.raises(ValidationError):
        Atom(id="a", text="x", wrong=1)


def test_an_unknown_cost_stays_unknown():
    total = Usage(calls=1, cost=0.5) + Usage(calls=2, cost=None)
    assert (total.calls, total.cost) == (3, None)
    assert (Usage() + Usage(cost=0.25)).cost == 0.25


def test_failure_describes_its_error():
    failure = Failure.of("judge", "c0->a1", ValueError("no"))
    assert (failure.error_type, failure.message, failure.attempts) == ("ValueError", "no", 1)
    assert Failure.of("judge", "x", RuntimeError()).message == "RuntimeError()"


def test_assessment_round_trips_through_json():
    outcome = Outcome(p_true={"a0": 0.1 + 0.2}, support={"a0": "contradicted"})
    assessment = Assessment(
        record_id="r", status="ok", assessor="factreasoner", atoms=(Atom(id="a0", text="x"),), outcome=outcome
    )
    assert Assessment.model_validate_json(assessment.model_dump_json()) == assessment


def test_facts_and_statements_of_the_reference_have_ids_of_their_own():
    one, other = Atom(id="x", text="a"), Atom(id="x", text="b")
    with pytest.raises(ValidationError, match="duplicate fact id 'x'"):
        Record(id="r", response="", facts=(one, other))
    with pytest.raises(ValidationError, match="'x' names both a fact and a reference atom"):
        Record(id="r", response="", facts=(one,), reference_atoms=(other,))
    with pytest.raises(ValidationError, match="'x' names both an atom and a fact"):
        Record(id="r", response="", atoms=(one,), facts=(other,))
