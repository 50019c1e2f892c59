"""What somebody else in a sentence is called, the claim's subject is not."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Emil Brandt was the son of a cooper from Lom.", "Emil Brandt was a cooper."),
        ("She was the daughter of a poor weaver.", "She was a poor weaver."),
        ("Olga Brandt married the nephew of a banker in Basel.", "Olga Brandt was a banker in Basel."),
        ("Emil Brandt was an apprentice of the printer Karl Lund.", "Emil Brandt was a printer."),
    ],
)
def test_what_ones_relative_or_master_is_one_is_not(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Emil Brandt, the son of a cooper, was a chemist.", "Emil Brandt was a chemist."),
        ("Emil Brandt was a poet and the son of a miner.", "Emil Brandt was a poet."),
        ("Emil Brandt was the son of a cooper.", "Emil Brandt was a son of a cooper."),
        ("Emil Brandt, son of a banker, was himself a banker in Lom.", "Emil Brandt was a banker in Lom."),
        ("Emil Brandt was the son of the smith Karl Brandt.", "Karl Brandt was a smith."),
    ],
)
def test_what_one_with_a_relative_is_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Anna Berg met Tom Reed, a violinist.", "Anna Berg was a violinist."),
        (
            "Anna Berg (1900-1970) studied under Tom Reed (1880-1950), a violinist.",
            "Anna Berg was a violinist.",
        ),
        ("Anna Berg worked with the Dutch painter Piet Vos.", "Anna Berg was Dutch."),
        ("Anna Berg worked with the Dutch painter Piet Vos.", "Anna Berg was a Dutch painter."),
        ("The Lark was rammed by the Heron, a German submarine.", "The Lark was a German submarine."),
    ],
)
def test_what_another_is_called_beside_the_name_leaves_it_open(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Anna Berg, a violinist, met Tom Reed in Oslo.", "Anna Berg was a violinist."),
        ("Anna Berg (1900-1970), a violinist, met Tom Reed.", "Anna Berg was a violinist."),
        ("Tom Reed met Anna Berg, a violinist.", "Anna Berg was a violinist."),
        ("Tom Reed met the violinist Anna Berg.", "Anna Berg was a violinist."),
        ("Anna Berg, born Anna Vos, a violinist, died in 1970.", "Anna Berg was a violinist."),
        ("Anna Berg was born in Norway, a violinist from the age of six.", "Anna Berg was a violinist."),
        ("Anna Berg was a violinist, as was Tom Reed, a Dutch composer.", "Anna Berg was a violinist."),
    ],
)
def test_what_one_is_called_beside_another_name_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
