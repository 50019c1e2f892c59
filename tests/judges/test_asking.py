"""Asking about claims: batches, what a reply says of each claim, and where its probability comes from."""

import math
import threading

import pytest

from factreasoner import ScriptedLLM
from factreasoner.errors import ProviderError
from factreasoner.judges import asking, functions
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.ask import NoResult
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Chances, Reply
from factreasoner.pipeline.config import Config

PREMISE = Premise("c0", "The library opens at nine.")


def claims(n):
    return [Claim(f"a{i}", f"Statement number {i}.") for i in range(n)]


def judge(script, **settings):
    llm = ScriptedLLM(script)
    return LLMJudge(llm, Config(model="scripted", **settings)), llm


def saying(word):
    return lambda prompt, schema: dict.fromkeys(schema.arguments, word)


def answered(mode="tfn", *, verbal=False, **arguments):
    """What a reply of these arguments says of two claims."""
    inquiry = functions.inquiry(mode, verbal=verbal)
    reply, schema = Reply(arguments=arguments), inquiry.build(claims(2))
    return [asking.read_answer(reply, schema, f"fact_{n}", inquiry.label_of, Config()) for n in (0, 1)]


@pytest.mark.parametrize(("n", "calls"), [(0, 0), (1, 1), (32, 1), (33, 2), (100, 4)])
def test_claims_are_batched_by_size(n, calls):
    j, llm = judge(saying("True"))
    judged = j.judge(PREMISE, claims(n))
    assert len(llm.calls) == calls
    assert [v.target_id for v in judged.verdicts] == [f"a{i}" for i in range(n)]
    assert not judged.failures


def test_batch_shrinks_when_the_answer_would_not_fit():
    j, llm = judge(saying("True"), max_tokens=200)
    j.judge(PREMISE, claims(32))
    assert len(llm.calls) == math.ceil(32 / j.claims_per_call)
    assert 1 <= j.claims_per_call < 32


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("Not clear from the given passage ", "neutral"),
        (True, "entailment"),
        (" TRUE ", "entailment"),
        ("false", "contradiction"),
        *((value, None) for value in (None, "Maybe", "", 1, ["True"], "True, mostly", ...)),
    ],
)
def test_spellings_are_accepted_and_unusable_answers_isolated(value, label):
    given = {"fact_1": "True"} if value is ... else {"fact_1": "True", "fact_0": value}
    first, second = answered(**given)
    assert isinstance(first, NoResult) if label is None else first.label == label
    assert second.label == "entailment"


def test_not_clear_is_unanswered_in_two_labels():
    assert isinstance(answered("tf", fact_0="Not clear")[0], NoResult)


@pytest.mark.parametrize("certainty", [101, -1, "90", 0.5, None])
def test_unusable_certainty_is_a_problem(certainty):
    given = {"fact_0": "True", "fact_0_certainty": certainty, "fact_1": "True", "fact_1_certainty": 70}
    unusable, usable = answered(verbal=True, **given)
    assert isinstance(unusable, NoResult)
    assert (usable.probability, usable.confidence) == (0.7, "verbal")


@pytest.mark.parametrize(
    ("mode", "label"), [("tf", "neutral"), ("tf_citation", "neutral"), ("tfn", "contradiction")]
)
def test_false_contradicts_only_with_a_third_label(mode, label):
    j, _ = judge(saying("False"), mode=mode)
    verdicts = j.judge(PREMISE, claims(3)).verdicts
    assert {(v.label, v.probability, v.confidence) for v in verdicts} == {(label, 0.9, "constant")}


def with_logprobs(mass, name="fact_0"):
    chances = Chances(probabilities={"True": 0.75, "False": 0.25, "Not clear": 0.0}, mass=mass)
    return lambda prompt, schema: Reply(arguments={"fact_0": "True"}, chances={name: chances})


@pytest.mark.parametrize("confidence", ["auto", "logprobs"])
def test_logprobs_are_used_and_kept_in_verdicts(confidence):
    j, llm = judge(with_logprobs(0.9), confidence=confidence)
    (verdict,) = j.judge(PREMISE, claims(1)).verdicts
    assert llm.calls[0].logprobs
    assert (verdict.probability, verdict.confidence, verdict.label_mass) == (0.75, "logprobs", 0.9)
    assert verdict.label_probabilities == {"True": 0.75, "False": 0.25, "Not clear": 0.0}


@pytest.mark.parametrize(
    ("mode", "mass", "found"),
    [
        ("tfn", 0.9, ("contradiction", 0.65)),
        ("tfn", None, ("entailment", 0.3)),  # without alternatives the rest is shared out
        ("tfn_reasoning", 0.9, ("entailment", 0.3)),
    ],
)
def test_label_is_the_likeliest_unless_explained(mode, mass, found):
    chances = Chances(probabilities={"True": 0.3, "False": 0.65, "Not clear": 0.05}, mass=mass)
    reply = {"fact_0": "True"} | ({} if mode == "tfn" else {"fact_0_reasoning": "It says so."})
    j, _ = judge(lambda prompt, schema: Reply(arguments=reply, chances={"fact_0": chances}), mode=mode)
    (verdict,) = j.judge(PREMISE, claims(1)).verdicts
    assert (verdict.label, verdict.probability) == found


@pytest.mark.parametrize(("name", "mass"), [("fact_0", 0.4), ("fact_1", None)])
def test_low_label_mass_gives_no_confidence(name, mass, caplog):
    asking.warn_of.cache_clear()
    j, _ = judge(with_logprobs(mass, name))
    for _ in range(2):
        (verdict,) = j.judge(PREMISE, claims(1)).verdicts
        assert (verdict.label, verdict.probability, verdict.confidence) == ("entailment", 0.9, "constant")
        assert verdict.label_mass == mass
    assert len(caplog.records) == 1


def test_missing_required_logprobs_are_a_failure():
    j, _ = judge(saying("True"), confidence="logprobs")
    judged = j.judge(PREMISE, claims(1))
    assert judged.verdicts == ()
    assert "`confidence='auto'`" in judged.failures[0].message


def voting(monkeypatch, *votes):
    monkeypatch.setattr(asking, "VOTES", len(votes))
    lock, left = threading.Lock(), list(votes)

    def script(prompt, schema):
        with lock:
            vote = left.pop()
        return {"fact_0": vote} if isinstance(vote, str) else vote

    return judge(script, confidence="votes")


def test_votes_take_the_share_of_the_majority(monkeypatch):
    j, llm = voting(monkeypatch, "True", "False", "True", "True")
    verdict = j.judge(PREMISE, claims(1)).verdicts[0]
    assert (verdict.label, verdict.probability, verdict.confidence) == ("entailment", 0.75, "votes")
    assert sorted(call.sample for call in llm.calls) == [1, 2, 3, 4]


@pytest.mark.parametrize(("votes", "lost", "known"), [(5, 2, 1), (5, 3, 0), (4, 1, 1), (4, 2, 0)])
def test_votes_need_an_answering_majority(monkeypatch, votes, lost, known):
    j, _ = voting(monkeypatch, *["True"] * (votes - lost), *[ProviderError("HTTP 500")] * lost)
    judged = j.judge(PREMISE, claims(1))
    assert [v.label for v in judged.verdicts] == ["entailment"] * known
    assert [f.item_id for f in judged.failures] == ["c0->a0"] * (1 - known)
