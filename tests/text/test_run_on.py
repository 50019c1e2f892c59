"""Items and code that run on in a paragraph are parts of their own; dashes within sentences part nothing."""

import pytest

from factreasoner.text.sentences import blocks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("You need: 1. Salt. 2. Oil.", [("You need:", "prose"), ("Salt.", "item"), ("Oil.", "item")]),
        (
            "Fees are due. - After a year (see 2.) - They rise.",
            [("Fees are due.", "prose"), ("After a year (see 2.)", "item"), ("They rise.", "item")],
        ),
        (
            "Use this: ``` kit add X ``` - **Then** stop.",
            [("Use this:", "prose"), ("``` kit add X ```", "code"), ("**Then** stop.", "item")],
        ),
        ("- Salt. - Oil.", [("Salt.", "item"), ("Oil.", "item")]),
        ("A thing - which is. Good - Very good.", [("A thing - which is. Good - Very good.", "prose")]),
        ("It rose.- Then it fell.", [("It rose.- Then it fell.", "prose")]),
        ("It fell to 5. - 3 is left.", [("It fell to 5. - 3 is left.", "prose")]),
    ],
)
def test_a_paragraph_has_these_parts(text: str, parts: list[tuple[str, str]]) -> None:
    assert [(text[block.start : block.end], block.kind) for block in blocks(text)] == parts
