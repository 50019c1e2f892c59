"""Columns of many rows are those that were added, whether they are in memory or on disk."""

import errno
import tempfile
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.errors import RunError
from factreasoner.metrics import columns
from factreasoner.metrics.columns import ROWS_AT_ONCE, Columns

VALUES = st.one_of(st.none(), st.floats(allow_nan=False))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12), st.integers(0, 12))
def test_a_column_is_read_as_it_was_added(rows, looked_at):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "ROWS_AT_ONCE", 3)
        added, seen = Columns(("a", "b")), None
        for number, row in enumerate(rows):
            if number == looked_at:
                seen = added.so_far()
            added.add(zip(("a", "b"), row, strict=True))
        whole = added.so_far()
        expected = np.array(rows, dtype=float).reshape(-1, 2)
        assert list(whole) == ["a", "b"]
        np.testing.assert_array_equal(np.column_stack(list(whole.values())), expected)
        if seen is not None:
            np.testing.assert_array_equal(seen["b"], expected[:looked_at, 1])
        with pytest.raises(KeyError):
            whole["c"]


def test_memory_does_not_grow_with_the_rows():
    added, held = Columns("abcdefgh"), []
    tracemalloc.start()
    for _ in range(3):
        for _ in range(ROWS_AT_ONCE):
            added.add((name, 0.1) for name in "abcdefgh")
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[2] - held[0] < ROWS_AT_ONCE


def test_a_full_disk_is_told_with_the_remedy(monkeypatch):
    class Full:
        def __init__(self, **_):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    monkeypatch.setattr(columns, "ROWS_AT_ONCE", 1)
    with pytest.raises(RunError, match="No space left on device; TMPDIR names another folder"):
        Columns("a").add([("a", 1.0)])
