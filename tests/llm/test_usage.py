"""Usage and time by stage."""

import threading

import pytest

from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.usage import Meter, record_usage, stage
from factreasoner.models import Usage

ONE = Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=0.5)


def test_usage_goes_to_the_open_stage():
    meter = Meter()
    with meter.stage("atomizer"):
        record_usage(ONE)
    with meter.stage("evaluator"):
        record_usage(ONE)
        record_usage(Usage(cached_calls=1))
    assert meter.usage == {"atomizer": ONE, "evaluator": ONE + Usage(cached_calls=1)}
    assert meter.total == ONE + ONE + Usage(cached_calls=1)
    assert list(meter.seconds) == ["atomizer", "evaluator"]
    assert all(seconds >= 0 for seconds in meter.seconds.values())


def test_outside_any_stage_nothing_is_counted():
    meter = Meter()
    record_usage(ONE)
    with stage("audit"):
        record_usage(ONE)
    assert (meter.usage, meter.total) == ({}, Usage())


def test_an_inner_stage_takes_the_usage():
    meter = Meter()
    with meter.stage("evaluator"):
        with stage("audit"):
            record_usage(ONE)
        record_usage(ONE)
    assert meter.usage == {"audit": ONE, "evaluator": ONE}
    assert meter.seconds["evaluator"] >= meter.seconds["audit"]


def test_a_stage_that_fails_is_counted():
    meter = Meter()

    def fail():
        with meter.stage("reviser"):
            record_usage(ONE)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        fail()
    assert meter.usage == {"reviser": ONE}
    record_usage(ONE)
    assert meter.usage == {"reviser": ONE}


def test_a_stage_of_several_threads_takes_the_time_from_first_to_last():
    meter = Meter()
    inside = threading.Barrier(2)

    def work(_):
        with meter.stage("reviser"):
            inside.wait()

    parallel_map(work, range(2), 2)
    with meter.stage("atomizer"):
        pass
    assert sum(meter.seconds.values()) <= meter.elapsed
    assert meter.usage == {"reviser": Usage(), "atomizer": Usage()}
