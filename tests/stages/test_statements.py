"""What a text states by rules: what counts as a statement, lists with their lead-in, tables."""

import pytest

from factreasoner.stages.statements import Statement, statements


def texts(text: str) -> list[str]:
    return [statement.text for statement in statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Sure! Here is a list of facts:",
        "What is the capital of France?",
        "Hello!",
        "Certainly.",
        "I hope this helps! Let me know if you have any other questions.",
        "Please note that the information may be out of date.",
        "# Early life",
        "**Career**",
        "The winners are:",
        "I don't know where he was born.",
        "As an AI language model, I do not have access to that.",
        "https://example.org/page",
        "```\nX = 1\n```",
        "---\n***",
        "!!! 🙂",
        "Is it so? 是吗？ هل هذا صحيح؟",
    ],
)
def test_states_nothing(text: str) -> None:
    assert texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Paris.",
        "Here lies the oldest temple of the island.",
        "He asked where she was, but nobody knew.",
        "You can see the tower from 30 km away.",
        "Hello Kitty is a character of a Japanese company made in 1974.",
        "Unknown to him, the war had ended in 1945.",
        "他出生于1950年。",
    ],
)
def test_states_something(text: str) -> None:
    assert texts(text) == [text]


def test_an_item_without_a_verb_takes_its_lead_in() -> None:
    text = "The four presidents were:\n1. Ada Roe (1797-1801)\n2. Jo Doe\n\nThey met in 1810."
    assert statements(text)[0] == Statement(
        "The four presidents were: Ada Roe (1797-1801)", statements(text)[0].span, "Ada Roe (1797-1801)"
    )
    assert texts(text)[1:] == ["The four presidents were: Jo Doe", "They met in 1810."]


@pytest.mark.parametrize("lead", ["Here are some examples:", "They are:", "These include the following:"])
def test_a_lead_in_that_says_nothing_is_not_taken(lead: str) -> None:
    assert texts(f"{lead}\n- Jo Doe, 1980\n- Ada Roe, 1990") == ["Jo Doe, 1980", "Ada Roe, 1990"]


def test_an_item_with_a_verb_stands_alone() -> None:
    assert texts("The steps were:\n- Ada was hired.\n- Jo was fired.") == ["Ada was hired.", "Jo was fired."]


def test_emphasis_and_line_breaks_go_and_the_original_stays() -> None:
    text = "**Ada** was\nborn in __1815__, and M*A*S*H is 5 * 3."
    assert statements(text) == [
        Statement("Ada was born in 1815, and M*A*S*H is 5 * 3.", statements(text)[0].span, text)
    ]


def test_a_table_row_is_read_with_its_header() -> None:
    text = "| Name | Born |\n|------|------|\n| Ada | 1815 |\n| Jo | |\n"
    assert texts(text) == ["Name: Ada; Born: 1815", "Name: Jo"]


def test_spans_are_verbatim() -> None:
    text = "Ada was born in 1815 in London and won the prize in 1833. It was big."
    assert [text[s.span.start : s.span.end] for s in statements(text) if s.span] == [
        "Ada was born in 1815 in London",
        "won the prize in 1833",
        "It was big.",
    ]
