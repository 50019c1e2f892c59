"""Several contexts in one premise, and verdicts on the pieces of a long one."""

import pytest

from factreasoner.models import Context, Verdict
from factreasoner.tasks.rag.together import merged, premises_together

LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


def test_contexts_that_fit_are_one_premise_in_their_order():
    contexts = [Context(id="b", text="Two.", title="Second"), Context(id="a", text="One.")]
    (premise,) = premises_together(contexts, "q", tokens=1000)
    assert (premise.id, premise.record_id) == ("contexts", "q")
    assert premise.text == "Second\nTwo.\n\nOne."
    assert [part.id for part in premise.parts] == ["b", "a"]
    assert premises_together([], "q", tokens=1000) == []


def test_too_much_for_one_is_several_and_each_shows_no_more_than_fits():
    contexts = [Context(id="a", text=LONG), Context(id="b", text="Two.")]
    premises = premises_together(contexts, "q", tokens=200)
    assert [premise.id for premise in premises] == [f"contexts:{n}" for n in range(1, len(premises) + 1)]
    assert len(premises) > 3
    assert {part.id for premise in premises for part in premise.parts} == {"a", "b"}
    assert all(f"Ship {n} lay" in "".join(p.text for p in premises) for n in range(200))


def verdict(label, probability=0.9):
    return Verdict(context_id="a", target_id="x", label=label, probability=probability)


@pytest.mark.parametrize(
    ("labels", "asked", "label"),
    [
        (["neutral", "entailment", "contradiction"], 3, "entailment"),
        (["entailment"], 3, "entailment"),
        (["neutral", "contradiction"], 2, "contradiction"),
        (["contradiction"], 2, None),
        (["neutral", "neutral"], 2, "neutral"),
        (["neutral"], 2, None),
        ([], 1, None),
    ],
)
def test_one_verdict_of_those_on_pieces(labels, asked, label):
    found = merged([verdict(one) for one in labels], asked)
    assert (found.label if found else None) == label


def test_the_surest_piece_decides_and_silence_is_as_sure_as_the_least_sure():
    assert merged([verdict("entailment", 0.7), verdict("entailment", 0.9)], 2).probability == 0.9
    assert merged([verdict("neutral", 0.7), verdict("neutral", 0.9)], 2).probability == 0.7
