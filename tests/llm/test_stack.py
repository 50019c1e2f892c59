"""Calls at any depth of a thread's stack, and the pages the system is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from factreasoner.llm.deadline import within
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.stack import with_room

resource = pytest.importorskip("resource", reason="Windows tells no page faults")
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
from test_stack import most_pages
factreasoner.cli.execute = lambda: print(most_pages()) or 0
factreasoner.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    helpers = within(60, lambda: parallel_map(lambda _: most_pages(), range(2), workers=2))
    assert max(int(done.stdout), *helpers, within(60, most_pages)) < CALLS / 10
