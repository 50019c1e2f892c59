"""FR1, FR2, FR3: which calls are made, and what failed judgements do to the score."""

import math

import pytest
from fenced import fenced

from factreasoner import ScriptedLLM
from factreasoner.assessors import judging
from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.judges.llm import LLMJudge
from factreasoner.models import Atom, Context, Record
from factreasoner.models.verdicts import NOT_CLEAR
from factreasoner.pipeline.config import Config
from factreasoner.solvers import exact
from factreasoner.solvers.exact import ExactSolver

RECORD = Record(id="r", response="x")


def atoms(n):
    return [Atom(id=f"a{i}", text=f"atom {i}.") for i in range(n)]


def contexts(m, **links):
    return [Context(id=f"c{i}", text=f"passage {i}!", atom_ids=links.get(f"c{i}", ())) for i in range(m)]


def evaluator(script, **settings):
    """The evaluator, and the model that it asks."""
    llm = ScriptedLLM(script)
    config = Config(model="scripted", concurrency=2, **settings)
    return GraphEvaluator(LLMJudge(llm, config), ExactSolver(), config), llm


def by_pair(answer):
    """A script of what `answer` maps (passage, claim) to."""

    def script(prompt, schema):
        (passage,) = fenced(prompt.user, "passage")
        said = {name: answer(passage, text) for name, text in schema.items.items()}
        errors = [value for value in said.values() if isinstance(value, Exception)]
        return errors[0] if errors else {name: value for name, value in said.items() if value is not ...}

    return script


def evaluate(answer, n, m, **settings):
    made, _ = evaluator(by_pair(answer), **settings)
    return made.evaluate(atoms(n), contexts(m), RECORD)


@pytest.mark.parametrize(
    ("version", "n", "m", "size"),
    [(2, 26, 68, 32), (2, 40, 5, 32), (3, 26, 21, 32), (3, 5, 9, 4), (3, 3, 1, 32)],
)
def test_calls_a_record(version, n, m, size):
    made, llm = evaluator(by_pair(lambda p, c: NOT_CLEAR), version=version, atoms_per_call=size)
    made.evaluate(atoms(n), contexts(m), RECORD)
    expected = m * math.ceil(n / size)
    if version == 3:
        expected += m * math.ceil((m - 1) / size)
    assert len(llm.calls) == expected


def test_neutral_verdict_keeps_the_prior():
    answers = {("passage 0!", "atom 0."): "True", ("passage 1!", "atom 0."): "False"}
    outcome = evaluate(lambda p, c: answers.get((p, c), NOT_CLEAR), 2, 2)
    assert outcome.p_true["a1"] == pytest.approx(0.5)
    assert outcome.support["a1"] == "unverified"
    assert outcome.p_true["a0"] == pytest.approx(0.5)
    one = evaluate(lambda p, c: "True" if c == "atom 0." else NOT_CLEAR, 1, 1)
    assert one.p_true["a0"] == pytest.approx(0.86)
    assert one.support["a0"] == "supported"
    assert one.marginals.exact


def test_atom_with_only_failed_verdicts_is_unjudged():
    outcome = evaluate(lambda p, c: ... if c == "atom 1." else "True", 3, 2, max_attempts=2)
    assert set(outcome.p_true) == {"a0", "a2"}
    assert outcome.unjudged == ("a1",)
    assert outcome.partly_judged == ()
    assert sorted(f.item_id for f in outcome.failures) == ["c0->a1", "c1->a1"]


def test_atom_with_some_failed_verdicts_is_flagged():
    def answer(passage, claim):
        return ... if (passage, claim) == ("passage 1!", "atom 1.") else "True"

    outcome = evaluate(answer, 2, 2, max_attempts=2)
    assert outcome.partly_judged == ("a1",)
    assert outcome.unjudged == ()
    assert [r.source for r in outcome.graph.relations if r.target == "a1"] == ["c0"]
    assert 0.86 < outcome.p_true["a1"] < outcome.p_true["a0"]


def test_version_3_context_failure_flags_no_atom():
    def answer(passage, claim):
        if claim.startswith("passage"):
            return ... if passage == "passage 0!" else "False"
        return "True" if passage == "passage 0!" else NOT_CLEAR

    outcome = evaluate(answer, 1, 2, version=3, max_attempts=1)
    assert [f.item_id for f in outcome.failures] == ["c0->c1"]
    assert outcome.partly_judged == ()
    kinds = {(r.source, r.target): r.kind for r in outcome.graph.relations}
    assert kinds == {("c0", "a0"): "entailment", ("c1", "c0"): "contradiction"}
    assert outcome.p_true["a0"] < 0.86


def test_context_claims_are_summaries_or_cut_texts(monkeypatch):
    monkeypatch.setattr(judging, "CLAIM_TOKENS", 16)
    made, llm = evaluator(lambda p, s: dict.fromkeys(s.arguments, NOT_CLEAR), version=3)
    long = "word " * 400
    given = [Context(id="c0", text=long), Context(id="c1", text=f"{long}!", summary="In short.")]
    made.evaluate(atoms(1), given, RECORD)
    claims = {text for call in llm.calls for text in call.schema.items.values()}
    assert "In short." in claims
    (cut,) = claims - {"In short.", "atom 0."}
    assert long.startswith(cut)
    assert 0 < len(cut) < 120


def test_a_solver_that_refuses_keeps_the_verdicts(monkeypatch):
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 1024)
    # Contexts that all say something different: equal ones would be counted together and narrow the graph.
    staircase = {f"passage {i}!": {f"atom {j}.": str(j <= i) for j in range(8)} for i in range(8)}
    outcome = evaluate(lambda p, c: staircase[p][c], 8, 8, solver="exact")
    assert outcome.p_true == {}
    assert len(outcome.verdicts) == 64
    assert [f.stage for f in outcome.failures] == ["solver"]
    assert "width" in outcome.failures[0].message
