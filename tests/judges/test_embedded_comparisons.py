"""Which of two things has more: what a sentence compares the other way, or does not compare."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The Lynx is less expensive than the Puma.", "The Lynx is more expensive than the Puma."),
        ("The Puma is more expensive than the Lynx.", "The Lynx is more expensive than the Puma."),
        ("Lund has fewer fountains than Hamar.", "Lund has more fountains than Hamar."),
        ("Zinc is less dense than brass.", "Zinc is denser than brass."),
        ("This is because copper is less reactive than iron.", "Copper is more reactive than iron."),
        ("Owls sleep less than bats.", "Owls sleep more than bats."),
        ("Brass is cheaper than steel, but it dents faster.", "Steel dents faster than brass."),
        ("The Amber is longer than the Glomma.", "The Glomma is longer than the Amber."),
    ],
)
def test_what_is_compared_the_other_way_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label != "entailment"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Brass is less dense than zinc.", "Zinc is more dense than brass."),
        ("Owls sleep less than bats do.", "Bats sleep more than owls."),
        ("Anna is older than Ben.", "Anna is older than Ben."),
        ("In most towns, cyclists arrive sooner than drivers.", "Cyclists arrive sooner than drivers."),
    ],
)
def test_what_is_compared_so_from_either_side_is_believed(judge, passage, claim):
    assert verdict(judge, passage, claim).belief > 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Iron displaces copper in a reaction, and is reactive.", "Copper is more reactive than iron."),
        ("What is the reaction of copper with iron?", "Copper is more reactive than iron."),
        ("The Lynx and the Puma are expensive.", "The Lynx is more expensive than the Puma."),
    ],
)
def test_what_compares_nothing_does_not_entail_a_comparison(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"


def test_more_than_a_number_compares_no_two_things(judge):
    passage = "The hall seats more than 300 people."
    assert verdict(judge, passage, "The hall seats more than 300 people.").label == "entailment"
    assert verdict(judge, "The hall seats 320 people.", "The hall seats more than 300 people.").belief > 0.5
