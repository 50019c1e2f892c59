"""Citation marks by their form, and what is no mark."""

import pytest

from factreasoner.text.citation_marks import find_marks


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("The longest after the Nile¹.", ["¹"]),
        ("It rained (Klabnik 2019) [2].", ["(Klabnik 2019)", "[2]"]),
        ("It rained [Smith20], [SL20, Knu97; 3].", ["[Smith20]"]),
        ("It rained [SL20, Knu97] [Smith et al., 2020].", ["[SL20, Knu97]", "[Smith et al., 2020]"]),
        ("It is 5 m<sup>2</sup> large.<sup>1</sup>", ["<sup>1</sup>"]),
        (
            "It rained (Source 1), 【2†page】 [3](https://example.org).",
            ["(Source 1)", "【2†page】", "[3](https://example.org)"],
        ),
        ("It rained `[1] (Smith 2020)`.", []),
    ],
)
def test_marks_of_every_form(text, marks):
    assert [text[mark.start : mark.end] for mark in find_marks(text)] == marks


@pytest.mark.parametrize(
    "text",
    [
        "x² and 5 m² and 10³",
        "CO₂",
        "the H¹ norm",
        "E=mc²",
        "πr²",
        "sin² x",
        "¹⁴C",
        "(²³⁵U)",
        "Fe³⁺",
        "m·s⁻²",
        "2 GeV²",
        "(x+1)² has degree 2",
        "SU(2)²",
    ],
)
def test_powers_units_and_isotopes_are_no_marks(text):
    assert find_marks(text) == []


def test_a_long_run_of_raised_digits_is_no_mark():
    assert find_marks("Paris is big" + "¹" * 4400 + ".") == []


def test_raised_numbers_behind_words_and_asides_are_marks():
    text = "It rained (in 1990)¹ on the author(s)² over coal³ and carbon¹."
    assert [mark.labels for mark in find_marks(text)] == [("1",), ("2",), ("3",), ("1",)]
