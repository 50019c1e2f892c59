"""How many facts a model bears at once: models whose errors are known."""

import random

import pytest

from factreasoner import ScriptedLLM
from factreasoner.errors import LLMError, ProviderError, UnusableReplyError
from factreasoner.judges import probe as probing
from factreasoner.llm.send import told_of_waiting
from factreasoner.llm.usage import Meter
from factreasoner.models import Usage
from factreasoner.settings import Config

ANSWERS = {fact.text: case.answers[fact.id] for case in probing.cases() for fact in case.facts}
VALUES = ("True", "False", "Not clear")


def probed(answer, **settings):
    """The probe of a model that answers each fact by `answer(text, its place, how many)`, and its calls."""

    def script(prompt, schema):
        size = len(schema.items)
        return {name: answer(text, i, size) for i, (name, text) in enumerate(schema.items.items())}

    llm = ScriptedLLM(script)
    return probing.probe(llm, Config(model="scripted", **settings)), [
        len(call.schema.items) for call in llm.calls
    ]


def wrong(text):
    return next(value for value in VALUES if value != ANSWERS[text])


def test_the_cases_have_sixteen_facts_each_and_every_answer():
    for case in probing.cases():
        assert len(case.facts) == len(set(case.facts)) == 16
        counts = [list(case.answers.values()).count(value) for value in VALUES]
        assert min(counts) >= 5


def test_a_capable_model_takes_four_calls_and_bears_32_facts():
    (found, _), sizes = probed(lambda text, place, size: ANSWERS[text])
    assert (found.facts_per_call, found.right, found.changed, found.asked) == (32, 32, 0, 32)
    assert sizes == [16] * 4
    assert found.reliable


@pytest.mark.parametrize(("mistakes", "facts"), [(5, 32), (6, 16)])
def test_at_least_27_of_32_are_to_be_right(mistakes, facts):
    bad = set(list(ANSWERS)[:mistakes])
    (found, _), _ = probed(lambda text, place, size: wrong(text) if text in bad else ANSWERS[text])
    assert (found.facts_per_call, found.right) == (facts, 32 - mistakes)


def test_a_model_that_answers_by_place_is_asked_one_by_one():
    def by_place(text, place, size):
        return ANSWERS[text] if size == 1 else VALUES[place % 2]

    (found, pace), sizes = probed(by_place)
    assert (found.facts_per_call, found.right, found.changed) == (1, 32, 0)
    assert sizes[:2] == [16, 16]  # the first passage shows it
    assert sizes.count(1) == 32
    assert sizes.count(4) <= 4
    assert pace.facts == 1


def test_a_model_that_loses_the_thread_from_the_fifth_fact_on_is_asked_about_four():
    draw = random.Random(7)
    (found, _), sizes = probed(lambda t, place, size: ANSWERS[t] if place < 4 else draw.choice(VALUES))
    assert (found.facts_per_call, found.right) == (4, 32)
    assert sizes.count(4) == 16


def test_a_larger_call_may_be_two_verdicts_less_right_than_one_by_one_and_no_more():
    for worse, facts in ((2, 4), (3, 1)):
        bad = set(list(ANSWERS)[3::9][:worse])

        def answer(text, place, size, bad=bad):
            if size == 16:
                return VALUES[place % 3]
            return wrong(text) if size == 4 and text in bad else ANSWERS[text]

        assert probed(answer)[0].found.facts_per_call == facts


@pytest.mark.parametrize(("right", "reliable"), [(20, True), (19, False)])
def test_a_model_with_fewer_than_20_right_is_warned_of(right, reliable):
    good = set(list(ANSWERS)[:right])
    (found, _), _ = probed(lambda text, place, size: ANSWERS[text] if text in good else wrong(text))
    assert (found.right, found.reliable) == (right, reliable)
    assert ("not reliable" in str(found)) != reliable


def test_a_model_that_gives_no_verdict_at_all_is_an_error_with_the_reason():
    llm = ScriptedLLM(lambda prompt, schema: UnusableReplyError("the reply is empty"))
    with pytest.raises(LLMError, match="the reply is empty"):
        probing.probe(llm, Config(model="scripted"))
    down = ScriptedLLM(lambda prompt, schema: ProviderError("status 503"))
    with pytest.raises(LLMError, match="status 503"):
        probing.probe(down, Config(model="scripted"))
    assert len(down.calls) == 1


def test_where_silence_has_no_answer_false_is_right_for_it():
    (found, _), _ = probed(lambda t, p, s: "True" if ANSWERS[t] == "True" else "False", mode="tf")
    assert (found.facts_per_call, found.right) == (32, 32)


@pytest.mark.parametrize(
    "settings",
    [{"atoms_per_call": 8}, {"form": "word"}, {"judge": "embedded"}],
    ids=["by hand", "one by one", "another judge"],
)
def test_nothing_is_probed_where_the_settings_say_how_many(settings):
    assert probing.prober_of(Config(model="openai/m")) is not None
    assert probing.prober_of(Config(model="openai/m", **settings)) is None


@pytest.mark.parametrize(
    ("facts", "calls", "completion"), [(32, 10, 10 * 100), (16, 20, 20 * 64), (1, 250, 500)]
)
def test_the_bill_of_an_answer_follows_from_what_one_call_took(facts, calls, completion):
    found = probing.Probe(facts_per_call=facts, form="tool", right=30, changed=0, asked=32)
    pace = probing.Pace(min(facts, 16), 0.5, 700.0, 2.0 if facts == 1 else 64.0)
    taken = probing.bill(probing.Probed(found, pace), Config(model="nobody/knows"), atoms=25, passages=10)
    assert (taken.calls, taken.completion_tokens, taken.cost) == (calls, completion, None)
    assert taken.prompt_tokens >= calls * 700
    assert str(taken).startswith(f"{calls} calls, ")


def test_a_probe_s_calls_are_counted_apart_and_said_while_they_are_waited_for():
    meter, told = Meter(), []
    with meter.stage("evaluator"), told_of_waiting(told.append):
        probed(lambda text, place, size: ANSWERS[text])
    assert told[:2] == ["the probe of the model, call 1: how many facts it judges at once", ""]
    assert (len(told), told[-1]) == (4 * 2, "")
    assert meter.usage["probe"].calls == 4
    assert meter.usage["evaluator"] == Usage()
