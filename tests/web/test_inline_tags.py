"""Superscripts of a page as text."""

import pytest

from factreasoner.web.inline_tags import raised


@pytest.mark.parametrize(
    ("before", "inside", "behind", "found"),
    [
        ("finished in 1938", "1", ".", "[1]"),
        ("finished in 1938", "[1]", " by", "[1]"),
        ("high", "2, 3", ".", "[2, 3]"),
        ("holds 10", "6", " cubic metres", "^6"),
        ("about 10", "\u22123", " m", "^\u22123"),
        ("5 km", "2", "/2 years", "^2"),
        ("the 5", "th", " of May", "th"),
        ("fell by 2", "1", "/<sub>2</sub> metres", " 1"),
        ("a < b, R&D", "th", " <p>", "th"),
    ],
)
def test_a_superscript_is_a_citation_a_power_a_numerator_or_letters(before, inside, behind, found):
    assert raised(before, inside, behind) == found
