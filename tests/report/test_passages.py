"""Texts in a page: what is kept of long ones, and places in the browser's units."""

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.report.embedding import json_text
from factreasoner.report.passages import Passage, segments, utf16
from factreasoner.text.sentences import Span


def in_browser(text, start, end):
    """What a browser's `text.slice(start, end)` gives."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def test_a_short_passage_is_kept_whole_and_its_quote_found_beyond_the_first_plane():
    text = "😀 A 😀 bridge opened in 1932. 😀"
    passage = Passage(text)
    span = passage.locate("bridge OPENED  in 1932")
    cut = passage.cut()
    assert cut.shown == text
    assert in_browser(cut.shown, *cut.place(span)) == "bridge opened in 1932"


def test_a_long_passage_keeps_its_beginning_and_what_is_quoted():
    text = "a" * 30_000 + "😀 the first quote " + "b" * 30_000 + "the second quote" + "c" * 30_000
    passage = Passage(text)
    spans = [passage.locate(quote) for quote in ("the first quote", "the second quote")]
    cut = passage.cut()
    assert len(cut.shown) < 9_000
    assert cut.shown.count("characters left out of this report") == 3
    assert [in_browser(cut.shown, *cut.place(span)) for span in spans] == [
        "the first quote",
        "the second quote",
    ]


def test_what_is_no_quote_is_not_found():
    assert Passage("It opened in 1932.").locate("It closed") is None
    assert Passage("").locate("") is None


texts = st.text(alphabet="ab 😀é", max_size=30)


@given(texts, st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32)), max_size=5))
def test_segments_are_the_text_with_what_lies_over_each_character(text, spans):
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


def test_no_text_breaks_out_of_a_script_element():
    text = '</script><!-- & \u2028 \u2029 " \\ \x00'
    assert json_text({"k": text}) == r'{"k":"\u003c/script\u003e\u003c!-- \u0026 \u2028 \u2029 \" \\ \u0000"}'
