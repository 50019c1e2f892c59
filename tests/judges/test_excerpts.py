"""What calls show of long passages: windows that are about their claims, and that claims share."""

import pytest

from factreasoner import ScriptedLLM
from factreasoner.calls.usage import estimate_tokens
from factreasoner.judges.excerpts import GAP, TOKENS_A_CLAIM, excerpts
from factreasoner.judges.llm import LLMJudge
from factreasoner.models import Claim, Part, Premise
from factreasoner.pipeline.config import Config

FILLER = " ".join(
    f"Page {n} of the ledger lists barrels, ropes and sails bought that week." for n in range(40)
)
MILL, DOGS = "The mill opens at nine on weekdays.", "Dogs must stay outside the garden."
LONG = f"{FILLER} {MILL} {FILLER} {DOGS} {FILLER}"
CLAIMS = {
    "mill": Claim("a0", "On weekdays the mill opens at nine."),
    "dogs": Claim("a1", "Dogs stay outside the garden."),
    "whale": Claim("a2", "Blue whales sing loudest."),
    "mill again": Claim("a3", "The mill opens on weekdays."),
    "empty": Claim("a4", "It is."),
    "german": Claim("a5", "Die Mühle öffnet werktags um neun."),
}


def shown(passage, *names, claims_per_call=1):
    """(ids of the claims, text) of each excerpt."""
    asked = [CLAIMS[name] for name in names]
    found = excerpts(passage, asked, claims_per_call=claims_per_call)
    assert sorted(claim.id for one in found for claim in one.claims) == sorted(claim.id for claim in asked)
    return [(tuple(claim.id for claim in one.claims), one.text) for one in found]


def test_short_passages_are_shown_whole_to_all_claims():
    assert shown(MILL, "mill", "dogs", "whale") == [(("a0", "a1", "a2"), MILL)]


def test_a_claim_sees_its_windows_alone():
    ((_, text),) = shown(LONG, "mill")
    assert MILL in text
    assert DOGS not in text
    assert estimate_tokens(text) < 2 * TOKENS_A_CLAIM


def test_claims_that_share_windows_share_a_premise():
    found = shown(LONG, "mill", "dogs", "mill again")
    assert found[0][0][0] == "a0"
    assert next(ids for ids, _ in found if "a3" in ids) == next(ids for ids, _ in found if "a0" in ids)


def test_call_of_many_claims_shows_all_windows():
    ((_, text),) = shown(3 * f"{LONG} ", "mill", "dogs", "mill again", claims_per_call=32)
    assert MILL in text
    assert DOGS in text
    assert GAP in text
    assert estimate_tokens(text) < estimate_tokens(LONG)


@pytest.mark.parametrize("name", ["whale", "german", "empty"])
def test_a_claim_about_nothing_there_sees_everything(name):
    found = dict(shown(LONG, "mill", name))
    assert found[CLAIMS[name].id,] == LONG
    assert len(found["a0",]) < len(LONG) / 2


@pytest.mark.parametrize("passage", ["磨坊九点开门。狗在花园外面。" * 90, "word " * 3000, "\n" * 9000])
def test_odd_passages_lose_no_claim(passage):
    for ids, text in shown(passage, "mill", "dogs", "empty"):
        assert ids
        assert all(piece in passage for piece in text.split(GAP))


def test_several_passages_are_shown_whole():
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.arguments, "True"))
    judge = LLMJudge(llm, Config(model="scripted", atoms_per_call=1))
    parts = (Part("c0", FILLER), Part("c1", f"{FILLER} {DOGS}"), Part("c2", f"{MILL} {FILLER}"))
    premise = Premise("contexts", "\n\n".join(part.text for part in parts), parts=parts)
    found = judge.judge(premise, [CLAIMS["mill"], CLAIMS["dogs"]])
    assert [(v.target_id, v.rests_on, v.quote) for v in found.verdicts] == [
        ("a0", (), MILL),
        ("a1", (), DOGS),
    ]
    assert all(part.text in call.prompt.user for call in llm.calls for part in parts)


def test_nearest_sentence_is_verbatim_in_passage():
    items = "\n".join(f"item{n} weighs {n} grams and" for n in range(400))
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.arguments, "True"))
    judge = LLMJudge(llm, Config(model="scripted", atoms_per_call=1))
    claims = [Claim("a0", "item7 weighs 7 grams, and item389 weighs 389 grams.")]
    (verdict,) = judge.judge(Premise("c0", items), claims).verdicts
    assert GAP in llm.calls[0].prompt.user
    assert verdict.quote in items


def test_verdicts_keep_claim_order_and_failures_pairs():
    said = {"a0": "True", "a1": "False", "a2": "perhaps"}
    by_text = {claim.text: said.get(claim.id) for claim in CLAIMS.values()}

    def answer(prompt, schema):
        return {name: by_text[text] for name, text in schema.items.items()}

    judge = LLMJudge(ScriptedLLM(answer), Config(model="scripted", atoms_per_call=1, max_attempts=1))
    found = judge.judge(Premise("c0", LONG), [CLAIMS["whale"], CLAIMS["dogs"], CLAIMS["mill"]])
    assert [(v.target_id, v.label) for v in found.verdicts] == [("a1", "contradiction"), ("a0", "entailment")]
    assert [failure.item_id for failure in found.failures] == ["c0->a2"]
