"""Who did it to whom, and which of two states a thing is in."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("In the 1962 final, Brandt beat Lindqvist 3-1 in Lom.", "Lindqvist beat Brandt in the 1962 final."),
        (
            "The Abbey of Lom lent forty thousand crowns to the miller Brandt in 1887.",
            "Brandt lent forty thousand crowns to the Abbey of Lom in 1887.",
        ),
        ("The east gate stays closed on Sundays.", "The east gate is open on Sundays."),
        ("The bakery is shut on Mondays.", "The bakery is open on Mondays."),
        (
            "While the west gate was shut for repairs, the east gate let all in.",
            "The east gate was shut for repairs.",
        ),
        ("The hall was designed by the Danish architect Ole Dahl.", "Bernt Soler designed the hall."),
        (
            "The granary opened in 1832. The salt mill beside it was finished four years later.",
            "The salt mill opened in 1832.",
        ),
    ],
)
def test_the_converse_the_opposite_state_and_another_subject_are_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label != "entailment"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("In the 1962 final, Brandt beat Lindqvist 3-1 in Lom.", "Brandt beat Lindqvist in the 1962 final."),
        ("Olga Brandt sold forty mills to Emil Lund in 1920.", "Olga Brandt sold forty mills to Emil Lund."),
        ("The east gate stays closed on Sundays.", "The east gate is closed on Sundays."),
        (
            "While the west gate was shut for repairs, the east gate let all in.",
            "The west gate was shut for repairs.",
        ),
        ("While the west gate was shut for repairs, the east gate let all in.", "The east gate let all in."),
        ("The hall was designed by the Catalan architect Bernt Soler.", "Bernt Soler designed the hall."),
        ("The east gate is closed on Sundays and open on Mondays.", "The east gate is open on Mondays."),
    ],
)
def test_the_same_doer_and_state_are_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "If the form is filed after 11:30 a.m., the order is ready.",
            "If the form is filed by 11:30 a.m., the order is ready.",
        ),
        ("The mill was finished after 1990.", "The mill was finished by 1990."),
        ("Arrive by 9 at the gate.", "Arrive after 9 at the gate."),
    ],
)
def test_by_a_time_and_after_it_are_each_others_opposites(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label != "entailment"
    assert found.belief < 0.5


def test_by_a_time_is_entailed_by_itself(judge):
    text = "If the form is filed by 11:30 a.m., the order is ready."
    assert verdict(judge, text, text).label == "entailment"


@pytest.mark.parametrize(
    "claim",
    [
        "If your plan is lodged by 9:15, you will get your permit at 3:00 the same day.",
        "If the plan is lodged after 9:15, then the permit will be ready after 3:00 the next working day.",
        "If your plan is lodged by 9:15, you will get your permit by 3:00 the same day.",
    ],
)
def test_where_by_a_time_and_after_it_are_both_told_neither_is_turned(judge, claim):
    passage = (
        "If your plan is lodged by 9:15 you will get your permit at 3:00 the same day. If the plan is lodged "
        "after 9:15, then the permit will be ready for pick up after 3:00 the next working day."
    )
    assert verdict(judge, passage, claim).belief > 0.5
