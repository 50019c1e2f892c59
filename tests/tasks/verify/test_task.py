"""`verify` as a task: what records lack, which prompts, and results as lines."""

from verifying_model import Model, verified

from factreasoner import Config
from factreasoner.models import Failure, Record
from factreasoner.tasks.verify.task import TASK


def test_a_record_needs_sources():
    (problem,) = TASK.problems(Record(id="r1", response="x"), Config())
    assert str(problem).startswith("record r1: contexts: none given: they are the sources")
    assert TASK.problems(Record(id="r1", response="x", contexts=()), Config()) == []


def test_the_prompts_are_those_that_may_be_asked():
    assert TASK.prompts(Config()) == ["atomizer", "reviser", "verify", "correct"]


def test_a_record_that_could_not_be_worked_on():
    failure = Failure(stage="pipeline", item_id="r1", error_type="KeyError", message="x")
    found = TASK.failed(Record(id="r1", response="x [7].", contexts=()), Config(), failure)
    line = TASK.tally(Config(), []).add(found)
    assert (line["status"], line["corrected"], line["claims"]) == ("failed", None, [])
    assert (line["citation_recall"], line["unknown_citations"]) == (None, [])


def test_a_line_holds_the_text_its_changes_and_claims_before_and_after():
    result = verified(Model())
    line = TASK.tally(Config(), []).add(result)
    assert line["corrected"].startswith("It opened in 1932 [1].")
    assert len(line["changes"]) == 3
    assert (len(line["claims"]), len(line["corrected_claims"])) == (6, 4)
    assert line["unknown_citations"] == ["7"]
    assert TASK.size(result) == len(result.verdicts)
