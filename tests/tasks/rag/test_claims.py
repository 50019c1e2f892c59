"""Claims of answers and references: made once, with ids of their own."""

from collections import Counter

from rag_records import assessed, record_of

from factreasoner.errors import UnusableReplyError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.pipeline.assembly import Calls
from factreasoner.settings import Config
from factreasoner.tasks.rag.scores import scored_rag
from factreasoner.tasks.rag.task import TASK


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
        result = worker.assess(
            record_of(
                id=f"q{n}",
                output=f"Einstein was born in Ulm, says {n}.",
                reference="Einstein was born in Ulm.",
            )
        )
        assert [claim.id for claim in result.reference_claims] == ["r0"]
        assert result.status == "ok"
        calls = {stage: usage.calls for stage, usage in result.usage.items() if usage.calls}
        texts = 1 if n else 2
        assert calls == {"atomizer": texts, "evaluator": 2}
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
            return {"statements": ["A is B."]}
        return {
            name: text if schema.name == "rewrite_statements" else "True"
            for name, text in schema.items.items()
        }

    contexts = [{"id": "a0", "text": "A is B."}, {"id": "_r0", "text": "C."}, {"id": "r0", "text": "D."}]
    result = assessed(ScriptedLLM(answer), record_of(contexts=contexts, reference="A is B."))
    assert [c.id for c in result.claims + result.reference_claims] == ["_a0", "__r0"]
