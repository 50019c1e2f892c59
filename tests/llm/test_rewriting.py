"""One new text an item, by position. The reviser's and the query builder's tests go through it as well."""

import pytest

from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim, Failure
from factreasoner.models.messages import Prompt, Reply
from factreasoner.settings import Config

PROMPT = Prompt(name="p", user="u")
ITEMS = [Claim("x", "one"), Claim("y", "two"), Claim("z", "two")]
GOOD = {"word_0": "ONE", "word_1": "TWO", "word_2": "too"}


def problem(original, text):
    return "the same" if text == original else None


def rewrite(script, **settings):
    """The texts, and of failures the stage, item, message and attempts."""
    rewriting = Rewriting("stage", "function", "Do it.", "word", "form", problem)
    rewriter = Rewriter(rewriting, ScriptedLLM(script), Config.model_validate({"max_attempts": 2} | settings))
    return [
        (item.stage, item.item_id, item.message, item.attempts) if isinstance(item, Failure) else item
        for item in rewriter.rewrite(PROMPT, ITEMS)
    ]


def test_texts_come_in_the_order_of_the_items_equal_ones_included():
    assert rewrite([dict(reversed(GOOD.items()))]) == ["ONE", "TWO", "too"]


def test_no_items_take_no_call():
    rewriting = Rewriting("stage", "function", "Do it.", "word", "form", problem)
    assert Rewriter(rewriting, ScriptedLLM([]), Config()).rewrite(PROMPT, []) == []


@pytest.mark.parametrize(
    ("value", "why"), [("two", "the same"), ("", "empty"), (None, "None is not of type 'string'")]
)
def test_a_text_with_a_problem_is_asked_for_again_then_a_failure(value, why):
    bad = GOOD | {"word_1": value}
    assert rewrite([bad, {"word_1": " T W \n O"}]) == ["ONE", "T W O", "too"]
    assert rewrite([bad, bad]) == ["ONE", ("stage", "y", f"no usable form: {why}", 2), "too"]


def test_a_cut_reply_is_halved_at_once():
    cut = Reply(arguments={}, truncated=True)
    halves = [{"word_0": "ONE", "word_1": "TWO"}, {"word_2": "too"}]
    assert rewrite([cut, *halves]) == ["ONE", "TWO", "too"]
