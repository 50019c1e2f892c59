"""A record's claims put to a judge: worked examples, calls counted, verdicts that fail."""

import math
from collections import Counter

import pytest

from factreasoner.config import Config
from factreasoner.errors import UnusableReplyError
from factreasoner.inputs.parsing import parse_record
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.tasks.rag.scores import scored_rag
from factreasoner.tasks.rag.task import TASK
from factreasoner.tasks.task import Calls


def record_of(**fields):
    return parse_record({"id": "q1", "input": "Who?", "output": "An answer."} | fields, where="test")


def judging(truth, sources=lambda prompt, fact: "1"):
    """A model that answers by `truth(passage, fact)` and names `sources`; it makes no claims."""

    def answer(prompt, schema):
        said = {name: truth(prompt.user, text) for name, text in schema.items.items()}
        named = {f"{name}_sources": sources(prompt.user, text) for name, text in schema.items.items()}
        return {name: value for name, value in (said | named).items() if name in schema.arguments}

    return ScriptedLLM(answer)


def stated(passage, fact):
    return "True" if fact in passage else "Not clear"


def assessed(llm, record, **settings):
    settings = {"cache": False, "confidence": "constant", "form": "tool"} | settings
    return TASK.worker(Config(model="test", **settings), Calls(llm=llm)).assess(record)


def scores(llm, record, **settings):
    return scored_rag(assessed(llm, record, **settings)).values


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
        output="P. X.",
        atoms=["P.", "X."],
        reference="P. Q. R.",
        reference_atoms=["P.", "Q.", "R."],
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


def test_claims_of_a_reference_are_made_once_a_run():
    made = Counter()

    def answer(prompt, schema):
        if schema.name == "report_statements":
            made[prompt.user] += 1
            return {"statements": [{"source": "Ulm", "atom": "Einstein was born in Ulm."}]}
        if schema.name == "rewrite_statements":
            return dict(schema.items)
        return dict.fromkeys(schema.items, "True")

    worker = TASK.worker(Config(model="test", cache=False, form="tool"), Calls(llm=ScriptedLLM(answer)))
    for n in range(3):
        result = worker.assess(
            record_of(id=f"q{n}", output=f"Answer {n}: born in Ulm.", reference="He was born in Ulm.")
        )
        assert [claim.id for claim in result.reference_claims] == ["r0"]
        assert result.status == "ok"
        calls = {stage: usage.calls for stage, usage in result.usage.items()}
        texts = 1 if n else 2
        assert calls == {"atomizer": texts, "reviser": texts, "evaluator": 2}
    assert len(made) == 4
    assert set(made.values()) == {1}


def test_claims_that_cannot_be_made_leave_the_other_list_to_be_scored():
    def answer(prompt, schema):
        if schema.name == "report_statements":
            return UnusableReplyError("prose")
        return dict.fromkeys(schema.items, "True")

    result = assessed(ScriptedLLM(answer), record_of(reference="R.", reference_atoms=["R."], contexts=["R."]))
    scored = scored_rag(result)
    assert result.status == "partial"
    assert scored.values["claim_recall"] == scored.values["coverage"] == 1.0
    assert scored.values["faithfulness"] is None
    assert scored.reasons["faithfulness"] == "no claims of the answer"


def test_made_ids_stay_clear_of_given_ones():
    def answer(prompt, schema):
        if schema.name == "report_statements":
            return {"statements": [{"source": "A", "atom": "A is B."}]}
        return {
            name: text if schema.name == "rewrite_statements" else "True"
            for name, text in schema.items.items()
        }

    contexts = [{"id": "a0", "text": "A is B."}, {"id": "_r0", "text": "C."}, {"id": "r0", "text": "D."}]
    result = assessed(ScriptedLLM(answer), record_of(contexts=contexts, reference="A is B."))
    assert [c.id for c in result.claims + result.reference_claims] == ["_a0", "__r0"]


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
