"""Ids and digests, as a list and a dict would have them, in a fraction of their memory."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.compact import Digests, Ids, Numbers, Texts

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


def test_an_id_takes_some_15_bytes_beside_its_text():
    records = [f"record-{number}" for number in range(20_000)]
    tracemalloc.start()
    ids = Ids(records)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ids) == len(records)
    assert (grown - len("".join(records))) / len(records) < 20


WHOLE = st.one_of(st.integers(0, 300), st.integers(0, 2**64 - 1))


@given(st.lists(WHOLE), st.lists(st.tuples(st.integers(0, 9), WHOLE)))
def test_numbers_are_a_list_whatever_their_size(added, changes):
    numbers, expected = Numbers(added), list(added)
    for place, number in changes:
        if place < len(expected):
            numbers[place] = expected[place] = number
    assert list(numbers) == expected
    assert [numbers[at] for at in range(len(numbers))] == expected


@pytest.mark.parametrize(("wrong", "error"), [(-1, OverflowError), (2**64, OverflowError), ("1", TypeError)])
def test_numbers_hold_no_others(wrong, error):
    numbers = Numbers([1])
    with pytest.raises(error):
        numbers.append(wrong)
    with pytest.raises(error):
        numbers[0] = wrong
    assert list(numbers) == [1]


@given(st.lists(TEXTS))
def test_texts_are_as_they_were_added(added):
    assert list(Texts(added)) == added
    assert Texts(added)[1:3] == added[1:3]
