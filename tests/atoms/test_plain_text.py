"""Formulas read as one word: nothing is cut out of one, and no price is one."""

import pytest

from factreasoner.atoms.plain_text import plain, remove_marks
from factreasoner.atoms.rules import RuleAtomizer, RuleReviser
from factreasoner.models import Record
from factreasoner.text.citation_marks import find_marks
from factreasoner.text.sentences import Span


def atoms_of(response):
    record = Record(id="r", response=response)
    found = RuleAtomizer().atomize(record)
    return [atom.text for atom in RuleReviser().revise(found.atoms, record).atoms]


@pytest.mark.parametrize("formula", ["$a - b$", r"$\frac{a}{b} (c + d), e$", r"\(a, b\)", "$E=mc^2$"])
def test_formula_is_kept_as_one_unit(formula):
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
    plain, places = remove_marks(text, [(m.start, m.end) for m in find_marks(text)], ())
    assert plain == words
    assert len(places) == len(plain)
    assert places == sorted(places)


@pytest.mark.parametrize(
    "said",
    [
        "Król uciekł [1] i [2].", "Król uciekł [1] oraz [2].", "Kral kaçtı [1] ve [2].",
        "Kral kaçtı [1] ile [2].", "Kuningas pakeni [1] ja [2].", "A király elment [1] és [2].",
        "Král uprchl [1] a [2].", "Regele a fugit [1] și [2].", "Raja lari [1] dan [2].",
        "Nhà vua bỏ trốn [1] và [2].", "Ο βασιλιάς έφυγε [1] και [2].",
        "Король утік [1] та [2].", "هرب الملك [1] و [2].", "هرب الملك [1] و[2].",
        "राजा भाग गया [1] और [2]।", "המלך ברח [1] ו-[2].", "El rei va fugir [1] i [2].",
        "Kongen flygtede [1] og [2].", "พระราชาหนีไป [1] และ [2].",
        "Karalius pabėgo [1] ir [2].", "Karalis aizbēga [1] un [2].",
        "Król uciekł [1], [2] i [3].", "Król uciekł [1] a także [2].",
        "Král uprchl [1 a 2].", "Król uciekł [1 i 2].",
    ],
)  # fmt: skip
def test_joining_words_between_marks_go_with_them(said):
    assert plain(said, Span(0, len(said))).whole() == said[: said.index(" [")] + said[-1]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("He fled [1] i wrócił [2].", "He fled i wrócił."),
        ("He fled [1] and died [2].", "He fled and died."),
        ("Raja lari [1] dan wafat [2].", "Raja lari dan wafat."),
    ],
)
def test_joining_word_before_more_words_stays(said, read):
    assert plain(said, Span(0, len(said))).whole() == read
