"""What tasks share: states, failures as values, what is done again, and sums over a run."""

import pytest
from table_judge import TableJudge

from factreasoner import Config, ScriptedLLM, verify
from factreasoner.calls.usage import Meter
from factreasoner.errors import BudgetError, PluginError
from factreasoner.models import Atom, Failure, Record, StageError, Usage, Verdict
from factreasoner.pipeline.assembly import Calls, assembly_of
from factreasoner.tasks.rag.table import RagResult
from factreasoner.tasks.rag.task import TASK as RAG
from factreasoner.tasks.recall import TASK as RECALL
from factreasoner.tasks.recall import RecallResult
from factreasoner.tasks.task import ClaimWorker, Work, result_of
from factreasoner.tasks.verify.task import TASK as VERIFY

LOST = Failure(stage="judge", item_id="answer->f1", error_type="LLMError", message="no answer")
RECORD = Record(id="r1", response="He was tall.", prompt="Was he?", topic="him", metadata={"variant": "a"})


@pytest.mark.parametrize(
    ("failures", "judged", "asked", "status"),
    [
        ((), 0, 0, "no_atoms"),
        ((), 3, 3, "ok"),
        ((LOST,), 2, 3, "partial"),
        ((LOST,), 0, 3, "failed"),
        ((LOST,), 0, 0, "failed"),
        ((), 0, 3, "failed"),
    ],
)
def test_the_state_of_a_record(failures, judged, asked, status):
    assert Work({}, failures, judged, asked).status == status


class Worker(ClaimWorker[RecallResult]):
    result = RecallResult

    def __init__(self, work, **calls):
        super().__init__(assembly_of(Config(), Calls(**calls)))
        self._do = work

    def _work(self, record, meter):
        with meter.stage("evaluator"):
            return self._do()


@pytest.mark.parametrize(
    ("error", "stage", "message"),
    [
        (StageError([LOST]), "judge", "no answer"),
        (PluginError("retriever", "retriever 'mine': it broke"), "retriever", "retriever 'mine': it broke"),
        (BudgetError("enough"), None, None),
    ],
)
def test_stage_failure_fails_record_and_fatal_errors_raise(error, stage, message):
    def work():
        raise error

    if stage is None:
        with pytest.raises(type(error)):
            Worker(work).assess(RECORD)
        return
    found = Worker(work).assess(RECORD)
    assert [(f.stage, f.message) for f in found.failures] == [(stage, message)]
    assert (found.status, "evaluator" in found.seconds) == ("failed", True)


def test_a_result_carries_what_every_result_carries():
    meter = Meter()
    found = result_of(RecallResult, RECORD, Config(model="m"), Work({"verdicts": ()}, (LOST,), 1), meter)
    assert (found.record_id, found.prompt, found.topic) == ("r1", "Was he?", "him")
    assert (found.response, found.failures) == ("He was tall.", (LOST,))
    assert (found.model, found.metadata) == ("m", {"variant": "a"})
    changed = RECORD.model_copy(update={"response": "He was small."})
    other = result_of(RecallResult, changed, Config(), Work({}, ()))
    assert other.fingerprint != found.fingerprint


def test_worker_with_unlearned_model_is_unsettled():
    class Unsettled(ScriptedLLM):
        settled = False

    assert Worker(None).settled
    assert not Worker(None, llm=Unsettled([])).settled


def test_sums_over_a_run():
    tally = RECALL.tally(Config(), ())
    judged = Verdict(context_id="answer", target_id="f0", label="entailment", probability=0.9)
    usage = {"evaluator": Usage(calls=2, prompt_tokens=10)}
    fields = {"failures": (LOST,), "verdicts": (judged,), "usage": usage}
    line = tally.add(RecallResult(record_id="r1", status="partial", **fields))
    assert (line["id"], line["status"], line["facts"]) == ("r1", "partial", [])
    assert line["failures"][0]["message"] == "no answer"
    tally.add(RecallResult(record_id="r2", status="ok"))
    content = tally.content()
    assert content["records"] == {"total": 2, "ok": 1, "partial": 1, "no_atoms": 0, "failed": 0}
    assert content["failures"]["by_stage"] == {"judge": 1}
    assert content["verdicts"] == {"entailment": 1}
    assert content["usage"]["total"]["calls"] == 2
    assert content["worst_claims"] == []
    assert list(tally.sample().ids) == ["r1", "r2"]


@pytest.mark.parametrize(
    ("status", "again"), [("ok", False), ("no_atoms", False), ("partial", True), ("failed", True)]
)
def test_failed_or_partial_result_is_repeated(status, again):
    assert RAG.to_repeat(RagResult(record_id="r", status=status)) is again


ATOMS = (Atom(id="a0", text="It opened."),)
WANTED = (Atom(id="g0", text="It opened."),)


@pytest.mark.parametrize(
    ("task", "fields", "made"),
    [
        (VERIFY, {}, True),
        (VERIFY, {"atoms": ATOMS}, False),
        (RAG, {"atoms": ATOMS}, False),
        (RAG, {"atoms": ATOMS, "reference": "It opened."}, True),
        (RAG, {"atoms": ATOMS, "reference": "It opened.", "reference_atoms": WANTED}, False),
        (RECALL, {"atoms": ATOMS, "reference": "It opened."}, True),
        (RECALL, {"facts": WANTED}, False),
        (RECALL, {"reference_atoms": WANTED}, False),
    ],
)
def test_claims_are_made_only_if_missing(task, fields, made):
    record = Record(id="r", response="It opened.", **fields)
    assert task.makes_claims(record, Config()) is made
    assert not task.makes_claims(record, Config(model="openai/x"))
    revised = task.makes_claims(record, Config(revise_given=True))
    assert revised is (made if task is RECALL else True)


def test_coherence_setting_compares_claims_of_one_answer():
    table = TableJudge({("a0", "1999"): ("contradiction", 0.9), ("a1", "1932"): ("contradiction", 0.9)})
    result = verify(
        "It opened in 1932 [1]. It opened in 1999 [1].", contexts=["x"], judge=table, coherence=True
    )
    assert [pair.atoms for pair in result.coherence.self_contradictions] == [("a0", "a1")]
    assert "coherence" in result.seconds
