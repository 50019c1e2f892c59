"""One shape: parameters as record keys, one result type, runs, settings that travel, async siblings."""

import asyncio
import copy
import inspect
import json
import pickle
import time

import pytest
from loops import run_apart

import factreasoner as fr
from factreasoner import Config, Record, Run, assess, assess_many, build_pipeline, compare
from factreasoner.errors import ConfigError, InputError, RunError
from factreasoner.inputs.columns import FIELDS
from factreasoner.models import Failure, Verdict
from factreasoner.protocols import Judged

PASSAGE = {
    "text": "The museum opened on 4 May 1932.",
    "id": "guide",
    "title": "Guide",
    "link": "https://a.org/g",
}
ANSWER = "The museum opened in 1932."
GIVEN = {"cache": False, "uncited": "check"}
CALLS = {
    "run": (fr.assess, fr.aassess, {"contexts": [PASSAGE]}),
    "recall": (fr.recall, fr.arecall, {"facts": [ANSWER]}),
    "rag": (fr.rag, fr.arag, {"contexts": [PASSAGE], "reference": ANSWER}),
    "verify": (fr.verify, fr.averify, {"contexts": [PASSAGE]}),
}
EVERY = pytest.mark.parametrize("task", CALLS)


def plain(result):
    """A result without what differs from call to call."""
    return result.model_dump(mode="json", exclude={"seconds", "elapsed", "fingerprint"})


@EVERY
@pytest.mark.parametrize(
    "other", [key for field in ("response", "prompt", "contexts") for key in FIELDS[field]]
)
def test_parameters_take_every_name_of_records(task, other):
    call, _, own = CALLS[task]
    given = {"output": f"{ANSWER[:-1]} [guide].", "input": "When?"} | own
    field = next(keys for keys in FIELDS.values() if other in keys)
    if field[0] not in given:
        pytest.skip("recall takes no contexts")
    renamed = {other if key == field[0] else key: value for key, value in given.items()}
    assert plain(call(**renamed, **GIVEN)) == plain(call(**given, **GIVEN))
    if other != field[0]:
        with pytest.raises(InputError, match=rf"\(\): {field[0]}: given as .* and .*; keep one"):
            call(**given, **{other: given[field[0]]}, **GIVEN)


@EVERY
def test_signatures_have_the_keys_of_records(task):
    call, sibling, own = CALLS[task]
    named = {"output", "input", "topic", "id", "llm", "config", *own}
    assert named <= inspect.signature(call).parameters.keys()
    assert inspect.signature(sibling) == inspect.signature(call)
    assert sibling.__name__ == f"a{call.__name__}"


def test_renamed_parameters_warn():
    with pytest.warns(DeprecationWarning, match="claims is called atoms now"):
        fr.verify(ANSWER, sources=[PASSAGE], claims=[ANSWER], **GIVEN)
    with pytest.warns(DeprecationWarning, match=r"import Context from factreasoner\.models"):
        assert fr.Context


@EVERY
def test_every_result_has_the_same_members(task, tmp_path):
    call, sibling, own = CALLS[task]
    result = call(ANSWER, id="q1", topic="museums", **own, **GIVEN)
    assert isinstance(result, fr.Result)
    assert (result.id, result.status, result.output, result.topic) == ("q1", "ok", ANSWER, "museums")
    assert (result.failures, result.input) == ((), "")
    row = result.rows()[0]
    assert (row.text, row.label) == (ANSWER, "supported")
    assert 0.5 < row.p_true <= 1
    if task != "recall":
        assert (row.span, row.quote) == ((0, len(ANSWER)), PASSAGE["text"])
        assert (row.context, row.title, row.link) == ("guide", "Guide", "https://a.org/g")
    content = json.loads(json.dumps(result.model_dump(mode="json"), allow_nan=False))
    assert content["metrics"] == json.loads(json.dumps(result.metrics))
    assert [shown["label"] for shown in content["rows"]] == [row.label for row in result.rows()]
    assert list(result.to_frame()["label"]) == [row.label for row in result.rows()]
    assert json.loads(result.model_dump_json()) == content
    assert type(result).model_validate(content) == result
    assert pickle.loads(pickle.dumps(result)) == copy.copy(result) == result
    assert "<table>" in result._repr_html_()
    record = {"id": "q1", "output": ANSWER, "topic": "museums"} | own
    run = assess_many([record], task=task, progress=False, **GIVEN)
    assert plain(next(run.results())) == plain(run["q1"]) == plain(result)
    assert plain(run_apart(sibling(ANSWER, id="q1", topic="museums", **own, **GIVEN))) == plain(result)


@EVERY
def test_dir_has_only_public_names(task):
    call, _, own = CALLS[task]
    record = Record(id="r", output=ANSWER, input="When?")
    for thing in (call(ANSWER, **own, **GIVEN), record, Config()):
        names = dir(thing)
        assert not [name for name in names if name.startswith("_") or not hasattr(thing, name)]
        assert not {"told", "nothing", "in_brief", "words", "dict", "json", "copy", "construct"} & set(names)
    assert {"output", "input"} <= set(dir(record))
    assert {"id", "rows", "metrics", "to_frame", "model_dump", "unchecked"} <= set(
        dir(call(ANSWER, **own, **GIVEN))
    )
    assert len(fr.__all__) < 22


def test_failures_are_all_there():
    lost = Failure(stage="judge", item_id="guide->a0", error_type="LLMError", message="lost")

    class Judge:
        def judge(self, premise, claims):
            return Judged((), (lost,) * len(claims))

    result = assess(ANSWER, contexts=[PASSAGE], judge=Judge(), **GIVEN)
    assert (result.status, result.failures, result.metrics["precision"]) == ("failed", (lost,), None)
    assert [row.label for row in result.rows()] == [None]


def records(*ids, output=ANSWER):
    return [{"id": i, "output": output, "contexts": [PASSAGE]} for i in ids]


def test_run_is_a_collection(tmp_path):
    run = assess_many(records("q1", "q2"), progress=False, **GIVEN)
    for same in (run, copy.copy(run), copy.deepcopy(run)):
        assert [result.id for result in same] == ["q1", "q2"]
        assert same["q2"].id == "q2"
        assert same.summary["metrics"]["precision"]["value"] == 1.0
    path = str(run.path)
    copied = copy.deepcopy(run)
    del run, same
    assert copied["q1"].status == "ok"
    assert path == str(copied.path)
    with pytest.raises(KeyError, match="did you mean 'q1'"):
        copied["q11"]
    assert assess_many(records(7), progress=False, **GIVEN)[7].id == "7"
    kept = assess_many(records("q1"), out=tmp_path / "kept", progress=False, **GIVEN)
    assert pickle.loads(pickle.dumps(kept))["q1"] == kept["q1"]


def test_second_batch_adds_to_the_first(tmp_path):
    given = {"out": tmp_path / "run", "progress": False} | GIVEN
    first = assess_many(records("q1", "q2"), **given)
    assert [result.id for result in assess_many(records("q3", "q1"), **given)] == ["q1", "q2", "q3"]
    (given["out"] / "summary.json").unlink()  # as while another batch is assessed
    other = assess_many(records("q1", "q2"), **given | {"out": None})
    held = [compare(one, other) for one in (first, copy.copy(first))]
    assert [(c["num_records"], "interrupted" in str(c["notes"])) for c in held] == [(2, False)] * 2
    with pytest.raises(InputError, match=r"record 2: id: 'q2' is also the id .*1932.*, not .*1999.* r1, r2,"):
        assess_many([*records("q4"), *records("q2", output="It opened in 1999.")], **given)
    with pytest.raises(RunError, match="other settings"):
        assess_many(records("q4"), version=3, **given)
    with pytest.raises(ConfigError, match="no 'Nothing'"):
        assess_many(records("q4"), fresh=True, retriever="json:Nothing", **given)
    assert [result.id for result in Run.open(given["out"])] == ["q1", "q2", "q3"]
    assert len(assess_many(records("q2", output="It opened in 1999."), fresh=True, **given)) == 1


def test_runs_are_compared(tmp_path):
    made = [
        assess_many(records("q1", "q2"), out=tmp_path / name, version=version, progress=False, **GIVEN)
        for name, version in (("two", 2), ("three", 3))
    ]
    found = compare(*made)
    assert (found["baseline"], list(found["runs"]), found["num_records"]) == ("two", ["two", "three"], 2)
    json.dumps(found)
    assert compare(tmp_path / "two", str(tmp_path / "three")) == found


def test_settings_travel(tmp_path, monkeypatch):
    config = Config(version=3, atom_prior=0.4, model_param={"seed": 3}, allow_domains=("a.org",))
    assert Config(**config.model_dump()) == Config.model_validate_json(config.model_dump_json()) == config
    assert Config(version=None, k=None) == Config()
    (profile := tmp_path / "mine.yaml").write_text(json.dumps(given := {"version": 3, "atom_prior": 0.4}))
    monkeypatch.setenv("FACTREASONER_ATOM_PRIOR", "0.3")
    starts = {0.5: [given | {"atom_prior": None}], 0.4: [config, config.model_dump(), given]}
    starts[0.3] = [profile, str(profile), {"version": 3}, None]
    for prior, start in ((p, s) for p, several in starts.items() for s in several):
        pipeline = build_pipeline(start, seed=None)
        assert pipeline.config.atom_prior == prior
        assert pipeline.config.version == (2 if start is None else 3)
    pipeline = build_pipeline(config, version=2, **GIVEN)
    assert (pipeline.config.version, pipeline.config.atom_prior) == (2, 0.4)
    given = {"sources": [PASSAGE], "question": "When?"}
    alike = assess(ANSWER, config=config, version=2, **given, **GIVEN)
    assert plain(pipeline.assess(ANSWER, **given)) == plain(alike)
    record = Record(id="r1", output=ANSWER, input="When?", contexts=alike.contexts)
    assert pipeline.assess(record).p_true == alike.p_true


class SlowJudge:
    """A local judge that takes its time."""

    asks_model = False

    def __init__(self):
        self.calls = 0

    def judge(self, premise, claims):
        self.calls += 1
        time.sleep(0.05)
        said = {"context_id": premise.id, "label": "neutral", "probability": 0.9}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims))


@pytest.mark.parametrize("many", [False, True])
def test_timed_out_call_computes_nothing_more(many):
    judge, contexts = SlowJudge(), [f"Passage {n}." for n in range(400)]
    given = {"judge": judge} | GIVEN

    async def call():
        work = (
            fr.aassess_many([{"output": ANSWER, "contexts": contexts}], progress=False, **given)
            if many
            else fr.aassess(ANSWER, contexts=contexts, **given)
        )
        task = asyncio.create_task(work)
        while not judge.calls:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(task, 0.1)
        return time.monotonic() - began

    assert run_apart(call()) < 1.1
    time.sleep(0.3)
    calls = judge.calls
    time.sleep(0.3)
    assert judge.calls == calls < 100


def test_record_given_with_other_parts_is_refused():
    record = fr.Record(id="a", response=ANSWER, contexts=[PASSAGE])
    for name, value in (("contexts", ["x"]), ("atoms", ["x"]), ("id", "zz"), ("topic", "q"), ("input", "q")):
        with pytest.raises(InputError, match=f"{name}: the record has its own"):
            fr.build_pipeline().assess(record, **{name: value})
