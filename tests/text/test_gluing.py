"""Where a sentence follows another without a blank."""

import re

import pytest

from factreasoner.text.gluing import is_glued, opening_marks


@pytest.mark.parametrize(
    ("before", "behind", "glued"),
    [
        ("It is tall.", "The light works.", True),
        ("It is **tall**.**", "However, not now.", True),
        ("It is tall.\u2060\u2060", "The light works.", True),
        ("It is tall [1]", "The light works.", True),
        ("Ask the U.S.", "The light works.", False),
        ("See is_tall.", "Theory is a module.", False),
        ("It is tall", "The light works.", False),
    ],
)
def test_a_stop_behind_a_word_and_a_word_that_begins_many_sentences_are_needed(before, behind, glued):
    assert is_glued(before + behind, len(before)) == glued


@pytest.mark.parametrize(
    ("text", "length"), [("It is.**", 2), ("**It is.**", 0), ("*It* **is**.***", 3), ("It is.~~", 2)]
)
def test_marks_open_what_follows_where_none_is_open(text, length):
    stop = re.search(r"\.(?P<closed>\W*)", text)
    assert stop is not None
    assert opening_marks(text, 0, stop) == length
