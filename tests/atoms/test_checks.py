"""What a statement leaves of the texts it was made from."""

import pytest

from factreasoner.atoms.checks import Material


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("塔高五十二米，位于巴黎市中心。", "巴黎高于五米中心。", True),
        ("塔高五十二米，位于巴黎市中心。", "塔高五十二米。", False),
        ("Version 1.5", "Release 5.1", True),
        ("Version 1.5", "Release 1.5", False),
    ],
)
def test_words_are_compared_by_script_and_number(before, after, left):
    assert Material(before, "").is_unrelated(before, after) == left
