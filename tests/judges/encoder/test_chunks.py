import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.judges.encoder.adapter import Chunking, adapter_of
from factreasoner.judges.encoder.chunks import chunks, windows
from factreasoner.text.sentences import sentences

PASSAGE = "One two three. Four five.  Six seven eight nine.\nTen.\n\nEleven twelve! - Last"
"""Sentences of 3, 2, 4, 1, 2 and, after a dash, 2 words; double blanks, a line's end, an empty line."""


def texts(passage, tokens=lambda text: len(text.split()), **chunking):
    return [chunk.text for chunk in chunks(passage, Chunking(**chunking), tokens)]


def test_uncut_passage_is_unchanged():
    assert texts(f" {PASSAGE}\n") == [f" {PASSAGE}\n"]


def test_chunks_hold_whole_sentences_and_lines():
    """MiniCheck: sentences are joined by a blank, line ends kept; size 5 takes 3 + 2, not 4 + 1 + 2."""
    assert texts(PASSAGE, unit="words", size=5, keep_lines=True) == [
        "One two three. Four five.",
        "Six seven eight nine.\nTen.",
        "Eleven twelve! - Last",
    ]


def test_lines_need_not_be_kept():
    """FactCG: every sentence on a line of its own; marks count, so "Four five." has three."""
    found = texts("One two three. Four five. Six!", unit="marks", size=7, joiner="\n")
    assert found == ["One two three.\nFour five.", "Six!"]


def test_shares_are_of_equally_many_sentences():
    """AlignScore: 14 words in chunks for 5 words each are 14 // 5 + 1 = 3 shares, of 7 // 3 = 2 sentences."""
    passage = "It ran. We saw. They sat. You won. She hid. He fell. All left."
    found = texts(passage, unit="shares", size=5)
    assert found == ["It ran. We saw.", "They sat. You won.", "She hid. He fell.", "All left."]
    assert texts(passage, unit="shares", size=350) == [passage]


def test_long_sentence_is_its_own_chunk():
    found = texts("Aaaa. Bb. Cccccccccccc. D.", tokens=len, unit="tokens", size=8)
    assert found == ["Aaaa. Bb.", "Cccccccccccc.", "D."]


@pytest.mark.parametrize("name", ["minicheck-roberta", "minicheck-flan-t5", "factcg", "alignscore"])
@given(passage=st.text(st.sampled_from("ab.!? \n-é猫。"), min_size=1, max_size=300), size=st.integers(1, 40))
def test_chunks_lose_nothing_and_stay_verbatim(name, passage, size):
    chunking = adapter_of(name).chunking.model_copy(update={"size": size})
    found = chunks(passage, chunking, len)
    assert "".join(passage.split()) == "".join("".join(chunk.text.split()) for chunk in found)
    for chunk in found:
        stretch = passage[chunk.span.start : chunk.span.end]
        assert "".join(stretch.split()) == "".join(chunk.text.split())


WORDS = st.text(st.sampled_from("abcXYZ0.,!?é猫。 \n-"), min_size=0, max_size=600)


def starts(text):
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


def tokens_in(text, span):
    return sum(span.start <= start < span.end for start in starts(text))


@given(WORDS, st.integers(4, 60))
def test_windows_cover_the_text_within_size(text, size):
    found = windows(text, starts(text), size)
    for place, start in enumerate(starts(text)):
        assert any(span.start <= start < span.end for span in found), place
    assert all(tokens_in(text, span) <= size for span in found)
    assert all(
        span.end > later.start or not text[span.end : later.start].strip() for span, later in pairwise(found)
    )
    assert all(a.start < b.start or a.end < b.end for a, b in pairwise(found))


def test_borders_are_those_of_sentences_and_windows_overlap():
    text = " ".join(f"Sentence number {n} ends here." for n in range(40))
    found = windows(text, starts(text), 50)
    borders = {span.start for span in sentences(text)}, {span.end for span in sentences(text)}
    assert len(found) > 4
    assert all(span.start in borders[0] and span.end in borders[1] for span in found)
    for span, later in pairwise(found):
        assert span.start < later.start < span.end < later.end
    assert all(30 <= tokens_in(text, span) <= 50 for span in found[:-1])


def test_long_sentence_is_cut_with_overlap():
    text = " ".join(f"word{n}" for n in range(200)) + "."
    found = windows(text, starts(text), 40)
    for span, later in pairwise(found):
        assert tokens_in(text, type(span)(span.start, later.start)) >= 5
    assert all(tokens_in(text, span) <= 40 for span in found)
