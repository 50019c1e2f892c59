"""What a caller gets wrong is refused or reported, never taken for something else."""

import dataclasses
import functools
import pickle
import re

import numpy as np
import pandas
import pytest

import factreasoner
from factreasoner import Config, Run, assess, assess_many, compare, rag
from factreasoner.errors import ConfigError, InputError, RunError, UsageError
from factreasoner.models import Verdict
from factreasoner.protocols import Judged

TEXT = "Marie Curie was born in Warsaw in 1867."
GIVEN = {"cache": False, "progress": False}


def record(name, **more):
    return {"id": name, "output": TEXT, "contexts": [TEXT]} | more


class Judge:
    calls, asked, ready, limit = 0, [], True, 1

    def __init__(self, label="neutral", client=None):
        self.label, self._client = label, client

    def judge(self, premise, claims):
        self.calls += 1
        self.asked.append(premise.record_id)
        said = {"context_id": premise.id, "label": self.label, "probability": 0.9}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims))


class NamedJudge(Judge):
    version = "2026-11"


@dataclasses.dataclass
class Fields(Judge):
    threshold: float = 0.5
    names: list = dataclasses.field(default_factory=list)
    label, scale, tokenizer, _warm = "neutral", 1, None, False

    @property
    def ready(self):
        raise RuntimeError("not yet")


USED = Judge()


def scaled(scale):
    judge = Fields()
    vars(judge).update(scale=scale, limit=scale, tokenizer=object(), _warm=True)
    return judge


class Unkept(Judge):
    def __init__(self, threshold):
        super().__init__()


def local(label):
    """A judge whose class is made in a function."""

    class Local(Judge):
        def judge(self, premise, claims):
            self.label = label
            return super().judge(premise, claims)

    return Local()


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (local("neutral"), local("entailment"), "this judge.variables can't be compared"),
        (Judge("neutral"), Judge("entailment"), r"\(judge.label differs\)"),
        (Judge(client="a"), Judge(client="b"), r"\(judge.client differs\)"),
        (Judge(client=object()), Judge(client=object()), "this judge.client can't be compared"),
        (Unkept(0.3), Unkept(0.3), "this judge.threshold can't be compared"),
        (lambda: Judge("neutral"), lambda: Judge("neutral"), "this judge.variables can't be compared"),
        (
            functools.partial(Judge, "neutral"),
            functools.partial(Judge, "entailment"),
            "judge.arguments differs",
        ),
        (Judge("neutral"), Judge("neutral"), None),
        (USED, USED, None),
        (Judge, Judge("neutral"), None),
        (Judge("neutral"), f"{__name__}:Judge", None),
        (f"{__name__}:Judge", Judge("entailment"), r"\(judge.label differs\)"),
        (Fields(), scaled(1), None),
        (Fields(), scaled(2), r"\(judge.limit differs; judge.scale differs\)"),
        (Fields(), Fields(threshold=0.9), r"\(judge.threshold differs\)"),
        (NamedJudge(client=object()), NamedJudge(client=object()), None),
    ],
)
def test_run_is_resumed_only_by_equal_judges(tmp_path, first, second, why):
    given = {"out": tmp_path / "run"} | GIVEN
    assess_many([record("q1")], judge=first, **given)
    if why is None:
        for name in ("q2", "q3"):
            run = assess_many([record(name)], judge=second, **given)
        assert [result.failures for result in run] == [(), (), ()]
        assert Judge.asked[-3:] == ["q1", "q2", "q3"]
        return
    with pytest.raises(RunError, match=why):
        assess_many([record("q2")], judge=second, **given)
    assert len(assess_many([record("q2")], judge=second, fresh=True, **given)) == 1
    assert '"a"' not in (tmp_path / "run" / "manifest.json").read_text()


def test_unknown_ids_raise_with_the_known_ones():
    run = assess_many([record("q1"), record(2)], **GIVEN)
    assert [result.id for result in run.results([2, "q1"])] == ["2", "q1"]
    assert [result.id for result in (*run.results("q1"), *run.results(np.int64(2)))] == ["q1", "2"]
    assert ("q1" in run, 2 in run, "2" in run, "q3" in run) == (True, True, True, False)
    for wrong in (lambda: run.results("q3"), lambda: run.results(["q1", "q3"]), lambda: run["q3"]):
        with pytest.raises(KeyError, match=r"^.no record 'q3'; .* 'q1'"):
            wrong()
    for place in (0, np.int64(-1), slice(0, 1)):
        with pytest.raises(
            KeyError, match=r"^.no record has the id .*; use one, run\['q1'\], or list\(run\)"
        ):
            run[place]


def test_deleted_run_names_the_remedy():
    kept = pickle.dumps(assess_many([record("q1")], **GIVEN))
    with pytest.raises(RunError, match=r"it was temporary and is deleted; .* a folder as `out`"):
        pickle.loads(kept)


KINDS = {"out": "a path", "gold": "a path", "seed": "a whole number"}


@pytest.mark.parametrize("name", ["skip_invalid", "fresh", "progress", "intersect", *KINDS])
def test_arguments_of_another_kind_are_refused(name):
    call = compare if name in {"intersect", "gold", "seed"} else assess_many
    kind = KINDS.get(name, "True or False")
    for wrong in ([], 0.5, b"no", *([] if kind == "a path" else ["no"]), *([1] if "True" in kind else [])):
        with pytest.raises(UsageError, match=re.escape(f"{name} is {wrong!r}; it must be {kind}")):
            call([record("q1")], **{name: wrong})
    if call is assess_many:
        for right in (None, *([np.False_] if "True" in kind else [])):
            assert len(call([record("q1")], cache=False, **{name: right})) == 1


def test_compare_accepts_labels_and_shared_records(tmp_path):
    one = assess_many([record("q1"), record("q2")], out=tmp_path / "one", **GIVEN)
    two = assess_many([record("q1")], out=tmp_path / "two", version=3, **GIVEN)
    with pytest.raises(RunError, match="with `intersect`"):
        compare(one, two)
    assert compare(one, two, intersect=True)["num_records"] == 1
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"record": "q1", "atom": "a0", "label": "S"}\n')
    found = compare(one, str(two.path), intersect=True, gold=gold)
    assert found["runs"]["one"]["labelled_atoms"] == 1
    with pytest.raises(UsageError, match="one: given twice; name different runs"):
        compare(one, one, seed=None)
    for wrong, why in (((one, 0), "one is the number 0"), ((one,), "at least two"), ((), "at least two")):
        with pytest.raises(ConfigError, match=rf"compare\(\) .*{why}"):
            compare(*wrong)


def test_invalid_records_may_be_skipped(caplog):
    records = [record("q1"), record("q1"), {"id": "q2", "outptu": TEXT}, {"output": TEXT, "contexts": [None]}]
    with pytest.raises(InputError, match=r"`skip_invalid=True` assesses only the 1 valid record$") as caught:
        assess_many(records, **GIVEN)
    assert (caught.value.valid, len(caught.value.problems)) == (1, 4)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert [result.id for result in assess_many(records, skip_invalid=True, **GIVEN)] == ["q1"]
    assert "skipped: assess_many(), record 3: output: missing, but there is a key 'outptu'" in caplog.text
    assert "record 4: contexts[0]: is None; it must be a string, or a dict with" in caplog.text
    frame = pandas.DataFrame(records[:3], index=["a", "b", "c"])
    with pytest.raises(
        InputError, match=r"record 2 \(index 'b'\): id: .*\n.*record 3 \(index 'c'\): output:"
    ):
        assess_many(frame, **GIVEN)
    with pytest.raises(InputError) as caught:
        assess_many(records[2:], skip_invalid=True, **GIVEN)
    assert "skip_invalid" not in str(caught.value)


@pytest.mark.parametrize("name", ["https://example.org/a", " http://example.org ", __file__])
def test_passage_that_names_a_file_is_logged(caplog, name):
    kind = "a URL" if "example" in name else "the path of a file"
    for call in (assess, rag):
        call(TEXT, contexts=[TEXT, name], cache=False)
        assert f"{call.__name__}(): contexts[1]: {name.strip()!r} is {kind}" in caplog.text
    assert len(assess_many([record("q1", contexts=[TEXT, name])], **GIVEN)) == 1
    assert f"assess_many(), record q1: contexts[1]: {name.strip()!r} is {kind}" in caplog.text
    assert assess(TEXT, contexts=[f"See {name.strip()} for more."], cache=False).contexts


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"verison": 3}, "unknown setting 'verison'; did you mean 'version'"),
        ({"cache": "maybe"}, "cache: must be True or False"),
        ({"atom_prior": "high"}, "atom_prior: must be a number above 0 and below 1"),
        ({"api_base": "http://localhost"}, "api_base: needs a model; add `model=NAME`"),
    ],
)
def test_wrong_settings_of_config_are_our_errors(given, message):
    with pytest.raises(ConfigError) as caught:
        Config(**given)
    assert message in str(caught.value)


async def waiting(premise, claims):
    return Judged(())


class Waiting:
    async def judge(self, premise, claims):
        return Judged(())


class Remote:
    def __init__(self, url):
        self.url = url

    def judge(self, premise, claims):
        return Judged(())


def test_turned_column_map_shows_the_right_one():
    with pytest.raises(UsageError, match=r"did you mean `column_map={'reply': 'output'}`\?$"):
        assess_many([{"reply": TEXT}], column_map={"output": "reply"})


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            lambda premise, claims: Judged(()),
            "can ask for .*, not 'premise'; to use it as the judge, write a class with a method judge",
        ),
        (waiting, r"waiting\(\) is async, and threads call it; write a class with plain methods"),
        (Waiting, r"judge\(\) is async"),
        (Waiting(), r"judge\(\) is async"),
        (lambda: Waiting(), r"judge\(\) is async"),
        (Remote, "not 'url'; pass an object of the class, made with its 'url'"),
    ],
)
def test_functions_are_no_judges(judge, message):
    with pytest.raises(ConfigError, match=message):
        assess(TEXT, contexts=[TEXT], judge=judge)


def test_removed_names_tell_the_replacement():
    with pytest.raises(AttributeError, match="load_config was removed: pass the path of a profile"):
        factreasoner.load_config()
    with pytest.raises(ImportError, match="load_config was removed: pass the path of a profile"):
        from factreasoner import load_config  # noqa: F401


def test_dumps_follow_pydantic_rules():
    found = assess(TEXT, contexts=[TEXT], id="q1")
    assert found.model_dump(include={"id": ..., "metrics": {"precision": True}}) == {
        "id": "q1",
        "metrics": {"precision": 1.0},
    }
    assert found.model_dump(include={"id", "status"}) == {"id": "q1", "status": "ok"}
    assert found.model_dump(include={"rows": {0: {"label"}}}) == {"rows": [{"label": "supported"}]}
    left = found.model_dump(mode="json", exclude={"output": ..., "metrics": {"precision"}})
    assert "output" not in left
    assert left["metrics"].keys() == found.metrics.keys() - {"precision"}
    with pytest.raises(ValueError, match="bogus"):
        type(found).model_validate(found.model_dump() | {"bogus": 1})
    assert Run.open(assess_many([record("q1")], **GIVEN).path)["q1"].metrics == found.metrics
