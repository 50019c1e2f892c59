"""Rag's work on a record: claims made once, what is judged, in how many calls."""

import math
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from rag_records import assessed, judging, record_of, scores, stated, worded
from table_judge import TableJudge

from factreasoner.calls.usage import estimate_tokens
from factreasoner.errors import UnusableReplyError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Context, Failure, StageError, Verdict
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


def test_what_no_passage_bears_out_alone_is_asked_of_all_together():
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


def test_an_empty_answer_states_nothing_without_being_asked():
    llm = judging(stated)
    found = scores(llm, record_of(output="", reference="A.", reference_atoms=["A."]))
    assert (found["coverage"], found["coverage_p"], found["correctness"]) == (0.0, 0.0, None)
    assert llm.calls == []


def test_claims_of_a_reference_are_made_once_a_run():
    made = Counter()

    def answer(prompt, schema):
        if schema.name == "report_statements":
            made[prompt.user] += 1
            return {"statements": ["Einstein was born in Ulm."]}
        if schema.name == "rewrite_statements":
            return dict(schema.items)
        return dict.fromkeys(schema.items, "True")

    worker = TASK.worker(Config(model="test", cache=False, form="tool"), Calls(llm=ScriptedLLM(answer)))
    for n in range(3):
        texts = {"output": f"Einstein was born in Ulm, says {n}.", "reference": "Einstein was born in Ulm."}
        result = worker.assess(record_of(id=f"q{n}", **texts))
        assert [claim.id for claim in result.reference_claims] == ["r0"]
        assert result.status == "ok"
        calls = {stage: usage.calls for stage, usage in result.usage.items() if usage.calls}
        assert calls == {"atomizer": 1 if n else 2, "evaluator": 2}
    assert len(made) == 4
    assert set(made.values()) == {1}


class OwnAtomizer:
    """Makes one claim of all that it is shown; the first time, it fails by `error`, if there is one."""

    def __init__(self, error=None):
        self.error = error
        self.calls = 0

    def atomize(self, record):
        self.calls += 1
        if self.error is not None and self.calls == 1:
            time.sleep(0.3)  # the other threads come to wait for it
            raise self.error
        return Atomized((Atom(id="a0", text=f"{record.prompt} {record.topic} {record.response}"),))


def worker_with(atomizer):
    parts = {"atomizer": atomizer, "judge": TableJudge({})}
    return TASK.worker(Config(reviser="none"), Calls(parts=parts))


LOST = Failure(stage="atomizer", item_id="q1", error_type="LLMError", message="lost")


@pytest.mark.parametrize("error", [StageError([LOST]), ValueError("lost")])
def test_a_reference_that_fails_once_costs_one_record_and_is_tried_once_more(error):
    atomizer, together = OwnAtomizer(error), threading.Barrier(6)
    worker = worker_with(atomizer)

    def assess(n):
        together.wait(60)
        return worker.assess(record_of(id=f"q{n}", atoms=["A."], reference="A.", contexts=[]))

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(assess, range(6)))
    assert atomizer.calls == 2
    assert sorted(len(result.failures) for result in results) == [0] * 5 + [1]
    assert sum(bool(result.reference_claims) for result in results) == 5


def test_claims_that_are_made_in_part_are_made_anew_for_the_next_record():
    class InPart(OwnAtomizer):
        def atomize(self, record):
            made = super().atomize(record)
            return made._replace(failures=(LOST,)) if self.calls == 1 else made

    worker = worker_with(atomizer := InPart())
    given = {"atoms": ["A."], "reference": "A.", "contexts": []}
    results = [worker.assess(record_of(id=f"q{n}", **given)) for n in range(3)]
    assert [(len(found.reference_claims), len(found.failures)) for found in results] == [
        (1, 1),
        (1, 0),
        (1, 0),
    ]
    assert atomizer.calls == 2


def test_claims_of_a_reference_are_of_its_question_and_topic():
    worker = worker_with(OwnAtomizer())
    for question in ({"input": "Who?"}, {"input": "When?"}, {"input": "Who?", "topic": "Ulm"}):
        result = worker.assess(record_of(atoms=["A."], reference="A.", contexts=[], **question))
        (claim,) = result.reference_claims
        assert claim.text == f"{question['input']} {question.get('topic')} A."


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
def test_what_was_not_judged_is_a_failure_though_the_rest_is_silent(contexts, unread, found, monkeypatch):
    monkeypatch.setattr(worker, "WINDOW_TOKENS", 600)
    llm = judging(lambda passage, fact: None if all(word in passage for word in unread) else "Not clear")
    record = record_of(atoms=["It is red."], contexts=contexts)
    result = assessed(llm, record, max_attempts=1)
    assert (result.status, *(failure.item_id for failure in result.failures)) == found


def test_contexts_that_fit_are_one_premise_in_their_order():
    contexts = [Context(id="b", text="Two.", title="Second"), Context(id="a", text="One.")]
    tokens = estimate_tokens("Second\nTwo.") + estimate_tokens("One.")
    assert len(premises_together(contexts, "q", tokens=tokens - 1)) == 2
    (premise,) = premises_together(contexts, "q", tokens=tokens)
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
