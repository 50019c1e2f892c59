"""An answer beside its corrected text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.report.corrected import corrected
from factreasoner.tasks.verify.result import VerifiedText, VerifyResult


def sides(before, after):
    result = VerifyResult(record_id="r", status="ok", response=before, revised=VerifiedText(text=after))
    found = corrected(result)
    return found["before"], found["after"]


def test_a_removed_sentence_is_marked_whole_though_its_neighbours_end_alike():
    before, after = sides("It is old [1]. It is tall [1]. It is red.", "It is old [1]. It is red.")
    assert before == [("same", "It is old [1]. "), ("del", "It is tall [1]. "), ("same", "It is red.")]
    assert after == [("same", "It is old [1]. "), ("same", "It is red.")]


def test_a_rewritten_sentence_shows_the_words_that_changed():
    before, after = sides("It opened in 1930. It is red.", "It opened in May 1932. It is red.")
    assert before == [("same", "It opened in "), ("del", "1930."), ("same", " It is red.")]
    assert after == [("same", "It opened in "), ("ins", "May 1932."), ("same", " It is red.")]


@pytest.mark.parametrize("copies", [1, 3000])
def test_long_texts_are_compared_too(copies):
    text = "One two. Three four.\n" * copies
    before, after = sides(text + "End.", text + "Finis.")
    assert "".join(piece for _, piece in before) == text + "End."
    assert ("del", "End.") in before
    assert ("ins", "Finis.") in after


words = st.lists(st.sampled_from(["a", "b", "a.", " ", "\n", "[1]"]), max_size=12).map("".join)


@given(words, words)
def test_nothing_is_lost_and_what_is_the_same_is_the_same(one, other):
    before, after = sides(one, other)
    assert "".join(piece for _, piece in before) == one
    assert "".join(piece for _, piece in after) == other
    same = [[piece for kind, piece in side if kind == "same"] for side in (before, after)]
    assert same[0] == same[1]
