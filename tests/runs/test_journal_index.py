"""Entries by record id, as a dict would have them, in a fraction of its memory."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.runs.journal import JournalEntry
from factreasoner.runs.journal_index import STATUSES, JournalIndex

PRINTS = st.sampled_from(["00000000000000ff", "f", "", "FF00000000000000"])
ENTRIES = st.builds(
    JournalEntry,
    st.integers(0, 2**63),
    st.sampled_from(STATUSES),
    PRINTS,
    st.integers(0, 2**31),
    st.booleans(),
)


@given(st.lists(st.tuples(st.text(max_size=2), ENTRIES)))
def test_it_is_a_dict_of_the_last_entries(added):
    index = JournalIndex()
    for record_id, entry in added:
        index[record_id] = entry
    assert list(index.items()) == list(dict(added).items())
    assert "not there" not in index


def test_what_stands_behind_a_place_of_the_journal():
    index = JournalIndex()
    for offset, record_id in enumerate("abcb"):
        index[record_id] = JournalEntry(offset, "ok", "f", 1, to_repeat=False)
    assert [(record_id, entry.offset) for record_id, entry in index.since(2)] == [("c", 2), ("b", 3)]


@pytest.mark.parametrize(
    "wrong", [("done", "f", 1), ("ok", "f", "1"), ("ok", "f", -1), ("ok", None, 1), ("ok", 7, 1)]
)
def test_what_is_no_entry_is_refused(wrong):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        JournalIndex()["r"] = JournalEntry(0, *wrong, to_repeat=False)


def test_memory_grows_by_little_more_than_the_ids():
    tracemalloc.start()
    ids = [f"record-{number}" for number in range(20_000)]
    before, _ = tracemalloc.get_traced_memory()
    index = JournalIndex()
    for number, record_id in enumerate(ids):
        index[record_id] = JournalEntry(number * 4000, "ok", f"{number:016x}", 3, to_repeat=False)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / len(ids) < 55
