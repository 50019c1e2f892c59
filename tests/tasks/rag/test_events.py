"""Events some of which are undecided, and the shares of them."""

import itertools

import pytest

from factreasoner.tasks.rag.events import NEVER, UNDECIDED, Event, any_of, share

YES, NO = Event(True, 0.9), Event(False, 0.2)


def test_what_decides_stands_whatever_is_missing():
    assert (NO & UNDECIDED).holds is False
    assert (YES & UNDECIDED).holds is None
    assert (~UNDECIDED).holds is None
    assert any_of([NO, UNDECIDED, YES]) == YES
    assert any_of([NO, UNDECIDED]) == UNDECIDED
    assert any_of([]) == NEVER


@pytest.mark.parametrize(("one", "other"), list(itertools.product([YES, NO], repeat=2)))
def test_events_are_taken_as_independent(one, other):
    both = one & other
    assert both.holds is (one.holds and other.holds)
    assert both.p == pytest.approx(one.p * other.p)
    assert (~one).p == pytest.approx(1 - one.p)
    assert any_of([one, other]).p == max(one.p, other.p)


def test_a_part_taken_out_of_what_it_implies():
    assert Event(True, 0.9).without(Event(False, 0.2)) == Event(True, pytest.approx(0.7))
    assert Event(True, 0.9).without(Event(True, 0.9)) == Event(False, 0.0)


def test_a_share_leaves_out_what_is_undecided_and_says_what_it_can_be():
    found = share([YES, NO, NO, UNDECIDED])
    assert (found.value, found.decided, found.undecided) == (pytest.approx(1 / 3), 3, 1)
    assert found.p == pytest.approx((0.9 + 0.2 + 0.2) / 3)
    assert found.bounds == (pytest.approx(1 / 4), pytest.approx(2 / 4))
    assert share([YES]).bounds is None
    assert (share([]).value, share([]).bounds) == (None, None)
    assert share([UNDECIDED]).bounds == (0.0, 1.0)
