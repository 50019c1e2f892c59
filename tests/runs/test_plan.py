"""What a dry run estimates is about what a run calls."""

import pytest

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.calls.usage import estimate_request
from factreasoner.errors import ConfigError
from factreasoner.llm import forms
from factreasoner.models import Atom, Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.per_atom import FoundPassage, retrieve_each
from factreasoner.runs.plan import plan, refuse_misfit
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import task_named

ATOMS = tuple(Atom(id=f"a{i}", text=f"The bridge has {i} arches.") for i in range(5))
CONTEXTS = tuple(Context(id=f"c{i}", text=f"Passage {i} of the book.", atom_ids=(f"a{i}",)) for i in range(4))
GIVEN = Record(id="r", response="x", atoms=ATOMS, contexts=CONTEXTS)
BARE = Record(id="r", response="x", prompt="How many arches?", atoms=ATOMS)
LIBRARY = f"{__name__}:Library"


class Library:
    """Finds as much as may be found."""

    def __init__(self, config):
        self.config = config

    def retrieve(self, atoms, record):
        def search(query):
            return [FoundPassage(f"{query.text} {rank}") for rank in range(50)]

        return retrieve_each(search, atoms, record, self.config)


def first_value(schema, text):
    properties = schema.parameters["properties"].items()
    return {name: found["enum"][0] if "enum" in found else text for name, found in properties}


def answer(prompt, schema):
    if prompt.name == "summarizer":
        return {"reason": "r", "relevance": "relevant", "summary": "It says so.", "confidence": 90}
    return dict.fromkeys(schema.arguments, "True")


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(
    ("record", "settings", "stages"),
    [
        (GIVEN, {"summarizer": "llm"}, {"summarizer", "evaluator"}),
        (GIVEN, {"query_builder": "llm"}, {"evaluator"}),
        (
            BARE,
            {"summarizer": "auto", "query_builder": "auto", "retriever": LIBRARY, "retrieve_k": 2},
            {"query_builder", "summarizer", "evaluator"},
        ),
        (BARE, {"retriever": LIBRARY, "assessor": "factscore"}, {"evaluator"}),
        (GIVEN, {"coherence": True, "atoms_per_call": 2}, {"evaluator", "coherence"}),
    ],
)
def test_planned_calls_are_made(version, record, settings, stages):
    config = Config(model="scripted", version=version, **settings)
    planned = {item.stage: item.calls for item in plan([record], config).stages}
    assessment = build_pipeline(config, llm=ScriptedLLM(answer)).assess(record)
    called = {stage: usage.calls for stage, usage in assessment.usage.items() if usage.calls}
    assert set(called) == stages
    names = {"evaluator": "assessor" if "assessor" in settings else "judge"}
    assert planned == {names.get(stage, stage): calls for stage, calls in called.items()}
    assert all(item.prompt_tokens and item.completion_tokens for item in plan([record], config).stages)


@pytest.mark.parametrize(
    "settings",
    [
        *({"mode": mode} for mode in ("tf", "tfn", "tfn_citation", "tfn_reasoning")),
        *({"assessor": name} for name in ("factscore", "veriscore", "prompt-tf")),
        {"atoms_per_call": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("words", [3, 2000])
def test_tokens_are_within_a_third_of_those_sent(settings, words):
    contexts = tuple(context.model_copy(update={"text": "It is tall. " * words}) for context in CONTEXTS[:1])
    record = GIVEN.model_copy(update={"contexts": contexts})
    config = Config(model="scripted", version=2, **settings)
    (stage,) = plan([record], config).stages
    llm = ScriptedLLM(lambda prompt, schema: first_value(schema, "True"))
    build_pipeline(config, llm=llm).assess(record)
    sent = [estimate_request(forms.request("json_schema", c.prompt, c.schema)) for c in llm.calls]
    assert stage.prompt_tokens == pytest.approx(sum(sent), rel=1 / 3)


@pytest.mark.parametrize("form", ["json_schema", "tool"])
@pytest.mark.parametrize("count", [1, 2, 8, 32])
@pytest.mark.parametrize(
    "settings",
    [
        *({"mode": mode} for mode in ("tf", "tfn", "tf_citation", "tfn_citation", "tfn_reasoning")),
        *({"assessor": name} for name in ("factscore", "veriscore", "prompt-tf")),
    ],
    ids=str,
)
def test_tokens_grow_with_the_claims_of_a_call(settings, count, form):
    atoms = tuple(Atom(id=f"a{i}", text=f"The bridge has {i} arches.") for i in range(count))
    context = Context(id="c", text="It is tall.", atom_ids=tuple(atom.id for atom in atoms))
    record = Record(id="r", response="x", atoms=atoms, contexts=(context,))
    config = Config(model="scripted", version=2, **settings)
    (stage,) = plan([record], config).stages
    llm = ScriptedLLM(lambda prompt, schema: first_value(schema, "True"))
    build_pipeline(config, llm=llm).assess(record)
    (call,) = llm.calls
    sent = estimate_request(forms.request(form, call.prompt, call.schema))
    assert 0.69 * sent < stage.prompt_tokens < 1.33 * sent


def test_record_without_atoms_needs_no_calls():
    config = Config(model="scripted", summarizer="llm", retriever="web", query_builder="llm")
    assert plan([BARE.model_copy(update={"atoms": ()})], config) == ([], 1, 0, 0)


@pytest.mark.parametrize(
    ("record", "settings", "searches"),
    [
        (BARE, {"retriever": "web"}, 6),
        (BARE, {"retriever": "web", "version": 1}, 5),
        (BARE, {}, 0),
        (GIVEN, {"retriever": "web"}, 0),
    ],
)
def test_planned_searches(record, settings, searches):
    assert plan([record], Config(**settings)).searches == searches


class SilentJudge:
    """A user's own judge."""

    def judge(self, premise, claims):
        raise AssertionError("a dry run judges nothing")


def claims_record(n=3, **fields):
    facts = tuple(Atom(id=f"f{i}", text=f"Fact {i}.") for i in range(n))
    context = Context(id="c0", text="She was born in Warsaw.")
    own = {"response": "She was born. She died. [1]", "facts": facts, "contexts": (context,)}
    return Record(id="r1", **own | fields)


def calls(task, item, **settings):
    planned = plan([item], Config(**({"model": "m"} | settings)), task_named(task))
    return {stage.stage: stage.calls for stage in planned.stages}


@pytest.mark.parametrize(
    ("item", "settings", "expected"),
    [
        (claims_record(), {}, {"judge": 1}),
        (claims_record(33), {}, {"judge": 2}),
        (claims_record(), {"mode": "prompt-tf"}, {"judge": 3}),
        (claims_record(), {"mode": "tfn_citation"}, {"judge": 1}),
        (claims_record(), {"form": "word"}, {"judge": 3}),
        (claims_record(), {"confidence": "votes"}, {"judge": 5}),
        (claims_record(), {"model": ("m", "n", "o")}, {"judge": 3}),
        (claims_record(facts=None, reference="It was. It is."), {}, {"fact_generator": 1, "judge": 1}),
        (claims_record(0), {}, {}),
        (claims_record(), {"model": None}, {}),
        (claims_record(), {"judge": f"{__name__}:SilentJudge"}, {"judge": 1}),
    ],
)
def test_calls_of_recall(item, settings, expected):
    assert calls("recall", item, **settings) == expected


def test_revising_given_atoms_is_counted():
    assert calls("run", GIVEN, revise_given=True)["reviser"] == 1
    assert "reviser" not in calls("run", GIVEN)


def test_a_verifier_is_counted_in_pairs():
    of = {"task": task_named("recall"), "records": [claims_record()]}
    assert plan(config=Config(judge="verifier", verifier="factcg"), **of) == ([], 1, 0, 3)


@pytest.mark.parametrize("task", ["rag", "verify"])
def test_other_tasks_are_counted_as_they_are_run(task):
    item, config = claims_record(), Config(model="m")

    def true(prompt, schema):
        if schema.name == "report_statements":
            return {"statements": ["She was born.", "She died."]}
        return first_value(schema, "words")

    llm = ScriptedLLM(true)
    task_named(task).worker(config, Calls(llm=llm)).assess(item)
    assert sum(calls(task, item).values()) == len(llm.calls)


def test_at_worst_every_call_is_paid_again():
    (stage,) = plan([claims_record()], Config(model="m"), task_named("recall")).stages
    assert stage.most_calls > stage.calls


def test_plan_refuses_what_a_run_would():
    with pytest.raises(ConfigError, match="`model=NAME`"):
        refuse_misfit(Config(assessor="prompt-tf"), TASK)
    refuse_misfit(Config(model="m", retriever="web"), TASK)
