"""An answer without a verb is said with the question it was given to."""

import pytest

from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Q: Which mountain is taller, K2 or Kangchenjunga?\nA: K2. It is in Asia.",
            ["Which mountain is taller, K2 or Kangchenjunga? K2.", "It is in Asia."],
        ),
        (
            "**Question:** Which rivers cross Paris?\n\n**Answer:** The Seine and the Marne.",
            ["Which rivers cross Paris? The Seine and the Marne."],
        ),
        ("Q: Who wrote Emma?\nA: Jane Austen wrote Emma.", ["Jane Austen wrote Emma."]),
        ("Q: Is K2 high?\nA: Yes.", []),
        ("Q: Who won?\nA: I don't know.", []),
        ("What is needed?\n\nVitamin A: a vitamin.", ["Vitamin A: a vitamin."]),
        ("Answer: Paris.", ["Answer: Paris."]),
    ],
)
def test_an_answer_that_says_little_alone_has_its_question(text: str, said: list[str]) -> None:
    assert [statement.text for statement in statements(text, find_parser())] == said
