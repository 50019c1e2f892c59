"""The LLM judge: batching, re-asking, and what a failure becomes."""

import math
import threading

import pytest

from factreasoner import ScriptedLLM
from factreasoner.errors import ProviderError
from factreasoner.judges import faaf
from factreasoner.judges.llm import LLMJudge
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Chances, Reply
from factreasoner.settings import Config

PREMISE = Premise("c0", "The library opens at nine.", others=("It opens at ten.",), title="Library")


def claims(n):
    return [Claim(f"a{i}", f"Statement number {i}.") for i in range(n)]


def by_text(answer):
    """A script that answers each argument by the claim it describes."""

    def script(prompt, schema):
        answers = {name: answer(schema.items.get(name, "")) for name in schema.arguments}
        return {name: value for name, value in answers.items() if value is not ...}

    return script


def judge(script, **settings):
    llm = ScriptedLLM(script)
    return LLMJudge(llm, Config(model="scripted", **settings)), llm


@pytest.mark.parametrize(("n", "calls"), [(1, 1), (32, 1), (33, 2), (100, 4)])
def test_calls_are_the_claims_over_the_batch_size_rounded_up(n, calls):
    j, llm = judge(by_text(lambda text: "True"))
    judged = j.judge(PREMISE, claims(n))
    assert len(llm.calls) == calls == len(j.requests(PREMISE, claims(n)))
    assert [v.target_id for v in judged.verdicts] == [f"a{i}" for i in range(n)]
    assert not judged.failures


def test_batch_shrinks_when_the_answer_would_not_fit():
    j, llm = judge(by_text(lambda text: "True"), max_tokens=200)
    j.judge(PREMISE, claims(32))
    assert len(llm.calls) == math.ceil(32 / j.claims_per_call)
    assert 1 <= j.claims_per_call < 32


def test_no_claims_no_call():
    j, llm = judge([])
    assert j.judge(PREMISE, []).verdicts == ()
    assert llm.calls == []


def test_labels_and_constant_confidence():
    answers = {"Statement number 0.": "True", "Statement number 1.": "False"}
    j, _ = judge(by_text(lambda text: answers.get(text, "Not clear from the given passage")))
    verdicts = j.judge(PREMISE, claims(3)).verdicts
    assert [v.label for v in verdicts] == ["entailment", "contradiction", "neutral"]
    assert {(v.probability, v.confidence) for v in verdicts} == {(0.9, "constant")}


def test_a_claim_answered_at_the_second_time_gets_that_verdict():
    seen = []

    def answer(text):
        seen.append(text)
        return ... if text == "Statement number 1." and seen.count(text) == 1 else "False"

    j, llm = judge(by_text(answer))
    judged = j.judge(PREMISE, claims(3))
    assert [v.label for v in judged.verdicts] == ["contradiction"] * 3
    assert [v.target_id for v in judged.verdicts] == ["a0", "a1", "a2"]
    assert len(llm.calls) == 2
    assert not judged.failures


def test_a_claim_cut_alone_fails_and_names_the_limit():
    j, llm = judge(lambda p, s: Reply(arguments={}, truncated=True), max_attempts=3)
    judged = j.judge(PREMISE, claims(1))
    assert "--max-tokens" in judged.failures[0].message
    assert len(llm.calls) == 2


def test_verbal_confidence():
    j, _ = judge([{"fact_0": "True", "fact_0_certainty": 65}], confidence="verbal")
    verdict = j.judge(PREMISE, claims(1)).verdicts[0]
    assert (verdict.probability, verdict.confidence) == (0.65, "verbal")


def logprob_reply(schema, p, mass=0.9):
    chances = Chances(probabilities={"True": p, "False": 1 - p, "Not clear": 0.0}, mass=mass)
    return Reply(arguments={"fact_0": "True"}, text="True", chances={"fact_0": chances})


def test_the_chances_of_every_label_and_their_mass_stand_beside_the_verdict():
    j, _ = judge(lambda p, s: logprob_reply(s, 0.75))
    (verdict,) = j.judge(PREMISE, claims(1)).verdicts
    assert verdict.label_probabilities == {"True": 0.75, "False": 0.25, "Not clear": 0.0}
    assert verdict.label_mass == 0.9


def test_labels_without_half_of_the_mass_are_no_confidence_and_that_is_said_once(caplog):
    faaf.warn_of_mass.cache_clear()
    j, _ = judge(lambda p, s: logprob_reply(s, 0.75, mass=0.4))
    for _ in range(2):
        (verdict,) = j.judge(PREMISE, claims(1)).verdicts
        assert (verdict.probability, verdict.confidence, verdict.label_mass) == (0.9, "constant", 0.4)
    assert len(caplog.records) == 1


def test_one_fact_is_asked_by_the_measured_prompt_with_six_examples_two_of_each_label():
    j, llm = judge(by_text(lambda text: "True"))
    j.judge(PREMISE, claims(1))
    prompt = llm.calls[0].prompt
    assert prompt.system.startswith("You check a fact against a passage. Find first what the passage says")
    answers = [answer for example in prompt.examples for answer in example.arguments.values()]
    assert sorted(answers) == ["False"] * 2 + ["Not clear"] * 2 + ["True"] * 2
    assert len({example.user for example in prompt.examples}) == 2


def test_many_facts_are_asked_with_examples_of_two_sizes_which_answer_as_the_mode_wants():
    for mode in ("tf", "tfn", "tf_citation", "tfn_reasoning"):
        j, llm = judge(by_text(lambda text: "True"), mode=mode, confidence="verbal")
        j.judge(PREMISE, claims(3))
        call = llm.calls[0]
        assert [len(example.items) for example in call.prompt.examples] == [2, 6]
        for example in call.prompt.examples:
            asked = [Claim(name, text) for name, text in example.items.items()]
            schema = faaf.inquiry(mode, verbal=True).build(asked)
            assert tuple(example.arguments) == schema.arguments
            assert not any(schema.problem(name, example.arguments) for name in schema.arguments)
            quotes = [q for name, q in example.arguments.items() if name.endswith("_citation")]
            assert all(quote in example.user for quote in quotes)


@pytest.mark.parametrize("confidence", ["auto", "logprobs"])
def test_logprobs_are_asked_for_and_used(confidence):
    j, llm = judge(lambda p, s: logprob_reply(s, 0.75), confidence=confidence)
    verdict = j.judge(PREMISE, claims(1)).verdicts[0]
    assert llm.calls[0].logprobs
    assert verdict.probability == pytest.approx(0.75)
    assert verdict.confidence == "logprobs"


def test_logprobs_demanded_but_not_given_is_a_failure_not_a_constant():
    j, _ = judge(by_text(lambda text: "True"), confidence="logprobs")
    judged = j.judge(PREMISE, claims(1))
    assert judged.verdicts == ()
    assert "--confidence auto" in judged.failures[0].message


def test_votes_take_the_share_of_the_majority():
    lock, left = threading.Lock(), ["True", "False", "True", "True"]

    def script(prompt, schema):
        with lock:
            return {"fact_0": left.pop()}

    j, llm = judge(script, confidence="votes", votes=4)
    verdict = j.judge(PREMISE, claims(1)).verdicts[0]
    assert (verdict.label, verdict.probability, verdict.confidence) == ("entailment", 0.75, "votes")
    assert sorted(call.sample for call in llm.calls) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("votes", "lost", "label"),
    [(5, 2, "entailment"), (5, 3, None), (4, 1, "entailment"), (4, 2, None)],
)
def test_votes_need_an_answering_majority(votes, lost, label):
    lock, failures = threading.Lock(), [ProviderError("HTTP 500")] * lost

    def script(prompt, schema):
        with lock:
            return failures.pop() if failures else {"fact_0": "True"}

    j, _ = judge(script, confidence="votes", votes=votes)
    judged = j.judge(PREMISE, claims(1))
    assert [v.label for v in judged.verdicts] == ([label] if label else [])
    assert [f.item_id for f in judged.failures] == ([] if label else ["c0->a0"])


@pytest.mark.parametrize(
    ("quote", "citation", "kept"),
    [
        ("opens at NINE", "found", "opens at NINE"),
        ("opens at ten", "elsewhere", "opens at ten"),
        ("closed on Mondays", "absent", None),
    ],
)
def test_citations_are_checked(quote, citation, kept):
    j, _ = judge([{"fact_0_citation": quote, "fact_0": "True"}], mode="tfn_citation")
    verdict = j.judge(PREMISE, claims(1)).verdicts[0]
    assert (verdict.citation, verdict.quote) == (citation, kept)


def test_the_title_is_part_of_what_the_model_reads():
    j, llm = judge(by_text(lambda text: "True"))
    j.judge(PREMISE, claims(1))
    assert "Library\nThe library opens at nine." in llm.calls[0].prompt.user


@pytest.mark.parametrize(
    ("mode", "label"),
    [
        ("tf", "neutral"),
        ("tf_citation", "neutral"),
        ("tfn", "contradiction"),
        ("tfn_citation", "contradiction"),
    ],
)
def test_false_is_a_contradiction_only_where_silence_has_an_answer_of_its_own(mode, label):
    j, _ = judge(lambda prompt, schema: dict.fromkeys(schema.arguments, "False"), mode=mode)
    assert {verdict.label for verdict in j.judge(PREMISE, claims(3)).verdicts} == {label}
