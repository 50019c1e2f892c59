"""Ids and digests, as a list and a dict would have them, in a fraction of their memory."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.inputs.compact import Digests, Ids

TEXTS = st.text(st.characters(), max_size=3)


@given(st.lists(TEXTS), TEXTS)
def test_ids_are_in_the_order_of_their_first_mention(added, other):
    ids = Ids(added)
    expected = list(dict.fromkeys(added))
    assert list(ids) == expected
    assert [ids.place(record_id) for record_id in expected] == list(range(len(expected)))
    assert (ids[:2], ids[-1:]) == (expected[:2], expected[-1:])
    assert ids.place(other) == (expected.index(other) if other in expected else None)
    assert (other in ids) == (other in expected)


def test_there_is_no_place_beyond_the_last():
    with pytest.raises(IndexError):
        Ids(["a"])[1]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["00000000000000ff", "f", "", "FF00000000000000"])))
)
def test_digests_are_what_was_last_set(changes):
    digests, expected = Digests(), []
    for place, digest in changes:
        at = min(place, len(expected))
        digests[at] = digest
        expected[at : at + 1] = [digest]
    assert [digests[at] for at in range(len(digests))] == expected


def test_an_id_takes_some_20_bytes_beside_its_text():
    records = [f"record-{number}" for number in range(20_000)]
    tracemalloc.start()
    ids = Ids(records)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ids) == len(records)
    assert (grown - len("".join(records))) / len(records) < 40
