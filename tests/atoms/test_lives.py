"""When somebody was born and died, said in a parenthesis."""

import pytest

from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser


def found(text: str) -> list[tuple[str, str]]:
    """What is said, and the text it comes from."""
    return [(s.text, text[s.span.start : s.span.end]) for s in statements(text, find_parser()) if s.span]


def test_dates_of_a_life_are_statements_of_their_own() -> None:
    text = "Ida Roe (14 March 1851 – 2 October 1919) was a botanist."
    assert found(text) == [
        ("Ida Roe was a botanist.", text),
        ("Ida Roe was born on 14 March 1851.", " (14 March 1851 – 2 October 1919)"),
        ("Ida Roe died on 2 October 1919.", " (14 March 1851 – 2 October 1919)"),
    ]


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("1851–1919", ["was born in 1851", "died in 1919"]),
        ("1851-1919", ["was born in 1851", "died in 1919"]),
        ("c. 1851 – 1919", ["was born around 1851", "died in 1919"]),
        ("born May 5, 1970", ["was born on May 5, 1970"]),
        ("b. 1970", ["was born in 1970"]),
        ("died June 1919", ["died in June 1919"]),
        ("born June 1870", ["was born in June 1870"]),
        ("née Lind; 1851–1919", ["was born Lind", "was born in 1851", "died in 1919"]),
        ("born Ida Lind, 5 May 1851 – 1919", ["was born Ida Lind", "was born on 5 May 1851", "died in 1919"]),
        ("born Ida Lind", ["was born Ida Lind"]),
        (
            "born 14 March 1851 in Graz, Austria – died 2 October 1919 in Linz",
            [
                "was born on 14 March 1851",
                "was born in Graz, Austria",
                "died on 2 October 1919",
                "died in Linz",
            ],
        ),
    ],
)
def test_forms_of_dates(inside: str, said: list[str]) -> None:
    text = f"Ida Roe ({inside}) was a botanist."
    assert [each for each, _ in found(text)] == ["Ida Roe was a botanist.", *(f"Ida Roe {x}." for x in said)]


@pytest.mark.parametrize(
    "text",
    [
        "Queen Victoria (1837–1901) opened the hall.",
        "The Kerr War (1851–1853) was a conflict.",
        "Ida Roe (1851) was a botanist.",
        "Ida Roe (née Lind; played by Ann Lee) was a botanist.",
        "Ida Roe (born Rome, 1970) is a botanist.",
        "The novel (1951) was a success.",
    ],
)
def test_other_parentheses_stay(text: str) -> None:
    assert [each for each, _ in found(text)] == [text]


def test_a_verb_with_a_prefix_is_one_verb() -> None:
    text = "Ida Roe (1851–1919) was a chemist who co-founded a lab."
    assert [each for each, _ in found(text)] == [
        "Ida Roe was a chemist.",
        "Ida Roe co-founded a lab.",
        "Ida Roe was born in 1851.",
        "Ida Roe died in 1919.",
    ]
