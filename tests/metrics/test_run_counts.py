"""What is counted over the records of a run of any task."""

from factreasoner.metrics.run_counts import MESSAGES_KEPT, MESSAGES_SHOWN, RunCounts, elapsed_seconds
from factreasoner.models import Failure, TaskResult, Usage, Verdict


def failure(message, stage="judge"):
    return Failure(stage=stage, item_id="x", error_type="LLMError", message=message)


def result(**fields):
    return TaskResult(**({"record_id": "r", "status": "ok"} | fields))


def test_an_empty_run_has_every_state_at_zero():
    content = RunCounts().content()
    assert content["records"] == {"total": 0, "ok": 0, "partial": 0, "no_atoms": 0, "failed": 0}
    assert content["usage"]["total"]["calls"] == 0


def test_verdicts_by_label_confidence_and_citation():
    counts = RunCounts()
    found = Verdict(context_id="c", target_id="a", label="neutral", probability=0.5, citation="absent")
    counts.add(result(), [], [found, found.model_copy(update={"label": "entailment", "citation": None})])
    content = counts.content()
    assert content["verdicts"] == {"neutral": 1, "entailment": 1}
    assert content["confidences"] == {"constant": 2}
    assert content["citations"] == {"absent": 1}


def test_failures_are_all_counted_and_the_most_frequent_messages_shown():
    counts = RunCounts()
    for number in range(MESSAGES_KEPT + 50):
        counts.add(result(), [failure(f"message {number}"), failure("the same", stage="reviser")])
    content = counts.content()["failures"]
    assert content["total"] == 2 * (MESSAGES_KEPT + 50)
    assert content["by_stage"] == {"judge": MESSAGES_KEPT + 50, "reviser": MESSAGES_KEPT + 50}
    assert len(content["messages"]) == MESSAGES_SHOWN
    assert content["messages"]["the same"] == MESSAGES_KEPT + 50


def test_an_unknown_cost_makes_the_total_unknown():
    counts = RunCounts()
    counts.add(result(usage={"judge": Usage(calls=1, cost=0.5)}), [])
    assert counts.content()["usage"]["total"]["cost"] == 0.5
    counts.add(result(usage={"judge": Usage(calls=1, cost=None)}), [])
    assert counts.content()["usage"]["total"]["cost"] is None


def test_time_inside_another_stage_is_not_counted_twice():
    timed = result(seconds={"evaluator": 2.0, "judge": 1.5, "fact_generator": 0.5})
    assert elapsed_seconds(timed) == 2.5
