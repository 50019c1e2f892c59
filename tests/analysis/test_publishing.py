"""Which scores a run has, and of which span."""

import pytest
from assessments import assessment
from run_folders import run_folder

from factreasoner.analysis.publishing import Place, Selection, place_of, scores_of
from factreasoner.errors import ConfigError
from factreasoner.models import Failure, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.runs.finished import FinishedRun

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
VERDICT = Verdict(context_id="c0", target_id="a0", label="entailment", probability=0.9, quote="so")
LOST = Failure(stage="judge", item_id="c0->a1", error_type="CallTimeoutError", message="SECRET")


@pytest.fixture
def run(tmp_path):
    judged = assessment([0.9, None], outcome={"verdicts": (VERDICT,), "failures": (LOST,)})
    broken = assessment([], record_id="r2").model_copy(update={"status": "failed", "failures": (LOST,)})
    path = run_folder(
        tmp_path / "run",
        judged.model_copy(update={"status": "partial", "metadata": {"trace_id": TRACE, "span_id": SPAN}}),
        broken,
    )
    return FinishedRun.of_any_task(path)


@pytest.mark.parametrize(
    ("metadata", "key", "place"),
    [
        ({}, None, Place()),
        ({"traceparent": f"00-{TRACE}-{SPAN}-01"}, None, Place(TRACE, SPAN)),
        ({"trace_id": f"0x{TRACE}", "span_id": SPAN, "response_id": "x"}, None, Place(TRACE, SPAN, "x")),
        ({"mine": f"00-{TRACE}-{SPAN}-01", "trace_id": "other"}, "mine", Place(TRACE, SPAN)),
        ({"mine": "t1", "span_id": SPAN}, "mine", Place("t1", SPAN)),
        ({"traceparent": "", "trace_id": "t1"}, None, Place("t1")),
    ],
)
def test_span_place_is_read_from_metadata(metadata, key, place):
    assert place_of(metadata, key) == place


@pytest.mark.parametrize("wrong", [f"{TRACE}-{SPAN}", f"00-{'0' * 32}-{SPAN}-01", "t1"])
def test_invalid_traceparent_is_named(wrong):
    place = place_of({"traceparent": wrong, "trace_id": "t1", "response_id": "x"})
    assert place[:3] == (None, None, "x")
    assert f"traceparent {wrong!r} is not valid" in place.wrong


def test_computed_metrics_and_failures_are_published(run):
    found = list(scores_of(run, Selection()))
    first = {score.name: score for score in found if score.record == "r1"}
    assert first["factreasoner.precision"].value == 1.0
    assert first["factreasoner.precision"].place == Place(TRACE, SPAN)
    assert "factreasoner.gold_precision" not in first  # it has no value, which is not 0
    (failed,) = (score for score in found if score.record == "r2")
    assert (failed.name, failed.value, failed.error) == ("factreasoner.precision", None, "CallTimeoutError")
    assert {score.explanation for score in found} == {None}


def test_claims_and_texts_are_published_on_request(run):
    found = list(scores_of(run, Selection(("precision",), claims=True, texts=True)))
    shown = [(s.name.removeprefix("factreasoner."), s.value, s.label, s.error) for s in found]
    assert shown == [
        ("precision", 1.0, None, None),
        ("atom", 0.9, "supported", None),
        ("atom", None, None, "CallTimeoutError"),
        ("precision", None, None, "CallTimeoutError"),
    ]
    assert found[1].explanation.endswith("[so]")
    assert found[3].explanation == "SECRET"
    with pytest.raises(ConfigError, match="did you mean 'precision'"):
        list(scores_of(run, Selection(("precison",))))


def test_score_keys_depend_on_judge_and_span(run, tmp_path):
    keys = [score.key for score in scores_of(run, Selection(claims=True))]
    assert len(set(keys)) == len(keys)
    assert keys == [score.key for score in scores_of(run, Selection(claims=True))]
    other = run_folder(tmp_path / "other", *run.results(), config=Config(model="openai/x"))
    assert not {s.key for s in scores_of(FinishedRun.of_any_task(other), Selection())} & set(keys)
