"""Handing out: how much to whom, what becomes of records whose worker dies, and what an error ends."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from factreasoner.errors import BudgetError, ConfigError, InputError, InputProblem
from factreasoner.models import Failure, Record, Usage
from factreasoner.models.journal import JournalEntry, JournalLine
from factreasoner.pipeline.config import Config
from factreasoner.runs.executors import Portion, WorkerPool, finished_lines
from factreasoner.runs.runner import lines_of
from factreasoner.tasks.factuality import TASK


class DeadError(Exception):
    pass


def line(record, status="ok"):
    return JournalLine(record.id, b"", JournalEntry(0, status, "", 1), Usage())


class Hand:
    """Works in a thread of its own, and dies of records named in the crew's `poison`."""

    def __init__(self, crew):
        self.crew = crew
        self.thread = ThreadPoolExecutor(1)
        self.died = False

    def work(self, records):
        ids = tuple(record.id for record in records)
        if self.died:
            raise DeadError
        self.crew.order.append(ids)
        if self.crew.poison & set(ids):
            self.crew.poison -= self.crew.dies_once
            self.died = True
            raise DeadError
        self.crew.ended.extend(ids)
        return Portion(
            tuple(map(line, records)), self.crew.seconds * len(ids), self.crew.settles, self.crew.error
        )


class Crew(WorkerPool):
    largest = 4
    deadly = (DeadError,)

    def __init__(self, hands, *, poison=(), dies_once=(), seconds=1.0, settles=True, error=None):
        super().__init__(*(Hand(self) for _ in range(hands)))
        self.poison, self.dies_once = set(poison) | set(dies_once), set(dies_once)
        self.seconds, self.settles, self.error = seconds, settles, error
        self.order, self.ended, self.hands = [], [], hands
        self.handed = self.most = self.buried = 0

    def hired(self):
        return Hand(self) if len(self._workers) < self.hands else None

    def submit(self, worker, records):
        self.handed += len(records)
        self.most = max(self.most, self.handed - len(self.ended))
        return worker.thread.submit(worker.work, records)

    def died(self, worker):
        self.buried += 1
        super().died(worker)


def worked(crew, count=9, **options):
    made = [Record(id=f"r{i}", response="") for i in range(count)]
    crew.settled = options.get("settled", True)
    found = finished_lines(crew, iter(made), lambda record: line(record, "failed"))
    return {one.record_id: one.entry.status for lines in found for one in lines}


def test_slow_records_are_handed_out_singly():
    crew = Crew(2)
    assert worked(crew) == {f"r{i}": "ok" for i in range(9)}
    assert {len(ids) for ids in crew.order} == {1}
    assert crew.most <= 4


def test_quick_records_go_together():
    crew = Crew(1, seconds=0.001)
    assert len(worked(crew, 40)) == 40
    assert max(len(ids) for ids in crew.order) == crew.largest


def test_record_that_kills_its_worker_fails_alone():
    crew = Crew(2, poison={"r3"}, seconds=0.001)
    found = worked(crew)
    assert {i for i, status in found.items() if status != "ok"} == {"r3"}
    assert len(found) == 9
    assert ("r3",) in crew.order
    assert crew.buried >= 2


def test_a_worker_that_dies_once_costs_nothing():
    crew = Crew(2, dies_once={"r3"})
    assert set(worked(crew).values()) == {"ok"}


def test_records_go_singly_until_model_is_known():
    crew = Crew(3, seconds=0.001, settles=False)
    worked(crew, 3, settled=False)
    assert crew.order == [(f"r{i}",) for i in range(3)]
    assert crew.most == 1


@pytest.mark.parametrize("count", [1, 6, 8])
def test_records_before_failing_input_are_finished(count):
    def records():
        for i in range(count):
            yield Record(id=f"r{i}", response="")
        raise InputError([InputProblem("data.jsonl:9", "", "is gone")])

    crew = Crew(2, seconds=0.001)
    kept = []
    with pytest.raises(InputError, match="is gone"):
        kept.extend(one for lines in finished_lines(crew, records(), line) for one in lines)
    assert {one.record_id for one in kept} == {f"r{i}" for i in range(count)}


def ids_until(error, match, lines):
    """Ids of the lines that come before an error."""
    kept = []
    with pytest.raises(error, match=match):
        kept.extend(one.record_id for some in lines for one in some)
    return kept


def test_work_in_progress_finishes_when_workers_fail():
    class Failing(Crew):
        room, looks = 1, 0

        def begun(self, worker):
            self.looks += 1
            if self.looks == 2:
                raise ConfigError("the node has another version")
            return True

    given = finished_lines(Failing(1), (Record(id=f"r{i}", response="") for i in range(9)), line)
    assert ids_until(ConfigError, "another version", given) == ["r0"]


def test_user_error_ends_run_after_started_records():
    crew = Crew(1, error=ConfigError("the key is wrong"))
    crew.room = 1
    given = finished_lines(crew, (Record(id=f"r{i}", response="") for i in range(9)), line)
    assert ids_until(ConfigError, "key is wrong", given) == ["r0"]


class Work:
    """A task's worker that does `work` with a record's number; `at_once` threads do so."""

    settled = True

    def __init__(self, work, at_once):
        self.config = Config(model="m" if at_once > 1 else None, concurrency=at_once)
        self._work = work

    def assess(self, record):
        self._work(int(record.id))
        return TASK.failed(record, self.config, Failure.of("pipeline", record.id, ValueError("none")))


def by_threads(work, at_once=1, count=500):
    records = (Record(id=str(i), response="") for i in range(count))
    worker = work if isinstance(work, Work) else Work(work, at_once)
    return lines_of(worker, TASK, records)


@pytest.mark.parametrize("at_once", [1, 3])
def test_records_are_read_only_as_needed(at_once):
    taken = []

    def records():
        for i in range(1000):
            taken.append(i)
            yield Record(id=str(i), response="")

    lines = lines_of(Work(lambda _: None, at_once), TASK, records())
    seen = 0
    for _ in range(20):
        seen += len(next(lines))
        assert len(taken) <= at_once + seen
    lines.close()


def test_lines_of_threads_come_as_records_are_done():
    release = threading.Event()
    lines = by_threads(lambda n: n or release.wait(10), 2, count=2)
    assert [line.record_id for line in next(lines)] == ["1"]
    release.set()
    assert [line.record_id for some in lines for line in some] == ["0"]


@pytest.mark.parametrize("at_once", [1, 4])
def test_user_error_stops_threads_starting_records(at_once):
    begun = []

    def work(number):
        begun.append(number)
        if number == 3:
            raise BudgetError("max_cost")
        time.sleep(0.01)

    kept = ids_until(BudgetError, "max_cost", by_threads(work, at_once))
    assert len(begun) <= 4 + at_once
    assert len(kept) == len(begun) - 1


def test_threads_take_one_record_until_model_known():
    order, gauge = [], threading.Semaphore(1)

    def work(number):
        if number < 3:
            assert gauge.acquire(blocking=False)
            time.sleep(0.01)
            gauge.release()
        order.append(number)
        worker.settled = number >= 2

    worker = Work(work, 4)
    worker.settled = False
    assert sum(map(len, by_threads(worker, count=12))) == 12
    assert order[:3] == [0, 1, 2]
