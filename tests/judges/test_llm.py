"""The judge that is a language model: what it is asked of one fact and of many, and what a verdict quotes."""

import pytest

from factreasoner import ScriptedLLM
from factreasoner.judges.encoder.bundled.windows import WORDS
from factreasoner.judges.llm import LLMJudge
from factreasoner.models import Claim, Part, Premise
from factreasoner.pipeline.config import Config

PREMISE = Premise("c0", "The library opens at nine.", others=("It opens at ten.",), title="Library")


def judged(answer, premise=PREMISE, **settings):
    """The verdict on one claim, and what was asked."""
    llm = ScriptedLLM([answer])
    judge = LLMJudge(llm, Config(model="scripted", **settings))
    (verdict,) = judge.judge(premise, [Claim("a0", "It opens early.")]).verdicts
    return verdict, llm.calls[0]


def test_single_fact_prompt_has_six_examples():
    _, call = judged({"fact_0": "True"})
    assert call.prompt.system.startswith("You check a fact against a passage. Find first what the passage")
    assert "Library\nThe library opens at nine." in call.prompt.user
    answers = [answer for example in call.prompt.examples for answer in example.arguments.values()]
    assert sorted(answers) == ["False"] * 2 + ["Not clear"] * 2 + ["True"] * 2
    shown = [bool(example.user) for example in call.prompt.examples]
    assert shown == [True, False, False] * 2


@pytest.mark.parametrize(
    ("quote", "citation", "kept"),
    [
        ("the  LIBRARY\nopens", "found", "the  LIBRARY\nopens"),
        ("opens at ten", "elsewhere", "opens at ten"),
        ("closed on Mondays", "absent", None),
        ("   ", "absent", None),
        ("at n", "absent", None),
        ("pen", "absent", None),
        ("…", "absent", None),
    ],
)
def test_citations_are_checked(quote, citation, kept):
    verdict, _ = judged({"fact_0_citation": quote, "fact_0": "True"}, mode="tfn_citation")
    assert (verdict.citation, verdict.quote) == (citation, kept)
    assert verdict.quote_by == ("model" if kept else None)


HOURS = "The mill is old. It opens at nine on weekdays. On Sundays it opens at noon; dogs stay outside."
ENDLESS = " ".join(f"Word{n}" for n in range(300)) + " the bridge opened"


@pytest.mark.parametrize(
    ("text", "claim", "nearest"),
    [
        (HOURS, "On weekdays the mill opens at nine.", "It opens at nine on weekdays."),
        (HOURS, "Dogs must stay outside.", "On Sundays it opens at noon; dogs stay outside."),
        (HOURS, "Whales sing.", None),
        (HOURS, "It is.", None),
        ("Es ist alt. Die Mühle öffnet um neun.", "Die Mühle öffnet um zehn.", "Die Mühle öffnet um neun."),
        ("磨坊很旧。磨坊九点开门。狗在外面。", "磨坊九点开门", "磨坊九点开门。"),
        ("- Price: 5 euros\n- Open: 9 to 17", "It is open from 9 to 17.", "Open: 9 to 17"),
        ("| year | 1931 |\n\nThe mill opened.", "The mill opened.", "The mill opened."),
        ("Ada Roe came in 1815. She died in 1852.", "Ada Roe died in 1860.", "She died in 1852."),
        (ENDLESS, "The bridge opened.", "bridge opened"),
        ("", "The bridge opened.", None),
    ],
)
def test_without_citations_the_nearest_sentence_is_shown(text, claim, nearest):
    llm = ScriptedLLM([{"fact_0": "True"}, {"fact_0": "Not clear"}])
    judge = LLMJudge(llm, Config(model="scripted"))
    entailed, neutral = (judge.judge(Premise("c0", text), [Claim("a0", claim)]).verdicts[0] for _ in range(2))
    assert neutral.quote is neutral.quote_by is None
    assert (entailed.quote_by, entailed.citation) == ("nearest" if nearest else None, None)
    assert entailed.quote is None if nearest is None else nearest in entailed.quote
    assert len((entailed.quote or "").split()) <= WORDS


def test_nearest_sentence_comes_from_the_named_passage():
    parts = (Part("c0", "It opens at nine."), Part("c1", "The mill is open. It opens early in May."))
    premise = Premise("c0+c1", "", parts=parts)
    verdict, _ = judged({"fact_0_sources": "1", "fact_0": "True"}, premise)
    assert (verdict.quote, verdict.quote_by) == ("It opens at nine.", "nearest")
    verdict, _ = judged({"fact_0_sources": "2", "fact_0": "False"}, premise)
    assert verdict.quote == "It opens early in May."


@pytest.mark.parametrize(
    ("mode", "value", "label", "note"),
    [
        ("tf", "False", "neutral", "the model said False, which may mean silence or a contradiction"),
        ("tf", "True", "entailment", ""),
        ("tfn", "False", "contradiction", ""),
        ("tfn", "Not clear", "neutral", ""),
    ],
)
def test_ambiguous_false_verdict_carries_a_note(mode, value, label, note):
    verdict, _ = judged({"fact_0": value}, mode=mode)
    assert (verdict.label, verdict.note) == (label, note)


@pytest.mark.parametrize(
    ("value", "sources", "rests_on"),
    [("True", "2", ("c1",)), ("False", [2, 1, 2], ("c1", "c0")), ("True", "9", ())],
)
def test_a_verdict_rests_on_named_passages_alone(value, sources, rests_on):
    parts = (Part("c0", "It opens at nine."), Part("c1", "It opens at ten."))
    premise = Premise("c0+c1", "It opens at nine.\n\nIt opens at ten.", parts=parts)
    verdict, call = judged({"fact_0_sources": sources, "fact_0": value}, premise)
    assert verdict.rests_on == rests_on
    assert call.prompt.user.count("<given_source_") == 2
    assert "Source 2:\n" in call.prompt.user
