"""Mapping in threads: order, limits, and what an exception stops."""

import threading

import pytest

from factreasoner.errors import BudgetError
from factreasoner.llm.parallel import parallel_map


@pytest.mark.parametrize("workers", [0, 1, 3, 50])
def test_results_come_in_the_order_of_the_items(workers):
    assert parallel_map(lambda n: n * n, range(20), workers) == [n * n for n in range(20)]
    assert parallel_map(str, [], workers) == []
    assert parallel_map(str, iter([7]), workers) == ["7"]


def test_one_worker_is_the_caller_itself():
    assert parallel_map(lambda _: threading.current_thread(), range(3), 1) == [threading.current_thread()] * 3


def test_no_more_items_are_under_way_than_workers():
    lock, under_way, peak = threading.Lock(), 0, 0
    together = threading.Barrier(3)

    def work(_):
        nonlocal under_way, peak
        with lock:
            under_way += 1
            peak = max(peak, under_way)
        together.wait(20)  # passes only if three really run at once
        with lock:
            under_way -= 1

    parallel_map(work, range(9), 3)
    assert peak == 3


def test_the_first_error_stops_the_start_of_others_and_waits_for_those_begun():
    begun, finished = [], []
    failing = threading.Event()

    def work(number):
        begun.append(number)
        if number == 0:
            failing.set()
            raise BudgetError("enough")
        failing.wait(20)
        finished.append(number)

    with pytest.raises(BudgetError, match="enough"):
        parallel_map(work, range(1000), 4)
    assert len(begun) < 1000
    assert sorted(finished) == sorted(set(begun) - {0})


def test_ctrl_c_waits_for_nobody():
    hold = threading.Event()

    def work(number):
        if number == 0:
            raise KeyboardInterrupt
        hold.wait(60)

    with pytest.raises(KeyboardInterrupt):
        parallel_map(work, range(4), 4)
    assert not hold.is_set()  # the others still wait
    hold.set()


def test_maps_nest():
    inner = parallel_map(lambda n: sum(parallel_map(lambda m: n * m, range(5), 3)), range(6), 3)
    assert inner == [10 * n for n in range(6)]
