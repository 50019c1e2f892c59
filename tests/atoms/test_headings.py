"""Labels under a heading: said of the name that it is, else flagged."""

import pytest

from factreasoner.atoms.atomizer import EmbeddedAtomizer
from factreasoner.atoms.headings import open_label, sentence_under
from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Record
from factreasoner.text.parsing import find_parser
from factreasoner.text.tree import Parse


def parse(said: str) -> Parse | None:
    parser = find_parser()
    assert parser is not None
    return parser.parse([said])[0]


def atoms_of(response: str) -> list[tuple[str, tuple[str, ...]]]:
    record = Record(id="r", response=response)
    found = EmbeddedAtomizer().atomize(record)
    return [(a.text, tuple(a.unresolved)) for a in EmbeddedReviser().revise(found.atoms, record).atoms]


def test_labels_under_a_name_are_said_of_it() -> None:
    text = "## Bergen\n\nA town.\n\n## Oslo\n\n**Mayor:** Ada Roe\n**Population:** about 700,000 (2022)\n"
    assert atoms_of(text)[1:] == [
        ("The mayor of Oslo is Ada Roe.", ()),
        ("The population of Oslo is about 700,000 (2022).", ()),
    ]


def test_so_are_labels_of_the_items_of_a_list() -> None:
    assert atoms_of("### Marie Curie\n- **Spouse:** Pierre Curie\n- **Note:** She won two prizes.") == [
        ("The spouse of Marie Curie is Pierre Curie.", ()),
        ("Marie Curie won two prizes.", ()),
    ]


def test_a_label_that_does_not_say_of_what_is_flagged() -> None:
    assert atoms_of(
        "## Quick Facts\n\n**Mayor:** Ada Roe\n**Founded:** 1040\n**Osmosis:** movement of water"
    ) == [
        ("Mayor: Ada Roe", ("Mayor",)),
        ("Founded: 1040", ("Founded",)),
        ("Osmosis: movement of water", ()),
    ]


@pytest.mark.parametrize(
    ("heading", "label", "value"),
    [
        ("Personal Life", "Spouse", "Pierre Curie"),
        ("Cast", "Director", "Ada Roe"),
        ("Norway", "Oslo", "700,000 people"),
        ("Oslo", "Overview", "Capital and largest city"),
        ("Oslo", "Mayor", "She is called Ada."),
        ("Oslo", "Founded", "1040"),
    ],
)
def test_what_may_not_be_of_the_heading_is_not_said_of_it(heading: str, label: str, value: str) -> None:
    assert sentence_under(heading, label, value, parse) == ""


@pytest.mark.parametrize("text", ["Oslo: 700,000 people", "Ada Roe: 1815", "Osmosis: a movement of water."])
def test_a_name_before_a_colon_is_clear(text: str) -> None:
    assert open_label(text, parse) == ""
