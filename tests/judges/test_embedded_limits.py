"""What a sentence limits to some times, people or cases leaves open what a claim says of all."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The garden is free on the first Sunday of the month.", "The garden is free on Sundays."),
        ("Parking is free after 6 pm.", "Parking is free."),
        ("Trains run hourly on weekdays.", "Trains run hourly."),
        ("The lemma fails for rings of prime order.", "The lemma fails for rings."),
        ("The bound is valid for graphs of even degree.", "The bound is valid for graphs."),
        ("The levy applies to firms of over 40 people.", "The levy applies to firms."),
        ("A permit is required for dogs of heavy breeds.", "A permit is required for dogs."),
        ("Entry is free for children under six.", "Entry is free."),
        ("Entry is free for children under six.", "Entry is free for children."),
        ("The sauna is open to members.", "The sauna is open."),
        ("In winter dogs are allowed on the beach.", "Dogs are allowed on the beach."),
        ("The harbour freezes in most winters.", "The harbour freezes in winter."),
        ("The bakery is open daily except Monday.", "The bakery is open daily."),
        ("All but two of the ships returned to port.", "All of the ships returned to port."),
        ("Hardly anyone in Lom speaks the dialect.", "People in Lom speak the dialect."),
        ("Brandt wrote the play.", "Brandt alone wrote the play."),
        ("Hardly any of the trees survived the frost.", "Most of the trees survived the frost."),
        ("Few monks in Lom own a boat.", "Monks in Lom own a boat."),
        ("The letters were burned or buried by his heirs.", "The letters were burned by his heirs."),
        ("The ship may have sunk or run aground.", "The ship ran aground."),
        ("The heater starts unless the window is open.", "The heater starts if the window is open."),
        ("Take 5 mg once daily, increased to 10 mg after a week.", "Take 10 mg once daily."),
        ("Tickets start at around $40 per seat.", "Tickets start at around $45 per seat."),
        ("The bridge is roughly 310 metres long.", "The bridge is roughly 330 metres long."),
        ("The grant was worth $52,000.", "The grant was worth around $56,000."),
    ],
)
def test_what_is_limited_or_another_figure_is_neither_entailed_nor_believed(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Lagerkvist won the Nobel Prize in Stockholm in 1951.", "Lagerkvist won the Nobel Prize."),
        ("In June 1944 the town was bombed by American planes.", "The town was bombed by American planes."),
        ("Trains run hourly on weekdays and Saturdays.", "Trains run hourly on weekdays."),
        ("The frog lives in the rain forests of Borneo.", "The frog lives in Borneo."),
        ("The pass is valid on trams or buses.", "The pass is valid on buses."),
        ("The fee is 30 euros, a bit more if you come by car.", "The fee is 30 euros."),
        ("The walk takes two hours, longer if the path is wet.", "The walk takes two hours."),
        ("The reservoir holds 5,980,000 litres.", "The reservoir holds about 6 million litres."),
        ("The lake is 97 metres deep.", "The lake is about 100 metres deep."),
        ("About 6,000 people live on the island.", "Around 6,000 people live on the island."),
        ("The levy applies to boats of all sizes.", "The levy applies to boats."),
        ("The town is known for tiles of great value.", "The town is known for tiles."),
        ("The fair is open to visitors of every age.", "The fair is open to visitors."),
        ("The cove is home to birds of rare kinds.", "The cove is home to birds."),
        ("The barn held nothing but dry hay from Lom.", "The barn held dry hay from Lom."),
        ("The barn held only hay.", "The barn held nothing but hay."),
        ("Only Emil Brandt had the key.", "No one but Emil Brandt had the key."),
        ("No one but Emil Brandt had the key.", "Emil Brandt had the key."),
    ],
)
def test_what_is_said_of_all_or_happened_once_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("In 1923 Ida Roth climbed the Eiger.", "Ida Roth was the first woman to climb the Eiger."),
        (
            "The gallery owns a Turner. It also has two prints by Blake.",
            "The gallery owns the only Turner in the city.",
        ),
        ("The barn held hay.", "The barn held nothing but hay."),
        ("The abbot signed the deed.", "The abbot alone signed the deed."),
        ("Olga Brandt climbed the peak in 1920.", "None but Olga Brandt climbed the peak in 1920."),
        ("Emil Brandt had the key.", "No one but Emil Brandt had the key."),
        ("The ford is used by carts in May.", "Nothing other than carts uses the ford in May."),
    ],
)
def test_what_is_not_said_to_be_the_only_or_the_first_is_left_open(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


def test_the_owner_of_a_doer_is_no_doer(judge):
    passage = "The poems were translated by Borges's friend Elena Rey."
    assert verdict(judge, passage, "Elena Rey translated the poems.").label == "entailment"
    of_the_owner = verdict(judge, passage, "Borges translated the poems.")
    assert of_the_owner.label == "neutral"
    assert of_the_owner.belief <= 0.5


def test_a_condition_behind_more_is_of_that_alone(judge):
    passage = "You should drink two litres a day, more if it is hot."
    assert verdict(judge, passage, "You should drink two litres a day.").label == "entailment"


def test_what_hardly_anyone_does_is_not_entailed_of_people(judge):
    found = verdict(
        judge, "Hardly anyone in the valley of Lom owns a boat.", "People in the valley of Lom own a boat."
    )
    assert found.label == "neutral"
