"""How many facts a model bears at once: models whose errors are known."""

import random
import re

import pytest
from fake_server import (
    Completion,
    FakeServer,
    completion_of,
    cut,
    empty_choices,
    filtered,
    known_facts,
    prose,
    rate_limited,
    refused,
    sequence,
    server_error,
)

from factreasoner import ScriptedLLM
from factreasoner.calls.usage import Meter
from factreasoner.errors import LLMError, ProviderError, UnusableReplyError
from factreasoner.judges import probe as probing
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.llm import client as clients
from factreasoner.llm.ask import MOST_FACTS
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.send import waiting_listener
from factreasoner.models import Usage
from factreasoner.models.results import LEAST_PROBE_CALLS, MOST_PROBE_CALLS, PROBE_FACTS, PROBE_PASSAGES
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.pipeline.config import Config

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


def test_probe_cases_have_sixteen_facts_each():
    for case in probing.cases():
        assert len(case.facts) == len(set(case.facts)) == 16
        counts = [list(case.answers.values()).count(value) for value in VALUES]
        assert min(counts) >= 5


def test_capable_model_needs_four_calls():
    found, sizes = probed(lambda text, place, size: ANSWERS[text])
    assert (found.facts_per_call, found.right, found.changed, found.asked) == (32, 32, 0, 32)
    assert sizes == [16] * 4
    assert found.reliable


@pytest.mark.parametrize(("mistakes", "facts"), [(5, 32), (6, 16)])
def test_probe_needs_27_of_32_right(mistakes, facts):
    bad = set(list(ANSWERS)[:mistakes])
    found, _ = probed(lambda text, place, size: wrong(text) if text in bad else ANSWERS[text])
    assert (found.facts_per_call, found.right) == (facts, 32 - mistakes)


def test_position_biased_model_is_asked_one_by_one():
    def by_place(text, place, size):
        return ANSWERS[text] if size == 1 else VALUES[place % 2]

    found, sizes = probed(by_place)
    assert (found.facts_per_call, found.right, found.changed) == (1, 32, 0)
    assert sizes[:2] == [16, 16]  # the first passage shows it
    assert sizes.count(1) == 32
    assert sizes.count(4) <= 4


def test_probe_limits_weak_model_to_four_facts():
    draw = random.Random(7)
    found, sizes = probed(lambda t, place, size: ANSWERS[t] if place < 4 else draw.choice(VALUES))
    assert (found.facts_per_call, found.right) == (4, 32)
    assert sizes.count(4) == 16


def test_larger_call_may_lose_two_right_verdicts():
    for worse, facts in ((2, 4), (3, 1)):
        bad = set(list(ANSWERS)[3::9][:worse])

        def answer(text, place, size, bad=bad):
            if size == 16:
                return VALUES[place % 3]
            return wrong(text) if size == 4 and text in bad else ANSWERS[text]

        assert probed(answer)[0].facts_per_call == facts


@pytest.mark.parametrize(
    ("right", "reliable", "weak"), [(26, True, False), (25, True, True), (20, True, True), (19, False, True)]
)
def test_a_model_with_few_right_is_warned_of(right, reliable, weak):
    good = set(list(ANSWERS)[:right])
    found, _ = probed(lambda text, place, size: ANSWERS[text] if text in good else wrong(text))
    assert (found.right, found.reliable, found.weak) == (right, reliable, weak)
    assert ("a weak judge" in str(found)) == (weak and reliable)
    assert (found.chance, found.bundled) == (11, bundled_right())
    assert f"{right} of 32 test verdicts right (chance: 11, bundled judge: {found.bundled})" in str(found)
    assert ("do not rely on" in str(found)) != reliable


def bundled_right(label_of=LABEL_OF_VALUE.get):
    """How many facts of the probe the bundled judge gets right."""
    judge = VerifierJudge()
    judged = [(case, judge.judge(case.premise, case.facts).verdicts) for case in probing.cases()]
    return sum(v.label == label_of(case.answers[v.target_id]) for case, verdicts in judged for v in verdicts)


def test_probe_constants_match_its_cases():
    sizes = [len(case.facts) for case in probing.cases()]
    assert (len(sizes), set(sizes)) == (PROBE_PASSAGES, {PROBE_FACTS})
    assert (LEAST_PROBE_CALLS, MOST_PROBE_CALLS) == (4, 52)


def _first_fact(request):
    return dict(list(known_facts(request).items())[:1])


def _tires(most):
    """Answers so many requests, and then nothing."""
    return sequence(*[lambda request: known_facts(request)] * most, completion_of(content=""))


def _every_other(request):
    return known_facts(request) if request.number % 2 else prose()


THOUGHT = '{"fact_0": "True"}'
APART = completion_of(content="", reasoning_content=THOUGHT)
HOSTILE = {
    "empty": (completion_of(content=""), 4, "the reply is empty"),
    "no choices": (empty_choices(), 4, "the reply is empty"),
    "reasoning apart": (APART, 4, "the model put its answer into reasoning_content"),
    "prose": (prose(), 4, "the reply has no arguments, but: I would say"),
    "other values": ({f"fact_{n}": "banana" for n in range(16)}, 4, "banana"),
    "a draft alone": (Completion(content=f"<think>{THOUGHT}"), 4, "the reply has no arguments, but"),
    "two answers": (Completion(content='{"fact_0": "True"}\n{"fact_0": "False"}'), 4, "but:"),
    "refused": (refused(), 4, "the model refused: I'm sorry"),
    "filtered": (filtered(), 4, "content filter"),
    "cut": (cut(), 4, "the token limit cut off the reply"),
    "cut and empty": (cut(""), 4, "the token limit cut off the reply"),
}


@pytest.mark.parametrize("confidence", ["auto", "constant", "votes"])
@pytest.mark.parametrize("case", HOSTILE)
def test_four_equally_useless_replies_end_the_probe(tmp_path, case, confidence):
    answer, most, told = HOSTILE[case]
    with FakeServer(lambda request: answer, probed=False) as server:
        config = config_of(server, tmp_path, confidence=confidence)
        client = LiteLLMClient(config, prober=probing.prober_of(config))
        with pytest.raises(UnusableReplyError, match=re.escape(told)):
            probing.probe(client, config)
        assert server.calls == most
        assert client.facts_per_call == client.facts_per_call == MOST_FACTS
        assert server.calls == 2 * most  # the client's own, and no second one


@pytest.mark.parametrize("answer", [_first_fact, _tires(3), _tires(30), _tires(45), _every_other])
def test_probe_calls_never_exceed_the_plan(tmp_path, answer):
    with FakeServer(answer, probed=False) as server:
        config = config_of(server, tmp_path)
        try:
            found = probing.probe(LiteLLMClient(config), config)
        except UnusableReplyError:
            found = None
        assert server.calls <= MOST_PROBE_CALLS
        assert found is None or found.facts_per_call in (1, 4, 16, 32)
    if answer is _first_fact:
        assert (found.facts_per_call, found.right) == (1, 32)


def test_refusing_server_ends_the_probe(tmp_path):
    with FakeServer(lambda request: rate_limited(), probed=False) as server:
        config = config_of(server, tmp_path, patience=0.3)
        with pytest.raises(ProviderError, match="429"):
            probing.probe(LiteLLMClient(config), config)


def test_probe_waits_before_it_tries_again(tmp_path):
    with FakeServer(lambda request: server_error(), probed=False) as server:
        config = config_of(server, tmp_path, patience=0.0)
        client = LiteLLMClient(config, prober=probing.prober_of(config))
        found = [(client.facts_per_call, server.calls) for _ in range(9)]
        assert found == [(MOST_FACTS, server.calls)] * 9
        assert not client.settled


def test_a_second_try_has_what_the_first_left(tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "SECONDS_BETWEEN_PROBES", 0.0)
    answer = sequence(*[_first_fact] * 20, *[server_error()] * 9, _first_fact)
    with FakeServer(answer, probed=False) as server:
        config = config_of(server, tmp_path, patience=0.0)
        client = LiteLLMClient(config, prober=probing.prober_of(config))
        for _ in range(3):
            assert client.facts_per_call in (1, MOST_FACTS)
        assert server.calls <= MOST_PROBE_CALLS + 9


def config_of(server, folder, **settings):
    place = {"model": "fake", "api_base": server.url, "cache": False, "cache_dir": folder, "patience": 1.0}
    return Config(**place | settings)


def test_probe_without_verdicts_is_an_error():
    llm = ScriptedLLM(lambda prompt, schema: UnusableReplyError("the reply is empty"))
    with pytest.raises(LLMError, match="the reply is empty"):
        probing.probe(llm, Config(model="scripted"))
    down = ScriptedLLM(lambda prompt, schema: ProviderError("status 503"))
    with pytest.raises(LLMError, match="status 503"):
        probing.probe(down, Config(model="scripted"))
    assert len(down.calls) == 1


def test_false_is_right_for_silence_in_tf():
    found, _ = probed(lambda t, p, s: "True" if ANSWERS[t] == "True" else "False", mode="tf")
    assert (found.facts_per_call, found.right) == (32, 32)


@pytest.mark.parametrize(
    "settings",
    [{"atoms_per_call": 8}, {"form": "word"}, {"judge": "verifier"}],
    ids=["by hand", "one by one", "another judge"],
)
def test_explicit_batch_size_disables_the_probe(settings):
    assert probing.prober_of(Config(model="openai/m")) is not None
    assert probing.prober_of(Config(model="openai/m", **settings)) is None


def test_probe_calls_are_counted_separately():
    meter, told = Meter(), []
    with meter.stage("evaluator"), waiting_listener(told.append):
        probed(lambda text, place, size: ANSWERS[text])
    assert told[:2] == ["the probe of the model, call 1: how many facts it judges at once", ""]
    assert (len(told), told[-1]) == (4 * 2, "")
    assert meter.usage["probe"].calls == 4
    assert meter.usage["evaluator"] == Usage()
