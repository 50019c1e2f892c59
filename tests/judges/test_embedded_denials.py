"""A sentence denies a claim only where both speak of one thing, group, time and place."""

import pytest

from factreasoner.judges.embedded import EmbeddedJudge
from factreasoner.models import Claim, Premise


@pytest.fixture(scope="module")
def judge():
    return EmbeddedJudge()


def label(judge, passage, claim):
    (found,) = judge.judge(Premise("c", passage), [Claim("a", claim)]).verdicts
    return found.label


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Mr Ogden does not own the hotel in Bath.", "Mr Ogden owns the hotel in Leeds."),
        ("The bank did not raise interest rates in June.", "The bank raised interest rates in July."),
        ("The shop did not open in May.", "The shop opened in June."),
        ("Lena does not speak French.", "Lena speaks German."),
        ("The insurance does not cover dental care.", "The insurance covers eye care."),
        ("Unlike cats, dogs do not climb trees.", "Cats climb trees."),
        ("The bus line does not run on Sundays.", "The tram line runs on Sundays."),
        ("Gold dissolves in mercury, and this is no reaction.", "Gold is resistant to most reactions."),
        ("In northern Norway the wolves lay.", "In southern Norway the wolves lay."),
        ("The star is French and works in Oslo.", "The star is not American and works in Oslo."),
        ("You can remove a scheduled status change.", "You cannot schedule a status change."),
        ("The Lark is also an option, though it is not free.", "Another option is also free."),
    ],
)
def test_a_negation_of_another_thing_place_or_time_denies_nothing(judge, passage, claim):
    assert label(judge, passage, claim) == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("It is not unusual for the lake to freeze.", "The lake freezes."),
        ("He never failed to answer letters.", "He answered letters."),
        ("She could not have won without his help.", "She won."),
        (
            "She was the first and only woman to lead the party.",
            "No other woman has led the party.",
        ),
        ("No other city in the country is larger.", "It is the largest city in the country."),
        ("Almost all the trees were lost.", "Not all the trees were lost."),
        ("Not all the trees were lost.", "The trees were lost."),
        (
            "Syrup should not be given to infants because it may cause seizures.",
            "Giving syrup to infants may cause seizures.",
        ),
        ("Do not use vinegar because it can damage the seals.", "Use of vinegar can damage the seals."),
        ("No one but the king could enter the hall.", "The king could enter the hall."),
        ("The painting is no longer in Vienna.", "The painting was in Vienna."),
        ("No sooner had the war ended than the plague began.", "The plague began after the war ended."),
        ("The actor is not known for comedies, but he made two.", "The actor made two comedies."),
        (
            "The firing range of the gun is 2 metres.",
            "The firing range of the gun is not more than 2 metres.",
        ),
        ("The trainer denied having doped the horse.", "The trainer did not admit having doped the horse."),
        ("The mayor denied having met the builder.", "The mayor met the builder."),
    ],
)
def test_a_negation_that_affirms_or_leaves_open_is_no_contradiction(judge, passage, claim):
    assert label(judge, passage, claim) != "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Anna is older than Ben.", "Ben is younger than Anna."),
        (
            "A 15-year mortgage has a lower rate than a 30-year mortgage.",
            "A 30-year mortgage has a higher rate.",
        ),
        ("Oslo is farther north than Berlin.", "Berlin is farther south than Oslo."),
        ("The old town lies on the left bank.", "The new town lies on the right bank."),
        ("The tower was 60 metres high before the fire.", "The tower is 45 metres high."),
        ("The novel sold 20,000 copies in its first week.", "The novel sold 300,000 copies."),
        ("The vaccine was effective in women.", "The vaccine was effective in men."),
        ("The bird is common in the northern valley.", "The bird is common in the southern valley."),
        (
            "The vaccine was 91 per cent effective in adults under 60.",
            "The vaccine was 74 per cent effective in adults over 60.",
        ),
        ("The vaccine was 91 per cent effective in women.", "The vaccine was 74 per cent effective in men."),
        ("Rents rose 4 per cent in the Spanish cities.", "Rents rose 7 per cent in the Italian cities."),
    ],
)
def test_another_group_or_the_converse_is_no_contradiction(judge, passage, claim):
    assert label(judge, passage, claim) == "neutral"


@pytest.mark.parametrize(
    ("passage", "claim", "expected"),
    [
        ("Ada Dahl won the cup in 1990.", "Ada Dahl won the cup in 1994.", "neutral"),
        ("She visited Rome in 1990.", "She visited Rome in 1995.", "neutral"),
        ("The stadium was renovated in 1998.", "The stadium was renovated in 2014.", "neutral"),
        ("Ada Dahl was born in 1874 in Trieste.", "Ada Dahl was born in 1847 in Trieste.", "contradiction"),
        ("The firm was founded in 1921.", "The firm was founded in 1912.", "contradiction"),
        ("She first won the cup in 1990.", "She first won the cup in 1994.", "contradiction"),
        ("The band met on 3 May 1990 in Oslo.", "The band met on 3 June 1990 in Oslo.", "contradiction"),
        ("The mill closed in 1932.", "The mill closed in 1910.", "contradiction"),
        ("Two tankers sank there in 1990.", "Two tankers sank there in 1997.", "contradiction"),
        ("The festival took place in 1990.", "The festival took place in 1994.", "neutral"),
    ],
)
def test_a_date_alone_clashes_only_for_what_happens_once(judge, passage, claim, expected):
    assert label(judge, passage, claim) == expected


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The committee did not approve the budget.", "The committee approved the budget."),
        ("The vaccine contains no live virus.", "The vaccine contains live virus."),
        ("Neither the pilot nor the guests survived the crash.", "The guests survived the crash."),
        ("The two ministers never met in person.", "The two ministers met in person."),
        ("The two ministers met in person.", "The two ministers never met in person."),
        ("The painting is no longer in Vienna.", "The painting is in Vienna."),
        ("Pluto has five known moons.", "Pluto does not have moons."),
        ("All the trees were lost.", "Not all the trees were lost."),
        ("Syrup should not be given to infants.", "Syrup should be given to infants."),
        ("The spring is hot even in winter.", "The spring is cold even in winter."),
        ("Bees are found in many of the valleys.", "Bees are found in few of the valleys."),
        ("The heir is a woman from Cork.", "The heir is a man from Cork."),
        ("The town lies in the northern part of Spain.", "The town lies in the southern part of Spain."),
        (
            "A 15-year loan has a lower rate than a 30-year loan.",
            "A 15-year loan has a higher rate than a 30-year loan.",
        ),
    ],
)
def test_what_is_denied_of_the_same_thing_is_a_contradiction(judge, passage, claim):
    assert label(judge, passage, claim) == "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Her ranking rose to No. 3 in 2014.", "Her ranking rose in 2014."),
        ("No, the library is open on Sundays.", "The library is open on Sundays."),
        (
            "They play Noah and Ida, who fight when Ida (but not Noah) begins to ask.",
            "They play Noah and Ida.",
        ),
        (
            '"This cannot be tolerated," Ada Roe, the head of the harbour office in Lund, said.',
            "Ada Roe is the head of the harbour office in Lund.",
        ),
        ("We had no follow-up, so we got together to write the song.", "We got together to write the song."),
        (
            "The rivers are known for their lack of dams, providing miles of trout habitat.",
            "The rivers provide miles of trout habitat.",
        ),
    ],
)
def test_a_no_of_a_number_an_answer_an_aside_or_another_part_denies_nothing(judge, passage, claim):
    assert label(judge, passage, claim) != "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("No, the library is not open on Sundays.", "The library is open on Sundays."),
        ("Ada Roe did not, however, sign the treaty in 1990.", "Ada Roe signed the treaty in 1990."),
        ("The drug is not approved for children, the agency said.", "The drug is approved for children."),
        ("The team won no medals in Rome.", "The team won medals in Rome."),
    ],
)
def test_a_negation_of_the_same_thing_denies_it(judge, passage, claim):
    assert label(judge, passage, claim) == "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim", "expected"),
    [
        (
            "With 20% down, you don't have to pay a fee.",
            "With 20% down, you avoid paying a fee.",
            "entailment",
        ),
        ("With 20% down, you don't avoid the fee.", "With 20% down, you avoid the fee.", "contradiction"),
        (
            "The vaccine prevents measles infection.",
            "The vaccine does not prevent measles infection.",
            "contradiction",
        ),
        ("No, pension funds are not at risk there.", "Pension funds are not at risk there.", "entailment"),
        ("No pension funds are at risk there.", "Pension funds are at risk there.", "contradiction"),
        (
            "If your tools are too precious to sell, consider renting a shed with more storage space.",
            "You can sell tools that you do not need, or consider renting a shed with more storage space.",
            "neutral",
        ),
    ],
)
def test_a_negation_denies_what_it_reaches_and_avoiding_is_one(judge, passage, claim, expected):
    assert label(judge, passage, claim) == expected


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Lund is not the only town on the river.", "Lund is a town on the river."),
        ("Lund is not a large town on the river.", "Lund is a town on the river."),
        ("It breeds in streams, so ponds are not its only breeding sites.", "Ponds are breeding sites."),
    ],
)
def test_what_is_not_the_only_or_a_large_one_is_one(judge, passage, claim):
    assert label(judge, passage, claim) != "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Lund is not the only town on the river.", "Lund is the only town on the river."),
        ("Lund is not a large town on the river.", "Lund is a large town on the river."),
        ("Lund is not a town on the river.", "Lund is a town on the river."),
    ],
)
def test_what_is_not_the_only_one_is_denied_to_be_it(judge, passage, claim):
    assert label(judge, passage, claim) == "contradiction"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The bridge does not open to ships for ten weeks a year.", "The bridge opens to ships."),
        ("The shop will not close for a few years.", "The shop closes."),
    ],
)
def test_what_is_not_so_for_a_time_denies_nothing(judge, passage, claim):
    assert label(judge, passage, claim) == "neutral"


def test_what_is_not_so_for_a_time_is_denied_of_that_time(judge):
    claim = "The bridge opens to ships for ten weeks."
    assert label(judge, "The bridge does not open to ships for ten weeks.", claim) == "contradiction"
