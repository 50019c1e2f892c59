"""A record's claims put to a judge: worked examples, calls counted, verdicts that fail."""

import math

import pytest
from rag_records import assessed, judging, record_of, scores, stated

from factreasoner.tasks.rag.scores import scored_rag

EINSTEIN = ["Einstein was born in Ulm.", "Einstein was born in 1879."]


def test_faithfulness_one_and_one_half_with_a_year_changed():
    contexts = [
        "Albert Einstein (born 14 March 1879 in Ulm). Einstein was born in Ulm. Einstein was born in 1879."
    ]
    assert scores(judging(stated), record_of(atoms=EINSTEIN, contexts=contexts))["faithfulness"] == 1.0
    changed = ["Einstein was born in Ulm.", "Einstein was born in 1880."]
    found = scores(judging(stated), record_of(atoms=changed, contexts=contexts))
    assert found["faithfulness"] == 0.5
    assert found["faithfulness_p"] == pytest.approx((0.9 + 0.05) / 2)
    assert found["contradicted"] == 0.0


def test_correctness_and_coverage_of_a_partly_right_answer():
    record = record_of(
        output="P. X.", atoms=["P.", "X."], reference="P. Q. R.", reference_atoms=["P.", "Q.", "R."]
    )
    found = scores(judging(stated), record)
    assert found["correctness"] == 0.5
    assert found["coverage"] == pytest.approx(1 / 3)
    assert found["claim_f1"] == pytest.approx(0.4)
    assert found["faithfulness"] is None


def test_a_false_claim_is_contradicted_and_a_silent_one_is_not():
    truths = {"A.": "False", "B.": "Not clear"}
    found = scores(
        judging(lambda passage, fact: truths[fact]), record_of(atoms=["A.", "B."], contexts=["C.", "D."])
    )
    assert (found["faithfulness"], found["contradicted"]) == (0.0, 0.5)


def test_what_no_passage_bears_out_alone_is_asked_of_all_together():
    def together(passage, fact):
        return "True" if all(word in passage for word in fact.split()) else "Not clear"

    llm = judging(together)
    result = assessed(llm, record_of(atoms=["one two", "one", "four"], contexts=["one", "two", "three"]))
    scored = scored_rag(result)
    assert scored.values["faithfulness"] == pytest.approx(2 / 3)
    assert len(llm.calls) == 4
    assert set(llm.calls[-1].schema.items.values()) == {"one two", "four"}
    assert {v.target_id for v in result.verdicts if v.context_id == "contexts"} == {"a0", "a2"}


@pytest.mark.parametrize(
    ("answer_claims", "reference_claims"), [(3, 4), (20, 20), (33, 40), (64, 32), (1, 0)]
)
@pytest.mark.parametrize("contexts", [0, 1, 3])
def test_calls_are_no_more_than_the_matrices_take(answer_claims, reference_claims, contexts):
    llm = judging(lambda passage, fact: "Not clear")
    record = record_of(
        atoms=[f"Claim {n}." for n in range(answer_claims)],
        reference="The reference.",
        reference_atoms=[f"Gold {n}." for n in range(reference_claims)],
        contexts=[f"Passage {n}." for n in range(contexts)],
    )
    assert assessed(llm, record).status == "ok"
    said, wanted = math.ceil(answer_claims / 32), math.ceil(reference_claims / 32)
    assert len(llm.calls) <= (contexts + 2) * said + (contexts + 1) * wanted
    both = math.ceil((answer_claims + reference_claims) / 32)
    assert len(llm.calls) == contexts * both + said + wanted + (said if contexts > 1 else 0)


def test_no_context_retrieved_bears_nothing_out():
    found = scored_rag(assessed(judging(stated), record_of(atoms=["A."], contexts=[])))
    assert found.result.status == "ok"
    assert found.values["faithfulness"] == 0.0
    assert found.values["context_precision"] is None


def test_an_empty_answer_states_nothing_without_being_asked():
    llm = judging(stated)
    found = scores(llm, record_of(output="", reference="A.", reference_atoms=["A."]))
    assert (found["coverage"], found["coverage_p"], found["correctness"]) == (0.0, 0.0, None)
    assert llm.calls == []
