"""What stands before a colon or dash, with a parse: dates of a timeline, labels, and what is neither."""

import pytest

from factreasoner.atoms.labels import names
from factreasoner.atoms.leading_labels import circumstance
from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser


def parsed(text: str) -> list[str]:
    return [statement.text for statement in statements(text, find_parser())]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("1951", "In 1951"),
        ("June 1946", "In June 1946"),
        ("12 June 1946", "On 12 June 1946"),
        ("June 12th, 1946", "On June 12th, 1946"),
        ("1950s", "In the 1950s"),
        ("1951–1953", "From 1951 to 1953"),
        ("March 1951 to 1953", "From March 1951 to 1953"),
        ("2011 – present", "Since 2011"),
        ("Evaporation", ""),
        ("1951 census", ""),
        ("", ""),
    ],
)
def test_dates_as_circumstances(label: str, said: str) -> None:
    assert circumstance(label) == said


def test_the_items_of_a_timeline_say_when() -> None:
    text = (
        "- **1938:** A survey identifies the valley as a good site.\n- 1951: The dam is completed.\n"
        "- **12 June 1953** – A flood kills 20 people.\n- **2011 – present:** The site is run by the town.\n"
    )
    assert parsed(text) == [
        "In 1938, a survey identifies the valley as a good site.",
        "In 1951, the dam is completed.",
        "On 12 June 1953, a flood kills 20 people.",
        "Since 2011, the site is run by the town.",
    ]


def test_what_follows_a_label_and_has_a_verb_is_no_definition_of_it() -> None:
    first, second = parsed(
        "1. **Evaporation** – A liquid absorbs heat.\n2. **Osmosis** – A movement of water."
    )
    assert first == "A liquid absorbs heat."
    assert second == "Osmosis is a movement of water."


@pytest.mark.parametrize(
    "text",
    [
        "Ida Roe (14 March 1851 – 2 October 1919) crossed the Pamir.",
        "The set $a - b$ is finite.",
        "The flight London – Paris takes an hour.",
    ],
)
def test_a_dash_within_brackets_formulas_and_sentences_ends_no_label(text: str) -> None:
    assert parsed(text) == [text]


@pytest.mark.parametrize(("label", "named"), [("Humidity", False), ("Desert plants", True)])
def test_they_are_no_label_of_one_thing(label: str, named: bool) -> None:
    parser = find_parser()
    assert parser is not None
    assert names(label, parser.parse([label])[0].words, "they") is named
    assert names(label, parser.parse([label])[0].words, "it")


def test_a_date_in_bold_type_needs_no_colon_in_the_item_of_a_list() -> None:
    text = "- **1904** Chile takes over the project.\n- **1905** was a bad year.\n- **May 1906** Work begins."
    assert [statement.text for statement in statements(text, find_parser())] == [
        "In 1904, Chile takes over the project.",
        "1905 was a bad year.",
        "In May 1906, work begins.",
    ]
