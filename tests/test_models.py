"""Data models: frozen, strict, and able to survive a round trip."""

import pytest
from pydantic import ValidationError

from factreasoner.models import Assessment, Atom, Context, Failure, Outcome, Record, Usage, support_of


@pytest.mark.parametrize(
    ("p", "support"),
    [
        (0.5, "undecided"),
        (0.5 + 9e-10, "undecided"),
        (0.5 - 9e-10, "undecided"),
        (0.5 + 2e-9, "supported"),
        (0.5 - 2e-9, "contradicted"),
        (1.0, "supported"),
        (0.0, "contradicted"),
    ],
)
def test_support(p, support):
    assert support_of(p) == support


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
