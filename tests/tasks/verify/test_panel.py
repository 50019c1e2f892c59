"""Several judges of claims against sources: the majority counts, a failure and a tie are said."""

import pytest

from factreasoner.errors import ConfigError
from factreasoner.llm.client import Panel
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom
from factreasoner.tasks.verify.task import verify

CLAIM = Atom(id="a0", text="The museum opened in 1932.", original="It opened in 1932 [1].")


def model(value):
    """A judge of one opinion; None: one that never answers, "refused": one whose key is wrong."""

    def answer(prompt, schema):
        if value == "refused":
            raise ConfigError("set the right key")
        if value is None:
            return {}
        said = {"fact_0_sources": "1", "fact_0_citation": "4 May 1932", "fact_0_reasoning": f"It is {value}."}
        return said | {"fact_0": value}

    return ScriptedLLM(answer)


def verified(*values):
    names = [f"m{n}" for n in range(len(values))]
    panel = Panel({name: model(value) for name, value in zip(names, values, strict=True)})
    sources = ["The museum opened on 4 May 1932."]
    given = {"sources": sources, "claims": [CLAIM], "rounds": 0, "cache": False}
    return verify("It opened in 1932 [1].", llm=panel, model=names, **given)


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (("True", "False", "True"), "supported"),
        (("False", "True", "False"), "contradicted"),
        (("False", "Not clear", "Not clear"), "unverified"),
    ],
)
def test_the_majority_stands_with_its_own_explanation(values, label):
    result = verified(*values)
    assert (result.status, result.claims[0].label) == ("ok", label)
    winner = {"supported": "True", "contradicted": "False", "unverified": "Not clear"}[label]
    assert result.claims[0].explanation == f"It is {winner}."
    assert [vote.judge for vote in result.verdicts[0].votes] == ["m0", "m1", "m2"]


def test_a_judge_that_fails_leaves_the_others_and_is_said():
    result = verified("True", None, "True")
    assert (result.status, result.claims[0].label) == ("partial", "supported")
    assert [failure.message.split(":")[0] for failure in result.failures] == ["m1"]


def test_a_judge_whose_key_is_wrong_leaves_the_others_and_is_said():
    result = verified("True", "refused", "True")
    assert (result.status, result.claims[0].label) == ("partial", "supported")
    (failure,) = result.failures
    assert (failure.item_id, failure.message) == ("c0->a0", "m1: set the right key")
    with pytest.raises(ConfigError, match="the right key"):
        verified("refused", "refused")


def test_a_tie_and_failures_of_all_leave_a_claim_unjudged():
    result = verified("True", "False")
    assert (result.claims[0].label, result.failures[0].error_type) == (None, "Tie")
    assert len(result.failures[0].votes) == 2
    assert verified(None, None).claims[0].label is None
