"""Recall as a task: what records lack, which prompts, and results as lines."""

import pytest

from factreasoner import Config
from factreasoner.models import Atom, Failure, Record
from factreasoner.tasks.recall.task import TASK


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({}, False),
        ({"reference": " \n"}, False),
        ({"reference": "She was born."}, True),
        ({"facts": ()}, True),
        ({"facts": (Atom(id="f", text="x"),)}, True),
        ({"reference_atoms": (Atom(id="b", text="x"),)}, True),
    ],
)
def test_a_record_needs_facts_or_what_they_are_made_of(fields, fits):
    problems = TASK.problems(Record(id="r1", response="x", **fields), Config())
    assert (problems == []) is fits
    if not fits:
        assert str(problems[0]).startswith("record r1: facts: none given")


def test_the_prompts_are_those_that_may_be_asked():
    assert TASK.prompts(Config()) == ["judge", "judge_one", "fact_generator"]
    assert TASK.prompts(Config(mode="prompt-tf")) == ["prompt-tf", "fact_generator"]


def test_a_record_that_could_not_be_worked_on():
    failure = Failure(stage="pipeline", item_id="r1", error_type="KeyError", message="x")
    found = TASK.failed(Record(id="r1", response="x"), Config(), failure)
    assert (found.status, found.failures) == ("failed", (failure,))
    line = TASK.tally(Config(), []).add(found)
    assert "recall" not in line
    assert line["facts"] == []
