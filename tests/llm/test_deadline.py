"""Threads that are used again, calls that are abandoned, and room for deep calls."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from factreasoner.llm.deadline import with_room, within
from factreasoner.llm.parallel import parallel_map


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


resource = pytest.importorskip("resource", reason="Windows reports no page faults")
DEPTHS, CALLS = 300, 500


def nested(depth):
    """Calls a few frames deep."""
    return depth and nested(depth - 1)


def most_pages():
    """The most pages that the same calls took from one depth, of all depths down to a few hundred frames."""

    def taken(depth):
        if depth:
            return max(taken(depth - 1), paged())
        return paged()

    def paged():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(CALLS):
            nested(5)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    return taken(DEPTHS)


def test_calls_get_and_give_back_memory_at_some_depth_unless_there_is_room():
    assert most_pages() >= CALLS > 10 * with_room(most_pages)()


def test_the_command_and_the_threads_of_a_run_have_room():
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import factreasoner.cli
from test_deadline import most_pages
factreasoner.cli.execute = lambda: print(most_pages()) or 0
factreasoner.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    helpers = within(60, lambda: parallel_map(lambda _: most_pages(), range(2), workers=2))
    assert max(int(done.stdout), *helpers, within(60, most_pages)) < CALLS / 10
