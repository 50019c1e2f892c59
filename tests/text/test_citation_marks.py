"""Citation marks by their form, and what is no mark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.citation_marks import Known, find_marks


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("The longest after the Nile¹.", ["¹"]),
        ("It rained (Klabnik 2019) [2].", ["[2]"]),
        ("It rained [Smith20], [SL20, Knu97; 3] [Smith et al., 2020].", []),
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


POWERS = "x² and 5 m²|10³|CO₂|the H¹ norm|E=mc²|πr²|sin² x|¹⁴C|(²³⁵U)|Fe³⁺|m·s⁻²|2 GeV²|(x+1)² is|SU(2)²"


RUNS = ["¹" * 4400, "¹²³⁴⁻¹²³⁴", "¹²³⁴⁻⁵", "⁵⁻¹²³⁴"]


@pytest.mark.parametrize("text", [*POWERS.split("|"), *(f"Paris is big{run}." for run in RUNS)])
def test_powers_units_and_isotopes_are_no_marks(text):
    assert find_marks(text) == []


@given(st.text(alphabet="¹²⁰⁻-–,; [](){}^.:†【】$`|<sup>19a€SmithLe &\n", max_size=40))
def test_marks_are_ordered_and_labelled(text):
    last = 0
    for mark in find_marks(text):
        assert last <= mark.start < mark.end <= len(text)
        assert mark.labels
        last = mark.end


def test_raised_numbers_after_words_are_marks():
    text = "It rained (in 1990)¹ on the author(s)² over coal³ and carbon¹."
    assert [mark.labels for mark in find_marks(text)] == [("1",), ("2",), ("3",), ("1",)]


CITATIONS = [
    "The effect was shown in [1, 3].",
    "As shown in [1, 3], it rains.",
    "It is described in [1] and in [2, 3].",
    "The museum opened in 1932[1].",
    "The bridge[2] is old.",
    "It won by 90 points [1, 2] and high ratings [2, 3].",
    "The **bold** word [1, 2].",
    "*Italic*[1] words.",
    "- [1] says so.",
    "It rained ([1], [2]).",
    "p = 0.05 [1].",
    "It is *[1, 2]* so.",
    "It rained.\n* [1, 2] agree.",
    "According to the data in [1, 2], it rains.",
    "It was first proposed in [2], then extended in [1, 3].",
    "Paris[1] is the capital.",
    "It is __important__ [1, 3].",
    "</b>[2] It rained.",
    "It rose by +3 [1].",
    "x <= 3 [2].",
    "Values range between 1 and 5 [1, 2].",
    "Nothing is known of vitamin C in [1, 2].",
    "Paris[1] (the capital) grew.",
    "It is 828 m[1] high.",
    "It is New York's[1] tallest.",
    "It was printed in _Nature_[1] then.",
    "1. [1, 2] agree on that.",
    "The tuple (1, 2) is listed in [1].",
    "Plan b[2](https://a.example) failed.",
]
NUMBERS = [
    "Let x be in [1, 3].",
    "scipy.stats.rankdata([1, 2], [2, 3])",
    "The weight is in the range [2, 3].",
    "We set a = [1, 2] and go on.",
    "Take A = [[1, 2], [3, 1]] as the matrix.",
    "Read arr[1] first.",
    "Numbers are clipped to [1, 3].",
    "An integer in [1, 3] is drawn.",
    "Sort it with sorted([3, 1, 2]).",
    "y > 2 holds for x + [1, 2].",
    "t ∈ [1, 2] ∪ [2, 3]",
    "where k in [1, 3] is an index",
    "over the range [1, 3]",
    "b := [1, 3]",
    "The points [[1, 2], [3, 3]] are joined.",
    "The score is rescaled to [1, 3].",
    "Choose integers in [1, 2].",
    "len([1, 2]) is two.",
    "The list is printed: x = [3].",
    "for x in the interval [1, 2]",
    "The share lies in [1, 3].",
    "It is between [1, 2] and [2, 3].",
    "The noise is uniform on [1, 3].",
    "Numbers are clipped into [1, 3].",
    "It lies within the Alpine mountain range [2, 3].",
    "The values in [1, 3] differ.",
    "The matrix [1, 2].",
    "The species keeps its range [1, 2].",
    "The scores in [1, 2] were high.",
    "This was reported for mice in [1, 2].",
    "The list [1, 3].",
    "The Rocky Mountains range [1, 3] is high.",
    "Ratings in [1, 5] were asked for.",
]


@pytest.mark.parametrize("text", [*CITATIONS, *NUMBERS])
def test_ambiguous_brackets_cite_only_known_labels(text):
    assert bool(find_marks(text)) == (text in CITATIONS)
    assert find_marks(text, Known(labels="12345")) or "[[" in text or "arr[1]" in text


def test_code_index_is_no_citation():
    assert find_marks("rows[2] = 5 and rows[2](x) and items[1].append(x) and items[1][0]") == []
