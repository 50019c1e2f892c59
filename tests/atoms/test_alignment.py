"""Finding a copied part in its text: verbatim, folded, by words, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.atoms.alignment import Locator
from factreasoner.text.sentences import Span, sentences

TEXT = "Ada “Countess” Lovelace was born\n in London in 1815. She wrote notes."


def find(part, after=0, text=TEXT):
    span = Locator(text, Span(0, len(text)), sentences(text)).find(part, after)
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("was born\n in London", "was born\n in London"),
        ("  was born in London ", "was born\n in London"),
        ('ada "countess" lovelace WAS', "Ada “Countess” Lovelace was"),
        ("Lovelace was secretly born in London (1815)", "Lovelace was born\n in London in 1815"),
        ("Babbage built the Difference Engine", None),
        ("", None),
        ("…", None),
    ],
)
def test_find(part, found):
    assert find(part) == found


def test_the_next_equal_place_is_preferred():
    text = "It rose. It fell. It rose."
    locator = Locator(text, Span(0, len(text)), sentences(text))
    assert locator.find("It rose.", 1) == Span(18, 26)
    assert locator.find("IT ROSE", 1) == Span(18, 25)
    assert locator.find("It fell.", 20) == Span(9, 17)


def test_nothing_outside_the_span_is_found():
    text = "One here. Two there."
    assert Locator(text, Span(0, 9), [Span(0, 9)]).find("Two there.") is None


@given(st.text(max_size=60), st.text(max_size=20), st.integers(0, 60))
def test_any_span_lies_in_the_text(text, part, after):
    span = Locator(text, Span(0, len(text)), sentences(text)).find(part, after)
    assert span is None or 0 <= span.start < span.end <= len(text)


@given(st.text(min_size=1, max_size=60).filter(str.strip), st.data())
def test_a_verbatim_part_is_always_found(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    found = find(part, text=text)
    assert found == (part.strip() or None)
