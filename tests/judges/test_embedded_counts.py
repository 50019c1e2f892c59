"""What a number of a claim counts, and whether it is the least or the most."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The abbey has three wells and one cellar.", "The abbey has three cellars."),
        ("Two barns and a mill belong to the farm.", "Two mills belong to the farm."),
        ("He won five medals at the fair, of which one was gold.", "He won five gold medals at the fair."),
        ("Fewer than 300 people live in Lom.", "More than 300 people live in Lom."),
        ("The bridge carries at most 40 tonnes.", "The bridge carries at least 40 tonnes."),
    ],
)
def test_what_the_number_does_not_count_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label != "entailment"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The abbey has three wells and one cellar.", "The abbey has three wells."),
        ("Two barns and a mill belong to the farm.", "Two barns belong to the farm."),
        ("He won five gold medals and a silver one at the fair.", "He won five gold medals at the fair."),
        ("More than 300 people live in Lom.", "More than 300 people live in Lom."),
    ],
)
def test_what_the_number_counts_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
