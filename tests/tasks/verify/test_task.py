"""`verify` as a task: what records lack, which prompts, and results as lines."""

import pytest
from verifying_model import Model, verified

from factreasoner import Config
from factreasoner.errors import InputError
from factreasoner.models import Record
from factreasoner.tasks.verify.task import TASK, verify


def test_a_record_needs_sources():
    (problem,) = TASK.problems(Record(id="r1", response="x"), Config())
    assert str(problem).startswith("record r1: contexts: none given: they are the sources")
    assert TASK.problems(Record(id="r1", response="x", contexts=()), Config()) == []


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


def test_notes_and_unknown_citations_are_told_as_in_results():
    result = verify("A dam is high [1. It is wide [7].", sources=["A dam is high."])
    assert result.unknown_citations == ("7",)
    assert len(result.notes) == 1
    assert "[1" in result.notes[0]
