"""What a dry run counts is what a run calls."""

import pytest
from table_judge import TableJudge

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.calls.usage import estimate_request
from factreasoner.errors import ConfigError
from factreasoner.llm import forms
from factreasoner.models import Atom, Context, Record
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.pipeline.assembly import Calls
from factreasoner.protocols import Atomized
from factreasoner.retrieval.per_atom import FoundPassage, retrieve_each
from factreasoner.runs.plan import plan
from factreasoner.settings import Config
from factreasoner.tasks.task import task_named

ATOMS = tuple(Atom(id=f"a{i}", text=f"The bridge has {i} arches.") for i in range(5))
CONTEXTS = tuple(Context(id=f"c{i}", text=f"Passage {i} of the book.", atom_ids=(f"a{i}",)) for i in range(4))
GIVEN = Record(id="r", response="x", atoms=ATOMS, contexts=CONTEXTS)
BARE = Record(id="r", response="x", prompt="How many arches?", atoms=ATOMS)
SCHEMA = FunctionSchema(
    name="decide",
    description="Decide.",
    parameters={"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]},
)
LIBRARY = f"{__name__}:Library"
ASKING = f"{__name__}:AskingJudge"


class Library:
    """Finds as much as may be found."""

    def __init__(self, config):
        self.config = config

    def retrieve(self, atoms, record):
        def search(query):
            return [FoundPassage(f"{query.text} {rank}") for rank in range(50)]

        return retrieve_each(search, atoms, record, self.config)


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


def test_nothing_is_planned_for_a_record_without_atoms():
    config = Config(model="scripted", summarizer="llm", retriever="web", query_builder="llm")
    assert plan([BARE.model_copy(update={"atoms": ()})], config) == ([], 1, 0, 0, ())


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


class AskingJudge:
    """A user's own judge that asks a model about each claim by itself, and tells so."""

    tokens_per_claim = 7

    def __init__(self, llm):
        self._llm = llm

    def requests(self, premise, claims):
        return [(Prompt(name="own", user=f"{premise.text} {claim.text}"), SCHEMA) for claim in claims]

    def judge(self, premise, claims):
        for prompt, schema in self.requests(premise, claims):
            self._llm.call(prompt, schema)
        return TableJudge({}, ("entailment", 0.9)).judge(premise, claims)


class SilentJudge:
    """A user's own judge that tells nothing of what it asks."""

    def judge(self, premise, claims):
        raise AssertionError("a dry run judges nothing")


class BrokenJudge(SilentJudge):
    """A user's own judge whose telling fails."""

    def requests(self, premise, claims):
        raise KeyError("nothing here")


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("assessor", ["factreasoner", "factscore"])
def test_a_part_of_a_users_own_that_tells_what_it_asks_is_counted(version, assessor):
    config = Config(
        judge=f"{__name__}:AskingJudge",
        assessor=assessor,
        version=version,
        model="scripted",
        atoms_per_call=2,
    )
    (stage,) = plan([GIVEN], config).stages
    llm = ScriptedLLM(answer)
    build_pipeline(config, llm=llm).assess(GIVEN)
    assert stage.calls == len(llm.calls) > 0
    assert stage.completion_tokens == 7 * stage.calls


def test_one_that_does_not_is_named():
    config = Config(judge=f"{__name__}:SilentJudge", reviser=f"{__name__}:Reviser", model="scripted")
    planned = plan([GIVEN], config)
    assert planned.uncounted == (f"reviser {__name__}:Reviser", f"judge {__name__}:SilentJudge")
    assert planned.stages == []


class AskingAtomizer:
    """A user's own atomizer that tells what it asks."""

    def requests(self, record):
        return [(Prompt(name="own", user=record.response), SCHEMA)]

    def atomize(self, record):
        raise AssertionError("a dry run makes nothing")


class Reviser:
    """A user's own reviser."""

    def revise(self, atoms, record):
        return Atomized(tuple(atoms))


@pytest.mark.parametrize("task", ["run", "recall"])
def test_an_error_in_what_it_tells_is_told_as_its_own(task):
    config = Config(judge=f"{__name__}:BrokenJudge", model="scripted")
    with pytest.raises(ConfigError, match=r"BrokenJudge.*KeyError.*nothing here"):
        plan([GIVEN.model_copy(update={"facts": ATOMS})], config, task_named(task))


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
        (claims_record(), {"mode": "prompt-tf"}, {"prompt-tf": 3}),
        (claims_record(), {"mode": "tfn_citation"}, {"judge": 1}),
        (claims_record(), {"confidence": "votes"}, {"judge": 5}),
        (claims_record(), {"model": ("m", "n", "o")}, {"judge": 3}),
        (claims_record(facts=None, reference="It was. It is."), {}, {"fact_generator": 1, "judge": 1}),
        (claims_record(0), {}, {}),
        (claims_record(), {"model": None}, {}),
        (claims_record(), {"judge": ASKING}, {"judge": 3}),
    ],
)
def test_calls_of_recall(item, settings, expected):
    assert calls("recall", item, **settings) == expected


def test_neither_a_verifier_nor_a_part_of_a_users_own_works_in_a_dry_run():
    silent, verifier = {"judge": f"{__name__}:SilentJudge"}, {"judge": "verifier", "verifier": "factcg"}
    of = {"task": task_named("recall"), "records": [claims_record()]}
    assert plan(config=Config(model="m", **silent), **of) == ([], 1, 0, 0, (f"judge {__name__}:SilentJudge",))
    assert plan(config=Config(**verifier), **of) == ([], 1, 0, 3, ())
    made = calls("rag", claims_record(), atomizer=f"{__name__}:AskingAtomizer")
    assert made == {"atomizer": 1, "reviser": 1, "judge": 1}


@pytest.mark.parametrize("task", ["rag", "verify"])
def test_other_tasks_are_counted_as_they_are_run(task):
    item, config = claims_record(), Config(model="m")

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
    (stage,) = plan([claims_record()], Config(model="m"), task_named("recall")).stages
    assert stage.prompt_tokens > 100
    assert 5 < stage.completion_tokens < 100
    assert stage.most_calls > stage.calls


def test_a_stage_that_asks_nothing_is_left_out():
    record = Record(id="r", response="Marie Curie was born in Warsaw in 1867.")
    (stage,) = plan([record], Config(model="m", judge="word_judge:WordJudge", spacy_model="none")).stages
    assert (stage.stage, stage.calls, stage.completion_tokens > 0) == ("atomizer", 1, True)


@pytest.mark.parametrize(
    ("model", "settings", "form"),
    [
        ("gpt-4o-mini", {}, "json_schema"),
        ("azure/gpt-4o", {}, "json_schema"),
        ("openai/gpt-4o", {"confidence": "votes"}, "tool"),
        ("mistral/mistral-small", {}, "tool"),
        ("mistral/mistral-small", {"api_base": "http://127.0.0.1:9"}, "json_schema"),
        ("gpt-4o-mini", {"batch": "files"}, "tool"),
        ("gpt-4o-mini", {"batch": "files", "form": "lines"}, "lines"),
    ],
)
def test_tokens_are_those_of_the_form_that_the_model_is_asked_in_first(model, settings, form):
    (stage,) = plan([GIVEN], Config(model=model, version=2, **settings)).stages
    llm = ScriptedLLM(answer)
    build_pipeline(Config(model="scripted", version=2), llm=llm).assess(GIVEN)
    sent = [forms.request(form, call.prompt, call.schema) for call in llm.calls]
    rounds = 5 if "confidence" in settings else 1
    assert stage.prompt_tokens == rounds * sum(map(estimate_request, sent))
