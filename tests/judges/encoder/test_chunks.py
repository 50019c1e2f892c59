import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.judges.encoder.adapter import Chunking, adapter_of
from factreasoner.judges.encoder.chunks import chunks

PASSAGE = "One two three. Four five.  Six seven eight nine.\nTen.\n\nEleven twelve! - Last"
"""Sentences of 3, 2, 4, 1, 2 and, after a dash, 2 words; double blanks, a line's end, an empty line."""


def texts(passage, tokens=lambda text: len(text.split()), **chunking):
    return [chunk.text for chunk in chunks(passage, Chunking(**chunking), tokens)]


def test_a_passage_that_is_not_cut_stays_as_it_is():
    assert texts(f" {PASSAGE}\n") == [f" {PASSAGE}\n"]


def test_chunks_hold_whole_sentences_up_to_their_size_and_lines_stay():
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


def test_tokens_are_the_model_s_and_a_long_sentence_is_a_chunk_of_its_own():
    found = texts("Aaaa. Bb. Cccccccccccc. D.", tokens=len, unit="tokens", size=8)
    assert found == ["Aaaa. Bb.", "Cccccccccccc.", "D."]


@pytest.mark.parametrize("name", ["minicheck-roberta", "minicheck-flan-t5", "factcg", "alignscore"])
@given(
    passage=st.text(st.sampled_from("ab.!? \n-é猫。"), min_size=1, max_size=300),
    size=st.integers(1, 40),
)
def test_nothing_is_lost_and_quotes_are_verbatim(name, passage, size):
    chunking = adapter_of(name).chunking.model_copy(update={"size": size})
    found = chunks(passage, chunking, len)
    assert "".join(passage.split()) == "".join("".join(chunk.text.split()) for chunk in found)
    for chunk in found:
        stretch = passage[chunk.span.start : chunk.span.end]
        assert "".join(stretch.split()) == "".join(chunk.text.split())
