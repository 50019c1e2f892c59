"""Formulas read as one word: nothing is cut out of one, and no price is one."""

import pytest

from factreasoner.atoms.embedded import EmbeddedAtomizer, EmbeddedReviser
from factreasoner.atoms.plain_text import plain
from factreasoner.models import Record
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
