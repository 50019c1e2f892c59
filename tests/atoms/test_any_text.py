"""Atoms of mangled text: no exception, spans inside the text and in order, time linear in its length."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.atoms.embedded import EmbeddedAtomizer, EmbeddedReviser
from factreasoner.atoms.statements import statements
from factreasoner.models import Record
from factreasoner.text.parsing import find_parser

PIECES = st.sampled_from(
    [
        *(
            "\n",
            "\n\n",
            "\r\n",
            "# ",
            "- ",
            "1. ",
            "> ",
            "| ",
            "|-|-|\n",
            "```\n",
            "**",
            "_",
            "`",
            "$",
            "[1]",
            "](",
            "<b>",
        ),
        *(
            "</td>",
            "\u202e",
            "\u200f",
            "\u2066",
            "\u0000",
            "\ufeff",
            "é",
            "他是作家。",
            "(",
            ")",
            '"',
            "“",
            ": ",
            "; ",
            "...",
        ),
        *(
            "Ada Lovelace",
            " was born in 1815",
            " and wrote notes",
            ", who met Bob",
            " such as A, B and C",
            " it ",
            "They ",
        ),
        *(
            " is a tool used in Rome",
            " if ",
            " because ",
            "He was",
            " not ",
            "include:",
            ".",
            "?",
            "!",
            "Note that ",
        ),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=25).map("".join)


@settings(max_examples=120, deadline=None)
@given(TEXTS, st.sampled_from(["", "Who was Ada Lovelace?"]))
def test_any_text_becomes_atoms_whose_spans_lie_in_it(text: str, question: str) -> None:
    record = Record(id="r", response=text, prompt=question)
    atoms = EmbeddedAtomizer().atomize(record).atoms
    revised = EmbeddedReviser().revise(atoms, record).atoms
    assert [atom.id for atom in revised] == [atom.id for atom in atoms]
    starts = [atom.span[0] for atom in atoms if atom.span]
    for atom in atoms:
        assert atom.text.strip()
        assert atom.span is not None
        assert 0 <= atom.span[0] < atom.span[1] <= len(text)
        assert text[slice(*atom.span)] == (atom.original or atom.text)
    for statement in statements(text):
        assert statement.span is not None
        assert statement.text.strip()
    assert len(starts) == len(atoms)


def seconds(lines: int) -> float:
    text = "".join(f"- Item {n}: it is *new* and [old] (see [1]).\n" for n in range(lines))
    start = time.perf_counter()
    statements(text)
    return time.perf_counter() - start


def test_time_is_linear_in_ten_thousand_lines() -> None:
    short = min(seconds(1_000) for _ in range(2))
    assert seconds(10_000) < 30 * short
    assert find_parser() is not None
