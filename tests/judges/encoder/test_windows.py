import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.judges.encoder.chunks import windows
from factreasoner.text.sentences import sentences

words = st.text(st.sampled_from("abcXYZ0.,!?é猫。 \n-"), min_size=0, max_size=600)
sizes = st.integers(4, 60)


def starts(text):
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


def tokens_in(text, span):
    return sum(span.start <= start < span.end for start in starts(text))


@given(words, sizes)
def test_windows_hold_the_whole_text_and_no_more_tokens_than_fit(text, size):
    found = windows(text, starts(text), size)
    for place, start in enumerate(starts(text)):
        assert any(span.start <= start < span.end for span in found), place
    assert all(tokens_in(text, span) <= size for span in found)
    assert all(
        span.end > later.start or not text[span.end : later.start].strip() for span, later in pairwise(found)
    )
    assert all(a.start < b.start or a.end < b.end for a, b in pairwise(found))


@given(words, sizes)
def test_no_more_windows_than_the_text_needs(text, size):
    """A window and the one after the next share nothing, but for sentences that are cut."""
    found = windows(text, starts(text), size)
    if len(starts(text)) <= size:
        assert [(0, len(text))] == found
    else:
        assert len(found) <= 1 + len(starts(text)) // max(1, size // 4)


def test_borders_are_those_of_sentences_and_windows_overlap():
    text = " ".join(f"Sentence number {n} ends here." for n in range(40))
    found = windows(text, starts(text), 50)
    borders = {span.start for span in sentences(text)}, {span.end for span in sentences(text)}
    assert len(found) > 4
    assert all(span.start in borders[0] and span.end in borders[1] for span in found)
    for span, later in pairwise(found):
        assert span.start < later.start < span.end < later.end
    assert all(30 <= tokens_in(text, span) <= 50 for span in found[:-1])


def test_a_sentence_longer_than_a_window_is_cut_with_overlap():
    text = " ".join(f"word{n}" for n in range(200)) + "."
    found = windows(text, starts(text), 40)
    for span, later in pairwise(found):
        assert (
            tokens_in(text, span)
            - (tokens_in(text, later) - tokens_in(text, type(span)(span.end, later.end)))
            >= 5
        )
    assert all(tokens_in(text, span) <= 40 for span in found)
