"""Rag's work on a record: claims made once, what is judged, in how many calls."""

import math

import pytest
from rag_records import assessed, judging, record_of, scores, stated, worded
from table_judge import TableJudge

from factreasoner.errors import UnusableReplyError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Context, Verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Atomized
from factreasoner.tasks.rag import worker
from factreasoner.tasks.rag.table import scored_rag
from factreasoner.tasks.rag.task import TASK
from factreasoner.tasks.rag.worker import merged, premises_together


def test_a_model_s_verdicts_become_shares():
    said = {"A.": "True", "B.": "False", "C.": "False", "D.": "Not clear"}
    found = scores(judging(lambda passage, fact: said[fact]), record_of(atoms=[*said], contexts=["P.", "Q."]))
    assert (found["faithfulness"], found["contradicted"]) == (1 / 4, 2 / 4)
    assert found["faithfulness_p"] == pytest.approx((0.9 + 0.1 + 0.1 + 0.05) / 4)
    assert found["correctness"] is found["claim_f1"] is None


def test_unsupported_claims_are_judged_on_all_contexts():
    llm = judging(worded)
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


def test_empty_answer_makes_no_call():
    llm = judging(stated)
    found = scores(llm, record_of(output="", reference="A.", reference_atoms=["A."]))
    assert (found["coverage"], found["coverage_p"], found["correctness"]) == (0.0, 0.0, None)
    assert llm.calls == []


class OwnAtomizer:
    """Makes one claim of all that it is shown."""

    def atomize(self, record):
        return Atomized((Atom(id="a0", text=f"{record.prompt} {record.topic} {record.response}"),))


def worker_with(atomizer):
    parts = {"atomizer": atomizer, "judge": TableJudge({})}
    return TASK.worker(Config(reviser="none"), Calls(parts=parts))


def test_reference_claims_use_question_and_topic():
    worker = worker_with(OwnAtomizer())
    for question in ({"input": "Who?"}, {"input": "When?"}, {"input": "Who?", "topic": "Ulm"}):
        result = worker.assess(record_of(atoms=["A."], reference="A.", contexts=[], **question))
        (claim,) = result.reference_claims
        assert claim.text == f"{question['input']} {question.get('topic')} A."


def test_failed_claims_leave_other_list_scored():
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
            return {"statements": ["A is B."]}
        return {
            name: text if schema.name == "rewrite_statements" else "True"
            for name, text in schema.items.items()
        }

    contexts = [{"id": "a0", "text": "A is B."}, {"id": "_r0", "text": "C."}, {"id": "r0", "text": "D."}]
    result = assessed(ScriptedLLM(answer), record_of(contexts=contexts, reference="A is B."))
    assert [c.id for c in result.claims + result.reference_claims] == ["a1", "r1"]


LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


@pytest.mark.parametrize(
    ("contexts", "unread", "found"),
    [
        ([LONG], ["Ship 199"], ("failed", "c0->a0")),  # the last piece; the others are silent
        (["Ship 1.", "Boat 2."], ["Ship", "Boat"], ("partial", "contexts->a0")),  # the second look
    ],
)
def test_unjudged_piece_is_a_failure(contexts, unread, found, monkeypatch):
    monkeypatch.setattr(worker, "WINDOW_TOKENS", 600)
    llm = judging(lambda passage, fact: None if all(word in passage for word in unread) else "Not clear")
    record = record_of(atoms=["It is red."], contexts=contexts)
    result = assessed(llm, record, max_attempts=1)
    assert (result.status, *(failure.item_id for failure in result.failures)) == found


def test_long_contexts_give_several_bounded_premises():
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


def test_surest_piece_decides_and_neutral_takes_minimum():
    assert merged([verdict("entailment", 0.7), verdict("entailment", 0.9)], 2).probability == 0.9
    assert merged([verdict("neutral", 0.7), verdict("neutral", 0.9)], 2).probability == 0.7
