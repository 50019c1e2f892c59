"""The words of a text without its citation markers."""

import pytest

from factreasoner.models import Context
from factreasoner.tasks.verify.cutting import words_alone
from factreasoner.tasks.verify.markers import Sources, find_markers

SOURCES = Sources([Context(id=f"c{n}", text="x") for n in range(1, 4)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It rained\u00a0[1]. It snowed\u202f[2].", "It rained. It snowed."),
        ("It rained ([1], [2]). It snowed [[3]].", "It rained. It snowed."),
        ("It rained [1]]. It snowed [[2].", "It rained. It snowed."),
        ("It rained.[1]It snowed.² It hailed.", "It rained. It snowed. It hailed."),
        ("It rained.[1]it snowed, e.g.[2]Snow.", "It rained.it snowed, e.g.Snow."),
        ("It rained\n[1]. It snowed\r\n[2].", "It rained. It snowed."),
        ("It rained.\n[1]. It snowed\n\n[2].", "It rained.\n. It snowed\n\n."),
    ],
)
def test_markers_go_with_the_blanks_before_them(text, words):
    plain, places = words_alone(text, find_markers(text, SOURCES), ())
    assert plain == words
    assert len(places) == len(plain)
    assert places == sorted(places)
