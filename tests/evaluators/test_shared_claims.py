"""FR3: every passage is asked about all contexts, its own among them, where that takes no further call."""

import math
import random

import pytest
from fenced import fenced

from factreasoner import ScriptedLLM
from factreasoner.errors import ProviderError
from factreasoner.evaluators.graph import GraphEvaluator
from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.judges.faaf import LABELS, NOT_CLEAR
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.forms import FORMS, request_of
from factreasoner.llm.messages import Reply
from factreasoner.models import Atom, Context, Record
from factreasoner.runs.plan import plan
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

RECORD = Record(id="r", response="x")
ATOM = Atom(id="a0", text="atom.")


def contexts(m):
    return tuple(Context(id=f"c{i}", text=f"passage {i}!") for i in range(m))


def said(passage, claim):
    """A verdict on every pair, not the same for all."""
    return ("True", "False", NOT_CLEAR)[sum(map(ord, passage + claim)) % 3]


def evaluated(m, own="True", answer=said, whole=lambda passage, items: None, **settings):
    """The outcome of one atom and m contexts, and the calls on contexts.

    `own` is said of a passage itself, `...` for nothing; `whole` may give another reply to all of a call.
    """

    def script(prompt, schema):
        (passage,) = fenced(prompt.user, "passage")
        answers = {n: own if text == passage else answer(passage, text) for n, text in schema.items.items()}
        certain = {name: 80 for name in schema.arguments if name.endswith("_certainty")}
        given = certain | {name: value for name, value in answers.items() if value is not ...}
        return whole(passage, schema.items) or given

    llm = ScriptedLLM(script)
    config = Config(model="scripted", version=3, **settings)
    outcome = GraphEvaluator(LLMJudge(llm, config), ExactSolver(config), config).evaluate(
        [ATOM], contexts(m), RECORD
    )
    return outcome, [call for call in llm.calls if ATOM.text not in call.schema.items.values()]


def wild_sizes():
    draw = random.Random(3)
    return [(m, size) for m in (1, 2, 3, 33) for size in (1, 2, 32)] + [
        (draw.randint(1, 24), draw.randint(1, 25)) for _ in range(8)
    ]


@pytest.mark.parametrize(("m", "size"), wild_sizes())
def test_calls_and_verdicts_are_as_many_as_without(m, size):
    outcome, calls = evaluated(m, atoms_per_call=size)
    assert len(calls) == m * math.ceil((m - 1) / size)
    pairs = [(v.context_id, v.target_id) for v in outcome.verdicts if v.target_id != ATOM.id]
    assert len(pairs) == m * (m - 1)
    assert set(pairs) == {(f"c{i}", f"c{j}") for i in range(m) for j in range(m) if i != j}
    assert not outcome.failures
    record = RECORD.model_copy(update={"atoms": (ATOM,), "contexts": contexts(m)})
    (planned,) = plan([record], Config(model="scripted", version=3, atoms_per_call=size)).stages
    assert planned.calls == len(calls) + m
    assert all(len(call.schema.items) <= size for call in calls)


@pytest.mark.parametrize("form", FORMS)
def test_calls_of_one_record_share_all_but_the_passage(form):
    _, calls = evaluated(7, atoms_per_call=4)  # seven contexts: two calls a passage, with its own or without
    assert len(calls) == 14
    sent = [request_of(form, call.prompt, call.schema) for call in calls]
    heads = {(str(r.get("tools")), r["messages"][0]["content"], head_of(r)) for r in sent}
    assert len(heads) == 2


def head_of(request):
    return request["messages"][1]["content"].partition("The passage:")[0]


def test_one_that_would_take_a_further_call_is_left_out():
    _, calls = evaluated(5, atoms_per_call=4)
    assert len(calls) == 5
    shown = [set(call.schema.items.values()) for call in calls]
    texts = {context.text for context in contexts(5)}
    assert [texts - claims for claims in shown] == [{c.text} for c in contexts(5)]


@pytest.mark.parametrize("own", ["True", "False", NOT_CLEAR, ..., None, "perhaps", 7, ["True"]])
@pytest.mark.parametrize("settings", [{}, {"confidence": "votes", "votes": 3}, {"confidence": "verbal"}])
def test_what_is_said_of_the_passage_itself_is_ignored(own, settings):
    outcome, calls = evaluated(4, own=own, **settings)
    labels = {(v.context_id, v.target_id): v.label for v in outcome.verdicts if v.target_id != ATOM.id}
    assert labels == {
        (a.id, b.id): LABELS[said(a.text, b.text)] for a in contexts(4) for b in contexts(4) if a != b
    }
    assert not outcome.failures
    assert len(calls) == 4 * settings.get("votes", 1)
    assert outcome == evaluated(4, **settings)[0]


def test_it_is_not_asked_about_again_with_what_is_missing():
    left_out = {("passage 0!", "passage 2!")}

    def answer(passage, claim):
        if (passage, claim) in left_out:
            left_out.clear()
            return ...
        return said(passage, claim)

    outcome, calls = evaluated(3, own=..., answer=answer, concurrency=1)
    assert not outcome.failures
    assert [list(call.schema.items.values()) for call in calls[:2]] == [
        ["passage 0!", "passage 1!", "passage 2!"],
        ["passage 2!"],
    ]


def test_claims_of_a_cut_reply_are_halved_without_it():
    cut = Reply(arguments={}, truncated=True)
    outcome, calls = evaluated(
        5,
        concurrency=1,
        whole=lambda passage, items: cut if passage == "passage 4!" and len(items) == 5 else None,
    )
    assert not outcome.failures
    assert [list(call.schema.items.values()) for call in calls[-2:]] == [
        ["passage 0!", "passage 1!"],
        ["passage 2!", "passage 3!"],
    ]


def test_a_passage_whose_every_call_fails_fails_for_the_others_only():
    outcome, _ = evaluated(3, whole=lambda passage, items: ProviderError("down"))
    pairs = [f"c{i}->{other}" for i in range(3) for other in (f"c{j}" for j in range(3) if i != j)]
    assert sorted(f.item_id for f in outcome.failures) == sorted([*pairs, *(f"c{i}->a0" for i in range(3))])


def test_an_audit_and_other_judges_see_none_of_it():
    outcome, _ = evaluated(3, atoms_per_call=8, audit_share=1.0)
    assert outcome.audit is not None
    assert outcome.audit.asked == 0  # the one atom was asked alone
    relations = GraphEvaluator(EmbeddedJudge(), ExactSolver(), Config(version=3)).evaluate(
        [ATOM], contexts(3), RECORD
    )
    assert all(v.context_id != v.target_id for v in relations.verdicts)
    assert len(relations.verdicts) == 3 + 6
