"""A limit on waiting for what can't be stopped."""

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

    with pytest.raises(TimeoutError, match=r"no answer within 0\.05 s"):
        within(0.05, stuck)
    assert seen[0].is_alive()
    assert seen[0].daemon
    hold.set()
    seen[0].join(20)
