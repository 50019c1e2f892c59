"""`verify` as a task: what records lack, which prompts, and results as lines."""

import pytest
from verifying_model import ANSWER, SOURCES, Model, verified

from factreasoner import Config, ScriptedLLM
from factreasoner.errors import InputError
from factreasoner.models import Atom, Failure, Record
from factreasoner.tasks.verify.task import TASK, verify


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


def test_sources_must_be_given():
    with pytest.raises(InputError, match="none given"):
        verify("It rained [1].", sources=[])


def test_given_claims_are_located_by_their_wording():
    claims = [
        Atom(id="x", text="The museum's opening was in 1930.", original="The Harbour Museum opened in 1930"),
        Atom(id="y", text="Wholly other things are said of whales."),
    ]
    result = verify(ANSWER, sources=SOURCES, claims=claims, llm=ScriptedLLM(Model()))
    assert result.claims[0].cited == ("c0",)
    assert (result.claims[1].label, result.claims[1].sentence) == (None, None)
    assert [failure.item_id for failure in result.failures] == ["y"]
    assert "'original' wording" in result.failures[0].message


def test_notes_and_unknown_citations_are_told_as_in_results():
    result = verify("A dam is high [1. It is wide [7].", sources=["A dam is high."])
    assert result.unknown_citations == ("7",)
    assert len(result.notes) == 1
    assert "[1" in result.notes[0]
