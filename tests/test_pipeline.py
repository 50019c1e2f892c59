"""Putting a pipeline together."""

import pytest

from factreasoner import Config, Record, ScriptedLLM, build_pipeline
from factreasoner.errors import ConfigError
from factreasoner.models import Atom, Context, Outcome

RECORD = Record(
    id="r",
    response="x",
    atoms=(Atom(id="a0", text="One."),),
    contexts=(Context(id="c0", text="A passage."),),
)


class Plain:
    """An assessor of a user's own, that needs nothing."""

    def evaluate(self, atoms, contexts, record):
        return Outcome(p_true={"a0": 0.7}, support={"a0": "supported"})


class Knowing(Plain):
    """One that asks for some of the parts."""

    def __init__(self, *, llm, config):
        self.parts = (llm, config)


def test_an_own_assessor_gets_the_parts_it_names():
    pipeline = build_pipeline(Config(assessor="test_pipeline:Plain"))
    assert pipeline.assess(RECORD).p_true == {"a0": 0.7}
    llm = ScriptedLLM([])
    config = Config(assessor="test_pipeline:Knowing", model="scripted")
    assert build_pipeline(config, llm=llm).evaluator.parts == (llm, config)


def test_an_assessor_without_a_graph_needs_no_solver():
    llm = ScriptedLLM(lambda p, s: dict.fromkeys(s.arguments, "True"))
    pipeline = build_pipeline(Config(assessor="factscore", solver="nobodys"), llm=llm)
    assert pipeline.assess(RECORD).p_true == {"a0": 0.9}
    with pytest.raises(ConfigError, match="solver"):
        build_pipeline(Config(solver="nobodys"), llm=llm)


def test_an_assessment_without_a_graph_names_its_assessor_and_usage():
    llm = ScriptedLLM(lambda p, s: dict.fromkeys(s.arguments, "Contradicted"))
    assessment = build_pipeline(Config(assessor="veriscore"), llm=llm).assess(RECORD)
    assert (assessment.assessor, assessment.status) == ("veriscore", "ok")
    assert assessment.usage["evaluator"].calls == 1
    assert type(assessment).model_validate_json(assessment.model_dump_json()) == assessment
