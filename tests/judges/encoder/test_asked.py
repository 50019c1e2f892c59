"""A language model as a verifier: what it is asked, and P from the chances of its word."""

import math

import pytest
from fake_server import Completion, FakeServer

from factreasoner import assess
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.judges.encoder import VerifierJudge
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Chances, Reply
from factreasoner.settings import Config

PASSAGE = Premise("c", "The library opens at nine.\nIt closes at five.")


def said(word, yes, mass=1.0, form="word"):
    chances = {"answer": Chances(probabilities={"Yes": yes, "No": 1 - yes}, mass=mass)}
    return Reply(arguments={"answer": word}, form=form, chances=chances)


def judge(llm, **settings):
    given = {"judge": "verifier", "verifier": "bespoke-minicheck", "model": "m", "concurrency": 1} | settings
    return VerifierJudge(Config(**given), None, llm)


def test_the_model_s_own_words_and_p_of_yes():
    llm = ScriptedLLM([said("Yes", 0.96, 0.99), said("No", 0.2, 0.9)])
    judged = judge(llm).judge(PASSAGE, [Claim("a", "It opens at nine."), Claim("b", "It opens at ten.")])
    yes, no = judged.verdicts
    assert (yes.label, yes.probability) == ("entailment", pytest.approx(0.96 * 0.99))
    assert (no.label, no.probability) == ("neutral", pytest.approx(1 - 0.2 * 0.9))
    first = llm.calls[0]
    assert first.prompt.user == f"Document: {PASSAGE.text}\nClaim: It opens at nine."
    assert first.prompt.system.startswith("Determine whether the provided claim is consistent with the")
    assert first.prompt.system.endswith('by responding with either "Yes" or "No".')
    assert first.prompt.examples == ()
    assert first.logprobs
    assert first.schema.properties["answer"]["enum"] == ["Yes", "No"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(arguments={"answer": "Yes"}, form="word"), "NoLogprobs"),
        (said("Yes", 0.9, form="json_schema"), "AnotherForm"),
        (said("Yes", 0.9, mass=0.1), "LowMass"),
        (UnusableReplyError("prose"), "UnusableReplyError"),
    ],
)
def test_what_is_no_p_is_a_failure(reply, kind):
    judged = judge(ScriptedLLM([reply])).judge(PASSAGE, [Claim("a", "It opens at nine.")])
    assert [failure.error_type for failure in judged.failures] == [kind]


def test_without_a_model_the_remedy_is_named():
    with pytest.raises(ConfigError, match=r"'bespoke-minicheck' is a language model: add --model NAME"):
        judge(None, model=None)


def test_on_a_server_it_is_one_word_by_the_verifier_s_template_and_nothing_else(tmp_path):
    top = [("Yes", math.log(0.7)), (" yes", math.log(0.1)), ("No", math.log(0.15)), ("The", math.log(0.02))]
    answer = Completion(content="Yes", tokens=[("Yes", top[0][1], top)])
    with FakeServer(lambda request: answer) as server:
        found = assess(
            "It opens at nine.",
            contexts=[PASSAGE.text],
            judge="verifier",
            verifier="bespoke-minicheck",
            model="fake",
            api_base=server.url,
            atomizer="embedded",
            reviser="none",
            spacy_model="none",
            cache=False,
        )
    (verdict,) = found.outcome.verdicts
    assert (verdict.label, verdict.probability) == ("entailment", pytest.approx(0.8))
    (request,) = server.requests
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    system, user = (message["content"] for message in request.body["messages"])
    assert system.endswith('by responding with either "Yes" or "No".')
    assert user == f"Document: {PASSAGE.text}\nClaim: It opens at nine."
    assert request.body["max_tokens"] == 2
    assert not {"tools", "response_format"} & request.body.keys()
