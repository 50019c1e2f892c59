"""`run` as a task: which prompts, what is done again, and verdicts put in the place of others."""

import pytest
from assessments import assessment

from factreasoner import Config
from factreasoner.models import Failure, Record, Verdict
from factreasoner.tasks.factuality import TASK


def test_the_prompts_are_those_that_may_be_asked():
    assert TASK.prompts(Config()) == ["atomizer", "reviser", "judge", "judge_one"]
    with_parts = Config(model="m", query_builder="llm", summarizer="llm")
    assert TASK.prompts(with_parts)[-2:] == ["query", "summarizer"]


def test_a_record_that_could_not_be_worked_on():
    failure = Failure(stage="pipeline", item_id="r1", error_type="KeyError", message="x")
    found = TASK.failed(Record(id="r1", response="x", topic="t"), Config(), failure)
    assert (found.status, found.topic, found.failures, found.assessor) == (
        "failed",
        "t",
        (failure,),
        "factreasoner",
    )
    assert (TASK.size(found), list(TASK.rows(found)), TASK.verdicts(found)) == (0, [], ())
    assert TASK.with_verdicts(found, ()) is found


@pytest.mark.parametrize(
    ("status", "failures", "again"),
    [("ok", 0, False), ("failed", 0, True), ("partial", 1, True), ("partial", 0, False)],
)
def test_a_record_is_repeated_for_failures_and_not_for_posteriors_alone(status, failures, again):
    failure = Failure(stage="judge", item_id="c0->a0", error_type="ProviderError", message="x")
    found = assessment([0.5]).model_copy(update={"status": status, "failures": (failure,) * failures})
    assert TASK.to_repeat(found) is again


def test_verdicts_are_put_in_the_place_of_others():
    said = Verdict(context_id="c0", target_id="a0", label="neutral", probability=0.9)
    found = assessment([0.5], outcome={"verdicts": (said,)})
    changed = TASK.with_verdicts(found, (said.model_copy(update={"label": "entailment"}),))
    assert [verdict.label for verdict in TASK.verdicts(changed)] == ["entailment"]
    assert [claim.id for claim in TASK.claims(changed)] == ["a0"]
