"""Claims in a passage's own words that say another thing, and true ones in words that look otherwise."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Olga Brandt's brother Emil Brandt won the race in 1990.", "Olga Brandt won the race in 1990."),
        ("Olga Brandt sings. Her uncle Emil Brandt won the race.", "Olga Brandt won the race."),
        ("Olga Brandt, whose son Emil Brandt won the race, sings.", "Olga Brandt won the race."),
        (
            "The wife of the painter Emil Brandt, Olga Brandt, translated Ovid.",
            "Emil Brandt translated Ovid.",
        ),
        ("Olga Brandt, a pupil of Vera Holm, won the race.", "Vera Holm won the race."),
        ("Olga Brandt's father, Emil Brandt, founded the mill.", "Olga Brandt founded the mill."),
        ("Dr. Olga Brandt, a colleague of Dr. Emil Brandt, won.", "Dr. Emil Brandt won."),
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
        ("Olga Brandt, a pupil of Vera Holm, won the race.", "Olga Brandt won the race."),
        ("The son of the painter Emil Brandt, Karl Brandt, was a judge.", "Karl Brandt was a judge."),
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
        (
            "Jan Bos the Younger built the mill. His father, Jan Bos the Elder, was a baker.",
            "Jan Bos the Elder built the mill.",
        ),
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


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "The bill was vetoed by the governor in April. The assembly met in May.",
            "The bill was vetoed by the assembly in April.",
        ),
        (
            "The bill was vetoed by the governor in April. The assembly met in May.",
            "The assembly vetoed the bill in April.",
        ),
        (
            "The Saxon army burned the fort. Danish troops came later.",
            "The fort was burned by Danish troops.",
        ),
        ("The court fined Brandt 20 million euros for cheating the rival Holm.", "The court fined Holm."),
        ("The judge jailed Brandt after hearing Holm.", "The judge jailed Holm."),
        ("The line opened in 1906 and was closed in 1958.", "The line opened in 1958."),
        ("She was born in Lima in 1904 and died in Quito in 1970.", "She died in Lima."),
        ("The mill stands in Norway, close to Finland's border.", "The mill stands in Finland."),
        ("The office is in Lyon, an hour from Geneva.", "The office is in Geneva."),
        ("Ohio State University was founded in 1870.", "The University of Ohio was founded in 1870."),
        ("The University of Texas was founded in 1883.", "Texas State University was founded in 1883."),
        ("Seven of the twelve guides spoke Danish.", "Twelve guides spoke Danish."),
        ("One in four patients relapsed.", "Four patients relapsed."),
        ("Vera Holm was nominated for the medal in 1990.", "Vera Holm won the medal in 1990."),
        ("Vera Holm translated the poems in 1990.", "Vera Holm wrote the poems in 1990."),
    ],
)
def test_what_another_did_or_had_done_to_it_is_not_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (
            "The bill was vetoed by Governor Hale in April. The assembly met.",
            "Governor Hale vetoed the bill.",
        ),
        (
            "A chemist in Basel took part. The salt was isolated by the chemist in May.",
            "The salt was isolated by a chemist in Basel.",
        ),
        ("The judge jailed Brandt for attacking Holm.", "The judge jailed Brandt."),
        ("The judge jailed Brandt and Holm for stealing cars.", "The judge jailed Holm."),
        ("The line opened in 1906 and was closed in 1958.", "The line opened in 1906."),
        ("She was born in Lima in 1904 and died in Quito in 1970.", "She was born in 1904."),
        ("He studied in Bonn and Basel and worked in Bern.", "He studied in Basel."),
        ("He studied in Bonn and in Basel.", "He studied in Basel."),
        ("The bank was accused of fraud and convicted of fraud.", "The bank was convicted of fraud."),
        ("The mill stands in the north of Norway, close to Finland.", "The mill stands in Norway."),
        ("The University of Oslo was founded in 1811.", "Oslo University was founded in 1811."),
        ("She wrote and directed the play.", "She directed the play."),
    ],
)
def test_what_they_did_themselves_is_believed(judge, passage, claim):
    assert verdict(judge, passage, claim).belief > 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Vera Holm witnessed the launch of the probe.", "Vera Holm launched the probe."),
        ("Inspector Kane investigated the murder of the banker.", "Inspector Kane murdered the banker."),
        ("The treaty was signed in Lima. Vera Holm attended the signing.", "Vera Holm signed the treaty."),
        ("Ten envoys attended the summit where the pact was signed.", "Ten envoys signed the pact."),
        ("The north wing of the palace burned down in 1834.", "The palace burned down in 1834."),
        ("The price of bread rose in March.", "Bread rose in March."),
        ("Some historians think that the map was drawn in Genoa.", "The map was drawn in Genoa."),
        ("The clerk allegedly stole the car in Bergen.", "The clerk stole the car in Bergen."),
        ("Emil Holm was one of three founders of the firm.", "Emil Holm was the sole founder of the firm."),
    ],
)
def test_an_event_attended_a_part_or_an_opinion_leaves_the_claim_open(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The firm completed the construction of the dam in 1990.", "The firm constructed the dam."),
        ("Vera Holm attended the launch of the probe.", "Vera Holm attended the launch of the probe."),
        ("A team of researchers in Leiden found the gene.", "Researchers in Leiden found the gene."),
        ("The president of the firm resigned in May.", "The firm's president resigned in May."),
    ],
)
def test_an_event_brought_about_and_a_group_of_them_bears_it_out(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


def test_a_year_of_another_sentence_is_no_year_of_a_claim(judge):
    passage = "The journal was founded before the war. In 1952 it had 8,000 readers."
    assert verdict(judge, passage, "The journal was founded in 1952.").label == "neutral"
    assert verdict(judge, passage, "In 1952 the journal had 8,000 readers.").label == "entailment"


def test_another_release_of_a_name_denies_none(judge):
    passage = "Heard in a film of 2005, Square One received a proper release a year later, on a solo album."
    assert verdict(judge, passage, "Square One was released in 2016.").label == "neutral"
