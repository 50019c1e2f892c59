"""Claims in a passage's own words that say another thing, and true ones in words that look otherwise."""

import pytest

from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.models import Claim, Premise


@pytest.fixture(scope="module")
def judge():
    return EmbeddedJudge()


def verdict(judge, passage, claim):
    (found,) = judge.judge(Premise("c", passage), [Claim("a", claim)]).verdicts
    return found


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Olga Brandt's brother Emil Brandt won the race in 1990.", "Olga Brandt won the race in 1990."),
        ("Olga Brandt sings. Her uncle Emil Brandt won the race.", "Olga Brandt won the race."),
        ("Olga Brandt, whose son Emil Brandt won the race, sings.", "Olga Brandt won the race."),
    ],
)
def test_what_a_relative_of_the_same_surname_did_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Olga Brandt's brother Emil Brandt won the race in 1990.", "Emil Brandt won the race in 1990."),
        ("Olga Brandt sings. Her uncle Emil Brandt won the race.", "Emil T. Brandt won the race."),
        ("Olga Brandt, whose son Emil won the race, sings in Basel.", "Olga Brandt sings in Basel."),
    ],
)
def test_what_is_said_of_one_with_a_relative_is_believed(judge, passage, claim):
    assert verdict(judge, passage, claim).belief > 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("He was a pilot in World War II. He sang.", "He was a pilot in World War 2."),
        ("The mill burned in the First World War.", "The mill burned in World War I."),
        ("The mill burned in World War One.", "The mill burned in the First World War."),
        ("Ludwig II built the castle.", "Ludwig the Second built the castle."),
    ],
)
def test_a_label_may_be_written_in_letters_digits_or_words(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The mill burned in the First World War.", "The mill burned in World War II."),
        ("Ludwig II built the castle.", "Ludwig the First built the castle."),
    ],
)
def test_another_label_in_other_writing_is_another_thing(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim", "label"),
    [
        ("The brook rarely dries up.", "The brook always dries up.", "contradiction"),
        ("Frost usually comes in May. It seldom lasts.", "Frost usually lasts.", "contradiction"),
        ("The brook rarely dries up.", "The brook seldom dries up.", "entailment"),
        ("The brook rarely dries up.", "The brook sometimes dries up.", "neutral"),
    ],
)
def test_how_often_is_held_against_how_often(judge, passage, claim, label):
    assert verdict(judge, passage, claim).label == label
