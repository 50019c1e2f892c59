"""Parts of a user's own: what they get, and how their errors are told."""

import json
import pickle
import re
import sys
from datetime import date
from pathlib import Path

import pytest
from fake_server import FakeServer
from forked import COMMAND
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, field_validator

from factreasoner import Config, ScriptedLLM, assess, build_pipeline
from factreasoner.calls.cache import ReplyCache
from factreasoner.errors import ConfigError
from factreasoner.models import Atom, Claim, Context, Failure, Marginals, Premise, Record, Verdict
from factreasoner.plugins import kinds
from factreasoner.protocols import Judged, Retrieved

DOCS = Path(__file__).parents[2] / "docs" / "plugins.md"
TEXT = "Rome is old."
CONTEXTS = ["Rome is old. It is large."]
ATOM = Atom(id="a0", text=TEXT)
RECORD = Record(id="r1", response=TEXT, atoms=(ATOM,), contexts=(Context(id="c0", text=CONTEXTS[0]),))


def verdict(premise="c0", claim="a0"):
    return Verdict(context_id=premise, target_id=claim, label="entailment", probability=0.9)


class YesJudge:
    """One method, no constructor."""

    def judge(self, premise, claims):
        return Judged(tuple(verdict(premise.id, claim.id) for claim in claims))


def blocks():
    return re.findall(r"```python\n# (\S+)(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def run_command(forker, folder):
    """Runs the command in a process of its own, where the modules of the folder can be imported."""
    env = {"PATH": "", "HOME": str(folder), "FACTREASONER_CACHE_DIR": str(folder)}
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); {COMMAND}"

    def run(*arguments):
        process = forker.start(arguments, folder=folder, env=env, code=code)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr

    return run


@pytest.fixture
def folder(tmp_path):
    """The modules of the documentation, and an answer."""
    for name, code in blocks():
        if name.endswith(".py"):
            (tmp_path / name).write_text(code)
    record = {"id": "r1", "output": TEXT, "contexts": CONTEXTS}
    (tmp_path / "answers.jsonl").write_text(json.dumps(record) + "\n")
    return tmp_path


def test_documented_judge_and_solver_run_from_cli(folder, run_command):
    own = ("--judge", "my_parts:WordJudge", "--solver", "my_solver:BruteForce")
    run_command("run", "answers.jsonl", *own, "--out", "out")
    result = json.loads((folder / "out" / "results.jsonl").read_text())
    assert (result["predictions"], result["solver"]["name"]) == ({"a0": "S"}, "brute force")
    assert result["marginals"][0]["probabilities"][1] == pytest.approx(0.86)


def test_the_judge_of_the_documentation_works_from_python(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    (script,) = [code for name, code in blocks() if not name.endswith(".py")]
    exec(script.partition("\n")[2], {})


def test_documented_model_judge_shares_client_and_cache(folder, run_command):
    with FakeServer(lambda request: dict.fromkeys(request.properties, "yes")) as server:
        arguments = [
            *("run", "answers.jsonl", "--judge", "my_model_judge:ModelJudge", "--model", "fake"),
            *("--api-base", server.url, "--atomizer", "rules", "--reviser", "none", "--out", "out"),
        ]
        run_command(*arguments)
        calls = server.calls
        run_command(*arguments, "--fresh")
        assert server.calls == calls > 0
    assert json.loads((folder / "out" / "results.jsonl").read_text())["usage"]["cached_calls"] == 1


@pytest.mark.parametrize("judge", [YesJudge(), YesJudge, lambda: YesJudge()])
def test_a_judge_as_object_class_or_function(judge):
    assert assess(TEXT, contexts=CONTEXTS, judge=judge).p_true["a0"] > 0.5
    assert build_pipeline(Config(), judge=judge).assess(RECORD).p_true["a0"] > 0.5


def test_the_configuration_names_what_was_handed_in():
    assert build_pipeline(judge=YesJudge()).config.judge == f"{__name__}:YesJudge"


def test_constructor_gets_only_parameters_it_names(tmp_path):
    asked = {}

    class Assessor:
        def __init__(self, judge, cache, llm, *others, solver=None, config=None, mine=7, **more):
            asked.update(locals())

        def evaluate(self, atoms, contexts, record):
            raise NotImplementedError

    llm, config = ScriptedLLM([]), Config(cache_dir=tmp_path, judge="verifier", atomizer="rules")
    build_pipeline(config, llm=llm, assessor=Assessor)
    assert (asked["llm"], asked["mine"], asked["others"], asked["more"]) == (llm, 7, (), {})
    assert isinstance(asked["cache"], ReplyCache)
    assert callable(asked["judge"].judge)
    assert callable(asked["solver"].marginals)
    assert asked["config"].judge == "verifier"


class WantsModel:
    def __init__(self, llm):
        raise AssertionError("never made")


class WantsMoon:
    def __init__(self, moon):
        raise AssertionError("never made")


class Breaks:
    def __init__(self):
        raise KeyError("broken")


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (WantsModel, ["WantsModel", "`model=NAME`"]),
        (WantsMoon, ["WantsMoon", "'moon'", "config, llm, cache, solver"]),
        (Breaks, ["Breaks", "KeyError", "broken", "test_kinds.py:"]),
        (object(), ["builtins:object", "no method judge()"]),
        (dict, ["builtins:dict", "no method judge()"]),
        ("json:loads", ["json:loads"]),
        ("llm", ["'llm'", "`model=NAME`"]),
    ],
)
def test_failing_construction_is_a_config_error(judge, words):
    with pytest.raises(ConfigError) as caught:
        build_pipeline(Config(), judge=judge)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_failing_import_is_reported_with_its_line(tmp_path, monkeypatch):
    (tmp_path / "broken_part.py").write_text("x = 1\ny = x / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"broken_part.*ZeroDivisionError.*broken_part\.py:2"):
        build_pipeline(Config(judge="broken_part:Judge"))


def test_an_unknown_part():
    with pytest.raises(ConfigError, match="'jugde'; did you mean 'judge'"):
        build_pipeline(jugde=YesJudge())


class Rating(BaseModel):
    """A model of the user's own."""

    stars: int = Field(ge=10)
    since: date = Field(default=date(2026, 1, 1), ge=date(2020, 1, 1))
    text: str = Field(default="x", pattern="^x")
    own: str = ""

    @field_validator("own")
    @classmethod
    def is_empty(cls, value: str) -> str:
        if value:
            raise ValueError("must be given in person")
        return value


def raising(premise, claims):
    raise ValueError("mine")


def of_another_process(premise, claims):
    """Raises what a pool of processes hands on: an error without the frames where it arose."""
    with pytest.raises(ValidationError) as caught:
        Verdict(context_id="c0")
    raise pickle.loads(pickle.dumps(caught.value))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (raising, ["ValueError: mine", "test_kinds.py:"]),
        (lambda premise, claims: sys.exit(3), ["SystemExit: 3", "test_kinds.py:"]),
        (lambda premise, claims: [verdict()], ["judge() returned list", "Judged", "test_kinds.py:"]),
        (lambda premise, claims: None, ["NoneType"]),
        (lambda premise, claims: Judged(({"label": "entailment"},)), ["a dict where a Verdict belongs"]),
        (lambda premise, claims: Judged(()), ["neither a verdict nor a failure for a0"]),
        (lambda premise, claims: Judged((verdict(claim="a9"),)), ["c0->a9", "not asked for"]),
        (lambda premise, claims: Judged((verdict(), verdict())), ["two verdicts"]),
        (
            lambda premise, claims: Verdict(context_id="c0", target_id="a0", label="true", probability=1.5),
            [
                "Verdict: label: is 'true'; it must be 'entailment', 'contradiction' or 'neutral'",
                "; probability: is 1.5; it must be at most 1 (",
                "test_kinds.py:",
            ],
        ),
        (
            lambda premise, claims: TypeAdapter(Verdict).validate_python({"context_id": "c0"}),
            ["Verdict: target_id: missing; label: missing; probability: missing ("],
        ),
        (of_another_process, ["Verdict: target_id: missing; label: missing; probability: missing ("]),
        (lambda premise, claims: Rating(stars=5), ["Rating: stars: is 5; it must be at least 10 ("]),
        (
            lambda premise, claims: Rating(stars=10, since=date(2019, 1, 1)),
            ["since: input should be greater"],
        ),
        (
            lambda premise, claims: Rating(stars=10, text="y" * 300_000, own="z" * 300_000),
            ["text: is 'yyy", "yyy'; it must be of the form ^x; own: must be given in person ("],
        ),
    ],
)
def test_faulty_custom_judge_fails_the_record(answer, words):
    class OddJudge:
        def judge(self, premise, claims):
            return answer(premise, claims)

    assessment = build_pipeline(judge=OddJudge()).assess(RECORD)
    (failure,) = assessment.failures
    assert (assessment.status, failure.stage, failure.item_id) == ("failed", "judge", "r1")
    assert "OddJudge" in failure.message
    assert all(word in failure.message for word in words), failure.message
    assert len(failure.message) < 1000


def test_lists_do_in_the_place_of_tuples():
    class ListJudge:
        def judge(self, premise, claims):
            return Judged([verdict()], [])

    assert build_pipeline(judge=ListJudge()).assess(RECORD).status == "ok"


class OddPart:
    """Of every kind, and always wrong."""

    def wrong(self, *given):
        return 7

    atomize = revise = build = retrieve = summarize = judge = marginals = evaluate = wrong


@pytest.mark.parametrize(
    "kind", ["atomizer", "reviser", "query_builder", "retriever", "summarizer", "solver", "assessor"]
)
def test_every_seam_is_watched(kind):
    searching = {"retriever": YesRetriever()} if kind in ("query_builder", "summarizer") else {}
    pipeline = build_pipeline(**{**searching, kind: OddPart()})
    record = (
        RECORD
        if kind in ("solver", "assessor")
        else RECORD.model_copy(update={"atoms": None, "contexts": None})
    )
    if kind in ("atomizer", "reviser"):
        record = record.model_copy(update={"contexts": RECORD.contexts})
    assessment = pipeline.assess(record)
    failures = assessment.failures
    assert [f"{kind} '{__name__}:OddPart'" in failure.message for failure in failures] == [True]


class YesRetriever:
    def retrieve(self, atoms, record):
        return Retrieved((Context(id="c0", text=CONTEXTS[0], atom_ids=tuple(a.id for a in atoms)),))


def test_a_failure_for_a_claim_is_enough():
    failure = Failure(stage="judge", item_id="c0->a0", error_type="X", message="no")
    part = type("Part", (), {"judge": lambda self, premise, claims: Judged((), (failure,))})()
    judged = kinds.JUDGE.make(part, {}).judge(Premise("c0", "text"), [Claim("a0", TEXT)])
    assert judged == Judged((), (failure,))


def test_everything_else_of_a_part_shows_through():
    part = type("Part", (), {"name": "mine", "marginals": lambda self, graph: Marginals, "width": 3})()
    watched = kinds.SOLVER.make(part, {})
    assert (watched.name, watched.width) == ("mine", 3)
    with pytest.raises(AttributeError):
        _ = watched.height


def test_own_modules_excludes_installed_packages(tmp_path, monkeypatch):
    (tmp_path / "lone.py").touch()
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["lone:Judge", "whole.inner:Solver", "numpy.random:Generator", "rules"]
    assert kinds.own_modules(names) == [str(tmp_path / "lone.py"), str(tmp_path / "whole")]
