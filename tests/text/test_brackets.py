"""Numbers in brackets: citations, or an index, an interval, a list, a matrix."""

import pytest

from factreasoner.models import Context
from factreasoner.tasks.verify.markers import Sources, find_markers, notes_on

CONTEXTS = [Context(id=f"c{n}", text="x") for n in range(1, 4)]

CITATIONS = [
    "The effect was shown in [1, 3].",
    "As shown in [1, 3], it rains.",
    "It is described in [1] and in [2, 3].",
    "The museum opened in 1932[1].",
    "The bridge[2] is old.",
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
]
NUMBERS = [
    "Let x be in [1, 3].",
    "for item in [1, 2, 3]: print(item)",
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
]
MAY_BE_NUMBERS = [
    "It lies within the Alpine mountain range [2, 3].",
    "The values in [1, 3] differ.",
    "The matrix [1, 2].",
    "The species keeps its range [1, 2].",
    "The scores in [1, 2] were high.",
    "The list [1, 3].",
    "The Rocky Mountains range [1, 3] is high.",
]
NUMBERS_FOR_LACK_OF_A_SOURCE = [
    "Ratings in [1, 5] were asked for.",
    "Scores in [1, 9] are usual.",
]


def read(text):
    """Whether there is a citation, and whether the other reading is told of."""
    markers = find_markers(text, Sources(CONTEXTS))
    return bool(markers), bool(notes_on(text, markers, Sources(CONTEXTS)))


@pytest.mark.parametrize("text", CITATIONS)
def test_what_is_a_citation(text):
    assert read(text) == (True, False)


@pytest.mark.parametrize("text", NUMBERS)
def test_what_is_none(text):
    assert read(text) == (False, False)


@pytest.mark.parametrize("text", MAY_BE_NUMBERS)
def test_what_may_be_numbers_is_a_citation_where_each_names_a_source(text):
    assert read(text) == (True, True)


@pytest.mark.parametrize("text", NUMBERS_FOR_LACK_OF_A_SOURCE)
def test_what_may_be_a_citation_is_numbers_where_one_names_no_source(text):
    assert read(text) == (False, True)


def test_numbers_that_name_no_source_ever_are_not_worth_a_note():
    assert read("The values in [0, 1] and the scores in [1987, 1990].") == (False, False)


def test_code_is_not_worth_a_note():
    assert read("So it was [1].\n```\nthe values in [1, 2]\n```\n") == (True, False)
