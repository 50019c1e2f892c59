"""Handing out: how much to whom, and what becomes of records whose worker dies."""

from concurrent.futures import Future

import pytest

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.models import Record, Usage
from factreasoner.runs.dispatch import Dispatcher
from factreasoner.runs.journal import JournalEntry, JournalLine
from factreasoner.runs.portions import Portion


class DeadError(Exception):
    pass


def line(record, status="ok"):
    return JournalLine(record.id, b"", JournalEntry(0, status, "", 1), Usage())


class Hand:
    """Works when it is asked for its work, and not before; dies of records named in `poison`."""

    def __init__(self, crew):
        self.crew = crew
        self.given = []
        self.died = False

    def work(self, records):
        future = Future()
        if self.died:
            future.set_exception(DeadError())
            return future
        self.given.append((tuple(record.id for record in records), future))
        self.crew.most = max(
            self.crew.most, sum(len(ids) for hand in self.crew.team for ids, _ in hand.given)
        )
        return future

    def step(self):
        """Do the first portion."""
        if not self.given:
            return
        ids, future = self.given.pop(0)
        self.crew.order.append(ids)
        if self.crew.poison & set(ids):
            self.crew.poison -= self.crew.dies_once
            for _, other in [(ids, future), *self.given]:
                other.set_exception(DeadError())
            self.given, self.died = [], True
        else:
            lines = tuple(line(Record(id=i, response="")) for i in ids)
            seconds = self.crew.seconds * len(ids)
            future.set_result(Portion(lines, seconds, self.crew.settles, self.crew.error))


class Crew:
    ahead = 2
    largest = 4
    least_deaths = 1
    deadly = (DeadError,)

    def __init__(self, hands, *, poison=(), dies_once=(), seconds=1.0, settles=True, error=None):
        self.team = [Hand(self) for _ in range(hands)]
        self.poison, self.dies_once = set(poison) | set(dies_once), set(dies_once)
        self.seconds, self.settles, self.error = seconds, settles, error
        self.order, self.buried, self.most = [], 0, 0

    def hands(self):
        for hand in self.team:  # all that was handed out before is done by the next look
            hand.step()
        return self.team

    def dead(self, hand):
        self.buried += 1
        self.team = [Hand(self) if other is hand else other for other in self.team]


def worked(crew, count=9, **options):
    made = [Record(id=f"r{i}", response="") for i in range(count)]
    found = Dispatcher(crew, lambda record: line(record, "failed"), **options).lines(iter(made))
    return {one.record_id: one.status for lines in found for one in lines}


def test_slow_records_are_handed_out_one_by_one_and_no_more_than_there_is_room_for():
    crew = Crew(2)
    assert worked(crew) == {f"r{i}": "ok" for i in range(9)}
    assert {len(ids) for ids in crew.order} == {1}
    assert crew.most == 4


def test_quick_records_go_together():
    crew = Crew(1, seconds=0.001)
    assert len(worked(crew, 40)) == 40
    assert max(len(ids) for ids in crew.order) == crew.largest


def test_a_record_that_ends_its_worker_when_alone_is_a_failure_and_the_others_are_done():
    crew = Crew(2, poison={"r3"}, seconds=0.001)
    found = worked(crew)
    assert {i for i, status in found.items() if status != "ok"} == {"r3"}
    assert len(found) == 9
    assert ("r3",) in crew.order
    assert crew.buried >= 2


def test_a_worker_that_dies_once_costs_nothing():
    crew = Crew(2, dies_once={"r3"})
    assert set(worked(crew).values()) == {"ok"}


def test_until_the_model_is_known_records_go_one_by_one_to_one_worker():
    crew = Crew(3, seconds=0.001, settles=False)
    worked(crew, 3, settled=False)
    assert crew.order == [(f"r{i}",) for i in range(3)]
    assert crew.most == 1


@pytest.mark.parametrize("count", [1, 6, 8])
def test_what_came_before_an_input_that_fails_is_done(count):
    def records():
        for i in range(count):
            yield Record(id=f"r{i}", response="")
        raise InputError([InputProblem("data.jsonl:9", "", "is gone")])

    crew = Crew(2, seconds=0.001)
    done = []
    with pytest.raises(InputError, match="is gone"):
        done.extend(one for lines in Dispatcher(crew, line).lines(records()) for one in lines)
    assert {one.record_id for one in done} == {f"r{i}" for i in range(count)}


def test_what_is_under_way_is_done_where_no_more_workers_can_be_had():
    class Failing(Crew):
        ahead, looks = 1, 0

        def hands(self):
            self.looks += 1
            if self.looks == 2:
                self.team[0].step()
                raise ConfigError("the node has another version")
            return self.team

    done = []
    given = Dispatcher(Failing(1), line).lines(Record(id=f"r{i}", response="") for i in range(9))
    with pytest.raises(ConfigError, match="another version"):
        done.extend(one for lines in given for one in lines)
    assert [one.record_id for one in done] == ["r0"]


def test_an_error_for_the_user_ends_the_run_after_what_was_handed_out():
    crew = Crew(1, error=ConfigError("the key is wrong"))
    crew.ahead = 1
    given = Dispatcher(crew, line).lines(Record(id=f"r{i}", response="") for i in range(9))
    done = []
    with pytest.raises(ConfigError, match="key is wrong"):
        done.extend(one for lines in given for one in lines)
    assert [one.record_id for one in done] == ["r0"]
