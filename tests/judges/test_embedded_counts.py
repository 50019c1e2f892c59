"""A number counts what stands behind it, and nothing that has a number of its own."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Lom has three chapels and one mill.", "Lom has three mills."),
        ("Two barns and a stone mill belong to the abbey.", "Two stone mills belong to the abbey."),
        ("The abbey bred 30 horses, of which one was lame.", "The abbey bred 30 lame horses."),
        ("The guild has 40 members, 12 of them weavers.", "The guild has 40 weavers."),
    ],
)
def test_a_number_that_counts_another_thing_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label != "entailment"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Lom has three chapels and three mills.", "Lom has three mills."),
        ("Two stone mills and a barn belong to the abbey.", "Two mills belong to the abbey."),
        ("The guild has 40 members, 12 of them weavers.", "The guild has 40 members."),
        ("The U-30 was a German submarine of the First World War.", "The U-30 was a German submarine."),
        ("SM UB-30 [Note 1] was a German submarine in Lom.", "The SM UB-30 German submarine was in Lom."),
    ],
)
def test_a_number_that_counts_the_thing_bears_it_out(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
