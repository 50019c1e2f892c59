"""A letter or number after a noun tells things of one name apart; no quantity, no denial."""

import pytest
from judged_pair import verdict

from factreasoner.judges.embedded.text import analyse
from factreasoner.models import Claim, Premise


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Type 1 diabetes is an autoimmune disease.", "Type 2 diabetes is an autoimmune disease."),
        ("Boeing 747 aircraft have four engines.", "Boeing 777 aircraft have four engines."),
        (
            "The accident happened on Highway 9 near Elko.",
            "The accident happened on Highway 12 near Elko.",
        ),
        ("Windows 10 supports the device.", "Windows 7 supports the device."),
        ("Hepatitis B is spread by blood.", "Hepatitis A is spread by blood."),
        ("Line A stops at the airport.", "Line B stops at the airport."),
        ("Henry IV married Marie.", "Henry VI married Marie."),
        ("The Airbus A380 has two decks.", "The Airbus A350 has two decks."),
        ("The iPhone 14 has a faster chip.", "The iPhone 13 has a faster chip."),
        ("Symphony No. 5 was written in Vienna.", "Symphony No. 9 was written in Vienna."),
        (
            "Vitamin D is needed for bones. Vitamin K has a part in clotting.",
            "Vitamin K is needed for bones.",
        ),
        ("Group A received the drug and group B a placebo.", "Group B received the drug."),
        (
            "Phase 2 enrolled 300 patients; phase 3 enrolled 2,000 patients.",
            "Phase 3 enrolled 300 patients.",
        ),
        ("The Type 3 engine does not need coolant.", "The Type 4 engine needs coolant."),
    ],
)
def test_a_thing_of_another_label_is_neither_borne_out_nor_denied(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim", "label"),
    [
        (
            "Vitamin D is needed for bones. Vitamin K has a part in clotting.",
            "Vitamin D is needed for bones.",
            "entailment",
        ),
        ("Group A received the drug and group B a placebo.", "Group B received a placebo.", "entailment"),
        ("Types 1 and 2 diabetes raise blood sugar.", "Type 2 diabetes raises blood sugar.", "entailment"),
        (
            "Line A was opened in 1990. It stops at the airport.",
            "Line A stops at the airport.",
            "entailment",
        ),
        ("Apollo 11 carried three men.", "Apollo 11 carried two men.", "contradiction"),
        ("In Paris 300 people died.", "In Paris 500 people died.", "contradiction"),
        ("The Type 3 engine does not need coolant.", "The Type 3 engine needs coolant.", "contradiction"),
    ],
)
def test_a_thing_of_the_same_label_is_spoken_of(judge, passage, claim, label):
    assert verdict(judge, passage, claim).label == label


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("World War II ended and Title I schools opened.", [("war", "2"), ("titl", "1")]),
        (
            "The A380, COVID-19 and vitamin B12",
            [("a", "380"), ("covid", "19"), ("vitamin", "B"), ("b", "12")],
        ),
        (
            "Chapters 3 to 5 and gates A, C",
            [("chapter", "3"), ("chapter", "5"), ("gate", "A"), ("gate", "C")],
        ),
        ("John F. Kennedy met Harry S Truman on 5 May 1950.", []),
        ("Norway beat Sweden 3-1, and Arsenal won 3 times at Euro 2020.", []),
        ("Then I went to Rome, 12 people in London 14 men.", []),
        ("A 380-metre tower weighs 300 tonnes.", []),
    ],
)
def test_labels_are_told_from_initials_amounts_and_dates(text, labels):
    assert [(one.noun, one.label) for one in analyse(text, "english").labels] == labels


def test_what_is_said_of_another_river_is_not_entailed_of_one_the_passage_lacks(judge):
    passage = (
        "The Amber River is a popular fishing destination for anglers seeking brook, rainbow and brown "
        "trout, as well as salmon and smallmouth bass. The upper reaches near Lom are popular with local "
        "and visiting fly fishermen for the chance to catch salmon from a drift boat. Although the "
        "upper reaches contain some bass, the river warms near Hamar, and "
        "smallmouth bass are the quarry in its lower reaches."
    )
    claims = [
        Claim(
            river,
            f"The {river} River is a popular fishing destination, offering opportunities to catch {fish}",
        )
        for river in ("Glomma", "Amber")
        for fish in ["brook, rainbow, brown trout, salmon, and smallmouth bass."]
    ]
    known = [
        Claim(f"c{n}", f"The Glomma River {does}.") for n, does in enumerate(["is long", "flows", "is wide"])
    ]
    found = judge.judge(Premise("p", passage), [*claims, *known]).verdicts
    assert [one.label for one in found[:2]] == ["neutral", "entailment"]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("It was a Type U 27 German submarine.", {("type", "U"), ("u", "27")}),
        ("Type A 12 boats were built.", {("type", "A")}),
    ],
)
def test_a_figure_behind_a_letter_that_is_a_label_is_one_too_unless_it_counts(text, labels):
    assert {(one.noun, one.label) for one in analyse(text, "english").labels} == labels
