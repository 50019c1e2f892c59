"""Texts in a page: what is kept of long ones, places in the browser's units, corrected answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.report.texts import WHOLE, QuotedText, corrected, segments, utf16
from factreasoner.tasks.verify.result import VerifiedText, VerifyResult
from factreasoner.text.sentences import Span


def in_browser(text, start, end):
    """What a browser's `text.slice(start, end)` gives."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def test_short_passage_is_kept_whole():
    text, quote = "😀 A 😀 bridge opened in 1932. 😀", "bridge OPENED  in 1932"
    passage = QuotedText(text, [quote, "It closed", ""])
    assert passage.shown == text
    assert [QuotedText("a" * length, ()).is_cut for length in (WHOLE, WHOLE + 1)] == [False, True]
    assert in_browser(text, *passage.place(quote)) == "bridge opened in 1932"
    assert {passage.place(quote) for quote in ("It closed", "", "another")} == {None}


@pytest.mark.parametrize("length", [30_000, 600_000])
def test_long_passage_keeps_start_and_quotes(length):
    quotes = ["the second quote", "the first quote"]
    text = "a" * length + f"😀 {quotes[1]} " + "b" * length + quotes[0] + "c" * length
    passage = QuotedText(text, quotes)
    assert len(passage.shown) < 9_000
    assert passage.shown.count("characters not shown") == 3
    assert [in_browser(passage.shown, *passage.place(quote)) for quote in quotes] == quotes


texts = st.text(alphabet="ab 😀é", max_size=30)


@given(texts, st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32)), max_size=5))
def test_segments_reproduce_text_and_overlaps(text, spans):
    places = [(number, Span(*span)) for number, span in enumerate(spans)]
    pieces = segments(text, places)
    assert "".join(piece for piece, _ in pieces) == text
    at = 0
    for piece, over in pieces:
        for position in range(at, at + len(piece)):
            assert over == [n for n, (a, b) in enumerate(spans) if 0 <= a <= position < b <= len(text)]
        at += len(piece)


@given(texts)
def test_lengths_are_those_of_a_browser(text):
    assert utf16(text) == len(text.encode("utf-16-le")) // 2


def sides(before, after):
    result = VerifyResult(record_id="r", status="ok", response=before, revised=VerifiedText(text=after))
    found = corrected(result)
    return found["before"], found["after"]


def test_removed_sentence_is_marked_as_a_whole():
    before, after = sides("It is old [1]. It is tall [1]. It is red.", "It is old [1]. It is red.")
    assert before == [("same", "It is old [1]. "), ("del", "It is tall [1]. "), ("same", "It is red.")]
    assert after == [("same", "It is old [1]. "), ("same", "It is red.")]


def test_a_rewritten_sentence_shows_the_words_that_changed():
    before, after = sides("It opened in 1930. It is red.", "It opened in May 1932. It is red.")
    assert before == [("same", "It opened in "), ("del", "1930. "), ("same", "It is red.")]
    assert after == [("same", "It opened in "), ("ins", "May 1932. "), ("same", "It is red.")]


def test_frequent_words_around_a_change_stay_equal():
    before, after = sides(
        "In May the dam of the river broke in two.", "In May a dam of the river broke in two."
    )
    assert before == [("same", "In May "), ("del", "the "), ("same", "dam of the river broke in two.")]
    assert after == [("same", "In May "), ("ins", "a "), ("same", "dam of the river broke in two.")]


def test_a_text_that_repeats_itself_is_compared_too():
    looped = "the same words " * 600
    before, after = sides(f"Once {looped}", f"Now {looped}")
    assert (before[0], after[0]) == (("del", "Once "), ("ins", "Now "))
    repeated = "It is. It was. " * 1500
    before, _ = sides(f"Begin. {repeated}It is. It has. {repeated}", f"Begin. {repeated}It is. {repeated}")
    assert sum(len(piece) for kind, piece in before if kind == "del") == len("It has. ")


@pytest.mark.parametrize("copies", [1, 3000])
def test_long_texts_are_compared_too(copies):
    text = "One two. Three four.\n" * copies
    before, after = sides(text + "End.", text + "Finis.")
    assert before == [("same", text), ("del", "End.")]
    assert after == [("same", text), ("ins", "Finis.")]
    assert sides(text + "End.", text)[1] == sides("Begin. " + text, text)[1] == [("same", text)]


def test_many_rewritten_sentences_are_compared_in_pairs():
    before, after = sides(
        *("".join(f"- Item {n} opened in {year}.\n" for n in range(800)) for year in (1930, 1932))
    )
    assert before[:3] == [
        ("same", "- Item 0 opened in "),
        ("del", "1930.\n"),
        ("same", "- Item 1 opened in "),
    ]
    assert (len(before), len(after)) == (1600, 1600)


def test_long_rewritten_part_is_shown_whole():
    rewritten = "".join(f"Item {n} is gone. " for n in range(2000))
    before, after = sides(f"It is red. {rewritten}", "It is red. Item 7 is gone, too.")
    assert before == [("same", "It is red. "), ("del", rewritten)]
    assert after == [("same", "It is red. "), ("ins", "Item 7 is gone, too.")]


words = st.lists(st.sampled_from(["a", "b", "a.", " ", "\n", "[1]"]), max_size=12).map("".join)


@given(words, words)
def test_comparison_loses_no_text(one, other):
    before, after = sides(one, other)
    assert "".join(piece for _, piece in before) == one
    assert "".join(piece for _, piece in after) == other
    same = [[piece for kind, piece in side if kind == "same"] for side in (before, after)]
    assert same[0] == same[1]


def test_quotes_that_overlap_are_kept_as_one_stretch():
    text = "a" * 30_000 + "it opened in 1932 and closed" + "b" * 30_000
    passage = QuotedText(text, ["it opened in 1932", "1932 and closed"])
    assert passage.shown.count("characters not shown") == 2
    assert in_browser(passage.shown, *passage.place("1932 and closed")) == "1932 and closed"


def test_unverified_answer_has_no_corrected_text():
    assert corrected(VerifyResult(record_id="r", status="failed", response="x")) is None
