"""A limit on waiting for what can't be stopped."""

import os
import subprocess
import sys
import threading

import pytest

from factreasoner.llm.deadline import within


def test_results_and_errors_come_through():
    assert within(20, lambda: 7) == 7
    assert within(20, lambda: None) is None
    with pytest.raises(ZeroDivisionError):
        within(20, lambda: 1 / 0)
    with pytest.raises(SystemExit):
        within(20, lambda: (_ for _ in ()).throw(SystemExit(3)))


def test_the_caller_goes_on_and_the_thread_is_a_daemon():
    hold, seen = threading.Event(), []

    def stuck():
        seen.append(threading.current_thread())
        hold.wait(60)

    with pytest.raises(TimeoutError, match=r"no answer within 1 s"):
        within(1.0, stuck)
    assert seen[0].daemon
    assert within(20, threading.current_thread) is not seen[0]
    hold.set()


def test_threads_are_used_again():
    # A thread that was abandoned before may come back at any moment and be taken next.
    seen = {within(20, threading.current_thread) for _ in range(50)}
    assert len(seen) < 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_starts_threads_of_its_own():
    within(20, lambda: None)
    code = (
        "import os; from factreasoner.llm.deadline import within\n"
        "within(20, lambda: None)\n"
        "child = os.fork()\n"
        "if child == 0: os._exit(within(20, lambda: 7))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "7\n"


HELD_BACK = """
import threading, time
from factreasoner.llm.deadline import hold_requests_back, requests_under_way, within

threading.Thread(target=within, args=(60, lambda: time.sleep(1)), daemon=True).start()
while not requests_under_way():
    time.sleep(0.01)
hold_requests_back()
threading.Thread(target=within, args=(60, lambda: print("begun")), daemon=True).start()
while requests_under_way():
    time.sleep(0.01)
time.sleep(0.5)
print(requests_under_way())
"""


def test_held_back_none_begins_and_those_under_way_end():
    done = subprocess.run([sys.executable, "-c", HELD_BACK], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
