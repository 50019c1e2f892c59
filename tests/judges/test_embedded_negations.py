"""Verbs and adjectives that negate are negations, and an "until" ends only the one it belongs to."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The envoy was unable to travel to the summit.", "The envoy did not travel to the summit."),
        ("Ruth Ames was unwilling to sign the treaty.", "Ruth Ames did not sign the treaty."),
        ("The crew failed to start the second engine.", "The crew did not start the second engine."),
        ("The board refused to name the new director.", "The board did not name the new director."),
        ("The museum declined to publish the letters.", "The museum did not publish the letters."),
        ("The keeper forgot to lock the north gate.", "The keeper did not lock the north gate."),
    ],
)
def test_what_somebody_failed_or_declined_to_do_was_not_done(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
    affirmed = verdict(judge, passage, claim.replace("did not ", "did "))
    assert affirmed.label == "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "She thinks that they don't train enough to win and wait until spring to train more.",
            "She thinks that they don't train enough to win.",
        ),
        (
            "The union argued that drivers are not paid for waiting and will strike until they are.",
            "The union argued that drivers are not paid for waiting.",
        ),
    ],
)
def test_an_until_of_another_verb_leaves_the_negation(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The church was not rebuilt and enlarged until 1920.", "The church was rebuilt in 1920."),
        ("The bridge was not opened until 1931.", "The bridge was opened in 1931."),
        ("Sales declined to 40 units in May.", "Sales did not rise to 40 units in May."),
    ],
)
def test_what_is_so_from_a_time_on_is_not_denied(judge, passage, claim):
    assert verdict(judge, passage, claim).label != "contradiction"
