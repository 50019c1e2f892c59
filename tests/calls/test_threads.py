"""Threads: maps over items, calls that are abandoned, and room for deep calls."""

import contextvars
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.calls import threads
from factreasoner.calls.deadlines import run_within
from factreasoner.calls.threads import one_by_one_until, open_map, parallel_map, with_stack_room
from factreasoner.errors import BudgetError, PendingError


def handed_over(fn, items, workers):
    """Results of all items of an open map, in their order."""
    with open_map(fn, workers) as submit:
        return [future.result(20) for future in [submit(item) for item in items]]


trees = st.recursive(st.integers(-9, 9), lambda inner: st.lists(inner, max_size=5), max_leaves=60)


class Gauge:
    """How many are inside at once, and how many were at most."""

    def __init__(self):
        self.lock = threading.Lock()
        self.now = 0
        self.peak = 0

    def __enter__(self):
        with self.lock:
            self.now += 1
            self.peak = max(self.peak, self.now)

    def __exit__(self, *error):
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize("workers", [0, 1, 3, 50])
def test_results_come_in_the_order_of_the_items(workers):
    assert parallel_map(lambda n: n * n, range(20), workers) == [n * n for n in range(20)]
    assert parallel_map(str, [], workers) == []
    assert parallel_map(str, iter([7]), workers) == ["7"]


def test_no_more_items_are_under_way_than_workers():
    gauge, together = Gauge(), threading.Barrier(3)

    def work(_):
        with gauge:
            together.wait(20)  # passes only if three really run at once

    parallel_map(work, range(9), 3)
    assert gauge.peak == 3


def test_first_error_starts_no_further_work():
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


@pytest.mark.parametrize("workers", [1, 3])
def test_waiting_batch_items_do_not_block_others(workers):
    begun, bad = [], set()

    def work(number):
        begun.append(number)
        if number in bad:
            raise BudgetError("enough")
        if number % 3 == 0:
            raise PendingError("later")

    with pytest.raises(PendingError):
        parallel_map(work, range(10), workers)
    assert sorted(begun) == list(range(10))
    bad.add(7)
    with pytest.raises(BudgetError):
        parallel_map(work, range(10), workers)


@pytest.mark.parametrize("mapped", [parallel_map, handed_over])
@pytest.mark.parametrize("count", [0, 1])
def test_fewer_threads_than_wanted_do_all_the_work(monkeypatch, count, mapped):
    run_in_thread, begun = threads.run_in_thread, []

    def scarce(fn):
        begun.append(fn)
        if len(begun) > count:
            raise RuntimeError("can't start new thread")
        return run_in_thread(fn)

    monkeypatch.setattr(threads, "run_in_thread", scarce)
    assert mapped(lambda n: time.sleep(0.01) or n, range(9), 4) == list(range(9))


def test_ctrl_c_does_not_wait():
    hold = threading.Event()

    def work(number):
        if number == 0:
            raise KeyboardInterrupt
        hold.wait(60)

    with pytest.raises(KeyboardInterrupt):
        parallel_map(work, range(4), 4)
    assert not hold.is_set()  # the others still wait
    hold.set()


def test_items_run_in_copied_context():
    variable = contextvars.ContextVar("variable", default=0)
    together = threading.Barrier(4)

    def work(number):
        together.wait(20)
        seen = variable.get()
        variable.set(number)
        return seen

    variable.set(7)
    assert parallel_map(work, range(4), 4) == [7] * 4
    assert variable.get() == 7


@settings(max_examples=60, deadline=None)
@given(tree=trees, workers=st.integers(1, 6), bad=st.integers(-9, 9) | st.none())
def test_nested_maps_give_what_one_thread_gives(tree, workers, bad):
    def total(node, mapped):
        if isinstance(node, list):
            return sum(mapped(lambda inner: total(inner, mapped), node))
        if node == bad:
            raise ValueError(f"not {bad}")
        return 3 * node + 1

    def outcome(mapped):
        try:
            return total(tree, mapped)
        except ValueError as error:
            return str(error)

    assert outcome(lambda fn, items: parallel_map(fn, items, workers)) == outcome(map)


@pytest.mark.parametrize(("outer", "inner", "votes"), [(1, 40, 5), (40, 1, 1), (7, 9, 3), (64, 2, 2)])
def test_nested_maps_use_bounded_threads(outer, inner, votes):
    """Whatever the shape, 8 leaves are at work together at some time, and never many more."""
    gauge, together, seen = Gauge(), threading.Barrier(8), set()
    leaves = itertools.count()

    def leaf(_):
        with gauge:
            seen.add(threading.current_thread())
            if next(leaves) < 8:
                together.wait(20)
            time.sleep(0.001)

    def item(_):
        parallel_map(lambda _: parallel_map(leaf, range(votes), 8), range(inner), 8)
        return True

    assert all(handed_over(item, range(outer), 8))
    assert 8 <= gauge.peak <= 16
    assert len(seen) <= 24


def test_begun_work_finishes_before_new_work():
    """The first record needs all four threads, so nobody takes the others meanwhile."""
    begun, counts, opened = [], [], threading.Event()
    all_at_work = threading.Barrier(4, action=lambda: counts.append(len(begun)))

    def leaf(number):
        if number == 0:  # which runs once helpers are called for the others
            opened.set()
        all_at_work.wait(20)

    def record(number):
        begun.append(number)
        if number == 0:
            parallel_map(leaf, range(4), 4)
        opened.wait(20)

    handed_over(record, range(1000), 4)
    assert counts[0] < 10


def test_one_by_one_until_settled():
    """Four calls settle it: they come alone and in the order of the input, whatever is nested in what."""
    order, gauge, together = [], Gauge(), threading.Barrier(4)

    def leaf(name):
        with gauge:
            order.append(name)
            if len(order) <= 4:
                assert gauge.now == 1
            elif len(order) <= 8:
                together.wait(20)
            time.sleep(0.001)

    def record(number):
        parallel_map(lambda part: leaf((number, part)), range(3), 4)

    with one_by_one_until(lambda: len(order) >= 4):
        handed_over(record, range(8), 4)
    assert order[:4] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert sorted(order) == [(number, part) for number in range(8) for part in range(3)]
    assert 4 <= gauge.peak <= 8


@pytest.mark.parametrize("workers", [1, 4])
def test_open_map_error_belongs_to_its_item(workers):
    def work(item):
        if item == 3:
            raise ValueError("three")
        return item

    with open_map(work, workers) as submit:
        futures = [submit(item) for item in range(6)]
        assert [future.result(20) for future in futures if future is not futures[3]] == [0, 1, 2, 4, 5]
        with pytest.raises(ValueError, match="three"):
            futures[3].result(20)


# Calls that may be abandoned


def test_results_and_errors_come_through():
    assert run_within(20, lambda: 7) == 7
    assert run_within(20, lambda: None) is None
    with pytest.raises(ZeroDivisionError):
        run_within(20, lambda: 1 / 0)
    with pytest.raises(SystemExit):
        run_within(20, lambda: (_ for _ in ()).throw(SystemExit(3)))


def test_timed_out_thread_is_daemon_and_reused():
    hold, seen = threading.Event(), []

    def stuck():
        seen.append(threading.current_thread())
        hold.wait(60)

    with pytest.raises(TimeoutError, match=r"no answer within 1 s"):
        run_within(1.0, stuck)
    others = {run_within(20, threading.current_thread) for _ in range(50)}
    assert seen[0].daemon
    assert seen[0] not in others
    assert len(others) < 25
    hold.set()


def told(code):
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


FORKED = """
import os, threading
from factreasoner.calls.deadlines import run_within
from factreasoner.calls.threads import parallel_map
hold, together = threading.Event(), threading.Barrier(3)

def work(number):
    if number:
        return hold.wait(20)
    run_within(20, lambda: None)
    child = os.fork()
    if child == 0:
        parallel_map(lambda n: together.wait(5), range(3), 3)
        os._exit(run_within(20, lambda: 7))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    hold.set()

parallel_map(work, range(4), 4)
"""
HELD_BACK = """
import threading, time
from factreasoner.calls.deadlines import hold_requests_back, requests_running, run_within

threading.Thread(target=run_within, args=(60, lambda: time.sleep(1)), daemon=True).start()
while not requests_running():
    time.sleep(0.01)
hold_requests_back()
threading.Thread(target=run_within, args=(60, lambda: print("begun")), daemon=True).start()
while requests_running():
    time.sleep(0.01)
time.sleep(0.5)
print(requests_running())
"""


def test_held_back_map_starts_nothing_new():
    assert told(HELD_BACK) == "0\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_process_starts_its_own_threads():
    assert told(FORKED) == "7\n"


DEPTHS, CALLS = 300, 500


def nested(depth):
    """Calls a few frames deep."""
    return depth and nested(depth - 1)


def most_pages():
    """The most pages that the same calls took from one depth, of all depths down to a few hundred frames."""
    resource = pytest.importorskip("resource", reason="Windows reports no page faults")
    own = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)  # other threads may need pages, too

    def taken(depth):
        if depth:
            return max(taken(depth - 1), paged())
        return paged()

    def paged():
        before = resource.getrusage(own).ru_minflt
        for _ in range(CALLS):
            nested(5)
        return resource.getrusage(own).ru_minflt - before

    return taken(DEPTHS)


def test_deep_calls_reuse_memory_only_with_room():
    assert 10 * with_stack_room(most_pages)() < CALLS
    assert most_pages() >= CALLS or sys.version_info >= (3, 14)  # which takes no pages either way


def test_command_and_run_threads_have_room():
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import factreasoner.cli
from test_threads import most_pages
factreasoner.cli.execute = lambda: print(most_pages()) or 0
factreasoner.cli.main()
"""
    helpers = run_within(60, lambda: parallel_map(lambda _: most_pages(), range(2), workers=2))
    assert max(int(told(code)), *helpers, run_within(60, most_pages)) < CALLS / 10
