from __future__ import annotations

from pathlib import Path

import pytest

from factreasoner.solvers import memory
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.memory import bytes_needed, memory_budget, readable


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1_500_000, "1.43 MiB"),
        (1 << 30, "1 GiB"),
        (1020 << 20, "1020 MiB"),
        (1 << 59, "512 PiB"),
        (1 << 60, "more than 10^18 bytes"),
        (1 << 5000, "more than 10^18 bytes"),
    ],
)
def test_sizes_are_readable(count: int, text: str) -> None:
    assert readable(count) == text


def test_bytes_for_every_table_and_two_more_of_the_largest() -> None:
    assert bytes_needed(eliminate([2, 2, 2], [(0, 1, 2)])) == 8 * (8 + 4 + 2 + 2 * 8)


def test_the_budget_is_at_most_half_of_what_a_container_may_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert memory_budget() <= 1 << 31
    (tmp_path / "memory.max").write_text("67108864\n")
    (tmp_path / "unlimited").write_text("max\n")
    limits = (tmp_path / "unlimited", tmp_path / "memory.max", tmp_path / "missing")
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", limits)
    assert memory_budget() == 1 << 25
