"""One new text an item, by position. The reviser's and the query builder's tests go through it as well."""

import pytest

from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim
from factreasoner.models.messages import Prompt
from factreasoner.pipeline.config import Config

ITEMS = [Claim("x", "one"), Claim("y", "two"), Claim("z", "two")]
GOOD = {"word_0": "ONE", "word_1": "TWO", "word_2": "too"}


def rewrite(*script):
    """What becomes of the items where their own words are a problem."""
    same = Rewriting("stage", "f", "Do it.", "word", "form", lambda a, b: "the same" if a == b else None)
    return Rewriter(same, ScriptedLLM(script), Config(max_attempts=2)).rewrite(
        Prompt(name="p", user="u"), ITEMS
    )


@pytest.mark.parametrize(
    ("value", "why"), [("two", "the same"), ("", "empty"), (None, "None is not of type 'string'")]
)
def test_bad_rewrite_is_retried_then_fails(value, why):
    bad = GOOD | {"word_1": value}
    assert rewrite(bad, {"word_1": " T W \n O"}) == ["ONE", "T W O", "too"]
    first, failure, last = rewrite(bad, bad)
    assert (first, last) == ("ONE", "too")
    assert (failure.stage, failure.item_id, failure.attempts) == ("stage", "y", 2)
    assert failure.message == f"no usable form: {why}"
