"""Recall as a task: what records lack, which prompts, and results as lines."""

import pytest

from factreasoner import Config, RecallResult, ScriptedLLM, recall
from factreasoner.errors import ConfigError, InputError
from factreasoner.models import Atom, Record, Verdict
from factreasoner.protocols import Judged
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


ANSWER = "Marie Curie was born in Warsaw."


def truthful(prompt, schema):
    return {name: "True" if "Warsaw" in text else "False" for name, text in schema.items.items()}


def test_facts_in_any_shape():
    facts = ["Born in Warsaw.", {"text": "Born in Paris.", "label": False}, Atom(id="x", text="Of Warsaw.")]
    found = recall(ANSWER, facts=facts, llm=ScriptedLLM(truthful), model="m")
    assert isinstance(found, RecallResult)
    assert found.recall == pytest.approx(2 / 3)
    assert [fact.id for fact in found.missed] == ["f1"]
    assert (found.unanswered, found.status) == ((), "ok")


def test_without_a_model_facts_come_from_the_reference():
    found = recall(ANSWER, reference=f"{ANSWER} She played chess in Zagreb.", spacy_model="none")
    assert [fact.text for fact in found.missed] == ["She played chess in Zagreb."]


def test_what_stays_open_is_unanswered_and_not_missed():
    llm = ScriptedLLM(lambda prompt, schema: {})
    found = recall(ANSWER, facts=["Born in Warsaw."], llm=llm, model="m", max_attempts=2)
    assert (found.recall, found.missed, len(found.unanswered)) == (None, (), 1)
    assert found.failures


def test_a_part_of_ones_own():
    class Mine:
        def judge(self, premise, claims):
            said = {"context_id": premise.id, "label": "entailment", "probability": 1}
            return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims))

    assert recall(ANSWER, facts=["x", "y"], judge=Mine()).recall == 1.0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, InputError, r"recall\(\): facts: none given"),
        ({"facts": "one text"}, InputError, r"facts=\[\.\.\.\]"),
        ({"facts": [{"text": "x", "label": "maybe"}]}, InputError, r"facts\[0\].label"),
        ({"facts": ["x"], "reference": 5}, InputError, "reference"),
        ({"facts": ["x"], "modee": "tf"}, ConfigError, "mode"),
        ({"facts": ["x"], "mode": "prompt-tf"}, ConfigError, "model=NAME"),
    ],
)
def test_what_is_wrong_is_said(arguments, error, words):
    with pytest.raises(error, match=words):
        recall(ANSWER, **arguments)


def test_an_answer_that_is_none():
    with pytest.raises(InputError, match="is None"):
        recall(None, facts=["x"])
