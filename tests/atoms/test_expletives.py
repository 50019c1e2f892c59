"""The "it" that stands for nothing is neither replaced nor flagged."""

import pytest

from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Atom, Record


def unresolved(last: str) -> tuple[str, ...]:
    response = f"Inflammation hurts. {last}"
    atom = Atom(id="a", text=last, span=(20, len(response)))
    (found,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    assert found.text == last
    return found.unresolved


def test_a_kind_is_said_of_something() -> None:
    before, last = "Zephyr is a tool. Lava is hot.", "It is a method that uses two keys."
    response = f"{before} {last}"
    atom = Atom(id="a", text=last, span=(len(before) + 1, len(response)))
    (found,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    assert found.text != last or found.unresolved


@pytest.mark.parametrize(
    "last",
    [
        "Pain of the throat can make it difficult to swallow.",
        "It is recommended to see a doctor.",
        "It is considered poor form to mention a no-hitter.",
    ],
)
def test_nothing_is_meant(last: str) -> None:
    assert unresolved(last) == ()
