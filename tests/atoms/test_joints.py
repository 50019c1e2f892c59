"""Lists and contrasts whose parts can't be said one by one; every expected atom was written by hand."""

import pytest

from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser

WHOLE = [
    "Insulin is made by bacteria rather than extracted from pigs.",
    "The statue was carved from wood rather than cast in bronze.",
    "The drug is taken orally instead of injected into a vein.",
    "The drug is taken orally as opposed to injected into a vein.",
    "The statue was not cast in bronze but carved from wood.",
    "The statue was carved from wood, not cast in bronze.",
    "She sings rather than dances.",
    "Tea is grown rather than imported, which saves money.",
    "The battle was fought between the Norman army of William, Duke of Normandy, and an English army.",
    "The border runs between the north of Chile and Peru.",
]
SPLIT = {
    "He was shot rather than hanged, and he was buried at sea.": [
        "He was shot rather than hanged.",
        "He was buried at sea.",
    ],
    "He was appointed instead of his brother, who died in 1900.": [
        "He was appointed instead of his brother.",
        "His brother died in 1900.",
    ],
    "He did not write novels but wrote poems.": ["He did not write novels.", "He wrote poems."],
    "The plant does not flower and is small.": ["The plant does not flower.", "The plant is small."],
    "The plant uses seeds instead of spores and cones.": [
        "The plant uses seeds instead of spores.",
        "The plant uses seeds instead of cones.",
    ],
    "The treaty between the king of France and England was signed in Rome and Paris.": [
        "The treaty between the king of France and England was signed in Rome.",
        "The treaty between the king of France and England was signed in Paris.",
    ],
}


def said(text: str) -> list[str]:
    return [statement.text for statement in statements(text, find_parser())]


@pytest.mark.parametrize("text", WHOLE)
def test_neither_what_is_not_so_nor_one_side_of_two_is_said_alone(text: str) -> None:
    assert said(text) == [text]


@pytest.mark.parametrize(("text", "expected"), SPLIT.items())
def test_what_stands_beside_a_contrast_or_two_sides_is_still_split(text: str, expected: list[str]) -> None:
    assert said(text) == expected
