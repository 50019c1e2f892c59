"""Formulas read as one word: nothing is cut out of one, and no price is one."""

import pytest

from factreasoner.atoms.embedded import EmbeddedAtomizer, EmbeddedReviser
from factreasoner.atoms.plain_text import plain, words_alone
from factreasoner.models import Record
from factreasoner.text.citation_marks import find_marks
from factreasoner.text.sentences import Span


def atoms_of(response):
    record = Record(id="r", response=response)
    found = EmbeddedAtomizer().atomize(record)
    return [atom.text for atom in EmbeddedReviser().revise(found.atoms, record).atoms]


@pytest.mark.parametrize("formula", ["$a - b$", r"$\frac{a}{b} (c + d), e$", r"\(a, b\)", "$E=mc^2$"])
def test_a_formula_is_one_unit_that_is_shown_as_it_stands(formula):
    text = f"The value of {formula} is finite."
    read = plain(text, Span(0, len(text)))
    assert list(read.names.values()) == [formula]
    assert read.whole() == text
    assert atoms_of(text) == [text]


@pytest.mark.parametrize(
    "text", ["The book costs $5 and the pen $10.", "It costs US$5, or $ 6 in $ terms.", "A price of $5-$10."]
)
def test_prices_are_no_formulas(text):
    assert plain(text, Span(0, len(text))).names == {}


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        (r"\boxed{The bridge opened in 1932.}", ["The bridge opened in 1932."]),
        (r"The bridge opened in \boxed{1932}.", ["The bridge opened in 1932."]),
        (r"It opened in $\boxed{\text{May 1932}}$. It is tall.", ["It opened in May 1932.", "It is tall."]),
        ("\\[\n\\boxed{\\text{It opened in 1932. It is tall.}}\n\\]", ["It opened in 1932.", "It is tall."]),
        (r"\fbox{It is tall.}", ["It is tall."]),
        (r"$\boxed{42}$", ["42"]),
    ],
)
def test_box_shows_what_is_in_it(text, atoms):
    assert atoms_of(text) == atoms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It rained\u00a0[1]. It snowed\u202f[2].", "It rained. It snowed."),
        ("It rained ([1], [2]). It snowed [[3]].", "It rained. It snowed."),
        ("It rained.[1]It snowed.² It hailed.", "It rained. It snowed. It hailed."),
        ("It rained.[1]it snowed, e.g.[2]Snow.", "It rained.it snowed, e.g.\u200b Snow."),
        (
            'It has vitamin C[1]."It snowed" in U.S. [2]. A.',
            'It has vitamin C\u200b. "It snowed" in U.S..\u200b A.',
        ),
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
