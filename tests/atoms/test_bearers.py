"""Whom "he" and "she" stand for in answers that tell somebody's life."""

import pytest

from factreasoner.atoms.atomizer import EmbeddedAtomizer
from factreasoner.atoms.bearers import co_arguments
from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Record
from factreasoner.text.parsing import find_parser

LIFE = "Clara Roe was an Austrian pianist. She was born in Graz."


def told(response: str) -> list[tuple[str, tuple[str, ...]]]:
    record = Record(id="r", response=response)
    atoms = EmbeddedReviser().revise(EmbeddedAtomizer().atomize(record).atoms, record).atoms
    return [(atom.text, atom.unresolved) for atom in atoms]


def test_whoever_does_something_to_her_is_not_she() -> None:
    response = (
        "Clara Roe was a pianist. Gösta Mittag-Leffler brought her to Graz, where she became a lecturer."
    )
    texts = [text for text, _ in told(f"{response} She wrote an opera.")]
    assert "Gösta Mittag-Leffler brought Clara Roe to Graz." in texts
    assert "Clara Roe became a lecturer in Graz." in texts
    assert texts[-1] == "Clara Roe wrote an opera."


def test_an_institution_is_not_she() -> None:
    response = f"{LIFE} The University of Oslo awarded her a prize."
    assert told(response)[-1] == ("The University of Oslo awarded Clara Roe a prize.", ())


def test_whose_life_it_is_may_be_meant_at_any_distance() -> None:
    between = "The opera house was full. The critics were enthusiastic. The war began. The house closed."
    assert told(f"{LIFE} {between} She died in 1911.")[-1] == ("Clara Roe died in 1911.", ())


@pytest.mark.parametrize(
    "between",
    [
        "Her mother Carmen taught mathematics.",
        "Her sister was the actress Eva Roe.",
        "Maria Berg praised her concerts.",
        "Kessa Vey founded a school.",
        "Her daughter Naomi is a poet. She lives in Boston.",
    ],
)
def test_another_who_may_be_a_woman_keeps_it_open(between: str) -> None:
    assert told(f"{LIFE} {between} She died in 1911.")[-1] == ("She died in 1911.", ("She",))


@pytest.mark.parametrize(
    "between",
    ["Her mother Carmen taught mathematics.\n\n", "Her brother Hans was a poet. ", "Kim Beck helped her. "],
)
def test_a_new_paragraph_or_a_man_does_not(between: str) -> None:
    assert told(f"{LIFE} {between}In 1911 she died.")[-1] == ("In 1911 Clara Roe died.", ())


def test_the_first_of_two_persons_is_not_whose_life_it_is() -> None:
    response = "Thomas Edison met Henry Ford. The car was new. The meeting was short. He admired the car."
    assert told(response)[-1] == ("He admired the car.", ("He",))


def test_somebody_else_after_a_pronoun_that_stayed_open_is_not_taken() -> None:
    response = "Hermann Weiss was a physicist. He married. Robert Mohl supported his career. He died in 1894."
    assert told(response)[-1] == ("He died in 1894.", ("He",))


def test_a_fragment_that_hangs_on_a_preposition_is_read() -> None:
    parser = find_parser()
    assert parser is not None
    parse = parser.parse(["From her to him."])[0]
    assert parse is not None
    assert co_arguments(parse[1], parse) == {3}


def test_a_hyphened_name_is_whole() -> None:
    assert told("Gösta Mittag-Leffler was a mathematician. He founded a journal.")[-1] == (
        "Gösta Mittag-Leffler founded a journal.",
        (),
    )
    assert told("The Kok-Aral Dam was completed in 2005. The dam is 13 km long.")[-1] == (
        "The Kok-Aral Dam is 13 km long.",
        (),
    )
