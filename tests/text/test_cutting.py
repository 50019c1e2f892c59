"""The words of a text without its citation marks."""

import pytest

from factreasoner.text.citation_marks import find_marks
from factreasoner.text.cutting import words_alone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It rained\u00a0[1]. It snowed\u202f[2].", "It rained. It snowed."),
        ("It rained ([1], [2]). It snowed [[3]].", "It rained. It snowed."),
        ("It rained.[1]It snowed.² It hailed.", "It rained. It snowed. It hailed."),
        ("It rained.[1]it snowed, e.g.[2]Snow.", "It rained.it snowed, e.g.Snow."),
        ("It rained[1].It snowed [2]!A hail.", "It rained. It snowed! A hail."),
        ("It rained [1].[2]It snowed [1].\n", "It rained. It snowed.\n"),
        ("It uses ASP[1].NET and a[1].b.", "It uses ASP.NET and a[1].b."),
        ("It rained\n[1]. It snowed\r\n[2].", "It rained. It snowed."),
        ("It rained.\n[1]. It snowed\n\n[2].", "It rained.\n. It snowed\n\n."),
    ],
)
def test_markers_go_with_the_blanks_before_them(text, words):
    plain, places = words_alone(text, [(m.start, m.end) for m in find_marks(text)], ())
    assert plain == words
    assert len(places) == len(plain)
    assert places == sorted(places)
