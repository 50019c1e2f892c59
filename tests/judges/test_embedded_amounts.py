"""A figure belongs to its time, and to what something changes by or to."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The herd of Lom fell from 900 in 1970 to 310 in 2010.", "The herd of Lom was 900 in 2010."),
        ("The toll rose from 3 euros in 1990 to 8 euros in 2005.", "The toll was 3 euros in 2005."),
        ("Output grew from 12 tonnes in 1980 to 30 tonnes in 1985.", "Output was 30 tonnes in 1980."),
        ("The levy was cut by 5 percent in 2003.", "The levy was cut to 5 percent in 2003."),
        ("The crew grew to 300 people.", "The crew grew by 300 people."),
        ("The fee was raised from $40.", "The fee was raised to $40."),
        ("Fewer than 300 monks lived in Lom.", "More than 300 monks lived in Lom."),
    ],
)
def test_a_figure_of_another_time_or_by_another_preposition_is_another(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The herd of Lom fell from 900 in 1970 to 310 in 2010.", "The herd of Lom was 310 in 2010."),
        ("The herd of Lom fell from 900 in 1970 to 310 in 2010.", "The herd of Lom was 900 in 1970."),
        ("The levy was cut by 5 percent in 2003.", "The levy was cut by 5 percent."),
        ("The crew grew by 300 people to 900 people.", "The crew grew to 900 people."),
        ("The fee was raised to about $40.", "The fee was raised to $40."),
    ],
)
def test_a_figure_with_its_own_time_and_preposition_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
