"""Threads over records."""

import threading
import time

import pytest

from factreasoner.runs.executors import ThreadExecutor


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_every_item_is_mapped_once(workers):
    assert sorted(ThreadExecutor(workers).map(lambda x: x * x, range(50))) == [x * x for x in range(50)]


@pytest.mark.parametrize("workers", [1, 3])
def test_items_are_taken_only_as_fast_as_they_are_worked_off(workers):
    taken = []

    def items():
        for i in range(1000):
            taken.append(i)
            yield i

    results = ThreadExecutor(workers).map(lambda x: x, items())
    next(results)
    assert len(taken) <= workers + 1
    results.close()


def test_results_come_in_order_of_completion():
    release = threading.Event()

    def work(item):
        if item == 0:
            assert release.wait(10)
        return item

    results = ThreadExecutor(2).map(work, [0, 1])
    assert next(results) == 1
    release.set()
    assert list(results) == [0]


@pytest.mark.parametrize("workers", [1, 4])
def test_an_error_stops_new_items_and_is_raised(workers):
    begun = []

    def work(item):
        begun.append(item)
        if item == 3:
            raise ValueError("three")
        time.sleep(0.01)
        return item

    with pytest.raises(ValueError, match="three"):
        list(ThreadExecutor(workers).map(work, range(500)))
    assert len(begun) <= 4 + workers
