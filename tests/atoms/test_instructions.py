"""Items below "To make bread:" tell how, whatever their parse; what states something stays."""

import pytest

from factreasoner.atoms.instructions import is_aim
from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser

STEPS = "1. Mix flour with water.\n2. Bake at 230 °C until the crust is brown.\n3. The dough rises overnight."


@pytest.mark.parametrize("lead", ["To make sourdough bread:\n\n", "## How to make bread\n\n"])
def test_steps_below_an_aim_are_left_out(lead: str) -> None:
    found = statements(lead + STEPS, find_parser())
    assert [statement.text for statement in found] == ["The dough rises overnight."]


def test_they_stay_where_instructions_are_wanted() -> None:
    found = statements("To make sourdough bread:\n\n" + STEPS, find_parser(), instructions=True)
    assert len(found) == 3
    assert found[1].text.endswith("Bake at 230 °C until the crust is brown.")


@pytest.mark.parametrize(
    ("lead", "aim"),
    [
        ("To reduce the risk of stroke:", True),
        ("How to win:", True),
        ("To win, a team must have:", False),
        ("To summarize:", False),
        ("The plan is to:", False),
        ("Ways to reduce costs:", False),
    ],
)
def test_an_aim_is_what_something_is_done_for(lead: str, aim: bool) -> None:
    parser = find_parser()
    assert parser is not None
    (read,) = parser.parse([lead])
    assert read is not None
    assert is_aim(read) is aim
