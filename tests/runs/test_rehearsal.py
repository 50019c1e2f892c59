"""A dry run of a task on claims makes the calls that the run makes, and none of them for real."""

import pytest

from factreasoner import Config, ScriptedLLM
from factreasoner.models import Atom, Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.rehearsal import rehearsed
from factreasoner.tasks.registry import task_named


def record(n=3, **fields):
    facts = tuple(Atom(id=f"f{i}", text=f"Fact {i}.") for i in range(n))
    context = Context(id="c0", text="She was born in Warsaw.")
    return Record(
        **(
            {"id": "r1", "response": "She was born. She died. [1]", "facts": facts, "contexts": (context,)}
            | fields
        )
    )


def calls(task, item, **settings):
    planned = rehearsed(task_named(task), [item], Config(**({"model": "m"} | settings)))
    return {stage.stage: stage.calls for stage in planned.stages}


@pytest.mark.parametrize(
    ("item", "settings", "expected"),
    [
        (record(), {}, {"judge": 1}),
        (record(33), {}, {"judge": 2}),
        (record(), {"mode": "prompt-tf"}, {"prompt-tf": 3}),
        (record(), {"mode": "tfn_citation"}, {"judge": 1}),
        (record(), {"confidence": "votes", "votes": 3}, {"judge": 3}),
        (record(), {"further_models": ("n", "o")}, {"judge": 3}),
        (record(facts=None, reference="It was. It is."), {}, {"fact_generator": 1, "judge": 1}),
        (record(0), {}, {}),
        (record(), {"model": None}, {}),
    ],
)
def test_calls_of_recall(item, settings, expected):
    assert calls("recall", item, **settings) == expected


@pytest.mark.parametrize("task", ["rag", "verify"])
def test_other_tasks_are_counted_as_they_are_run(task):
    item, config = record(), Config(model="m")

    def true(prompt, schema):
        if schema.name == "report_statements":
            return {"statements": ["She was born.", "She died."]}
        return {
            n: p["enum"][0] if "enum" in p else "words" for n, p in schema.parameters["properties"].items()
        }

    llm = ScriptedLLM(true)
    task_named(task).worker(config, Calls(llm=llm)).assess(item)
    made = [call.prompt.name for call in llm.calls]
    assert made
    assert calls(task, item) == {name: made.count(name) for name in made}


def test_tokens_are_counted():
    (stage,) = rehearsed(task_named("recall"), [record()], Config(model="m")).stages
    assert stage.prompt_tokens > 100
    assert 5 < stage.completion_tokens < 100
    assert stage.most_calls > stage.calls
