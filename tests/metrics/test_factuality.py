"""K of a run and of a record."""

from __future__ import annotations

import pytest

from factreasoner.metrics.factuality import record_k, resolve_k


@pytest.mark.parametrize(
    ("setting", "counts", "k"),
    [
        (7, [1, 2], 7),
        ("median", [26, 3, 11], 11),
        ("median", [10, 13], 13),
        ("median", [10, 12], 12),
        ("median", [0, 0, 4, 9, 0], 9),
        ("median", [1], 1),
        ("median", [0], None),
        ("median", [], None),
        ("half", [4, 9], None),
    ],
)
def test_k_of_a_run(setting: object, counts: list[int], k: int | None) -> None:
    assert resolve_k(setting, counts) == k  # type: ignore[arg-type]


def test_k_of_a_record() -> None:
    assert [record_k("half", None, n) for n in (0, 1, 2, 3, 9)] == [1, 1, 1, 1, 4]
    assert record_k("median", 12, 3) == 12
    assert record_k(5, 5, 3) == 5
