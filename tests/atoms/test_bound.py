"""What an atom itself explains is not flagged; what it does not is."""

import pytest

from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Atom, Record


def unresolved(last: str) -> tuple[str, ...]:
    response = f"Much has been said. {last}"
    atom = Atom(id="a", text=last, span=(20, len(response)))
    (found,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    return found.unresolved


@pytest.mark.parametrize(
    "last",
    [
        "When the esophagus is inflamed, it can become swollen.",
        "Once the court has made a decision, it will issue an order.",
        "If a buyer finds a cheaper house, they may leave.",
        "The method refines the space with itself.",
        "The former president of Peru was tried in 2001.",
        "The sun rose at six.",
        "The striker needs good eyes.",
        "He et al. (2022) propose a model.",
        "The wall of the cell protects it from damage.",
        "The term is used of those who enjoy technology.",
        "A level exceeds that of the richest forest.",
    ],
)
def test_what_is_named_in_the_atom_is_clear(last: str) -> None:
    assert unresolved(last) == ()


@pytest.mark.parametrize(
    ("last", "word"),
    [
        ("The University of Oslo awarded her a prize.", "her"),
        ("In cold weather it can become brittle.", "it"),
        ("You can do this by filing a petition.", "this"),
        ("Most phones use the latter.", "latter"),
        ("The striker missed the World Cup.", "The striker"),
        ("The former reasoning was later adopted by courts.", "former reasoning"),
        ("The owner feeds it twice a day.", "it"),
        ("Care involves moving it to the cellar.", "it"),
    ],
)
def test_what_is_not_is_open(last: str, word: str) -> None:
    assert unresolved(last) == (word,)
