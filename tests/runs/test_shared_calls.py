"""What workers in many processes share holds over all of them, and goes back when one dies."""

import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import FakeServer, obliging

from factreasoner.errors import BudgetError
from factreasoner.models import Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.shared_calls import SharedCalls, remote_limits
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK


def record(number):
    return Record(id=f"r{number}", response="Oslo is cold.", contexts=(Context(id="c", text=f"T{number}."),))


class Learnt(dict):
    """How models are asked, by their names."""

    capabilities = dict.get
    keep_capabilities = dict.__setitem__


def owner_for(tmp_path, paid=lambda dollars: None, **settings):
    config = Config(cache_dir=tmp_path, atomizer="embedded", spacy_model="none", **settings)
    return SharedCalls(config, 0.0, paid, Learnt()), config


def limits_of(owner, config, name):
    """How one in another process reaches the owner: by the names of methods, and values that are pickled."""

    def call(name, *values):
        return pickle.loads(pickle.dumps(owner.call(name, *pickle.loads(pickle.dumps(values)))))

    return remote_limits(call, name, config)


def worker_of(owner, config, name):
    return TASK.worker(config, Calls(shared=limits_of(owner, config, name)))


def test_a_worker_waits_for_a_server_that_has_answered_another_worker(tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.llm.send.SECONDS_AT_START", 0.1)
    with FakeServer(obliging) as server:
        owner, config = owner_for(tmp_path, model="fake", api_base=server.url, patience=1.0)
        config.model_fields_set.remove("patience")  # as by default, but shorter
        assert worker_of(owner, config, "one").assess(record(0)).status == "ok"
    late = worker_of(owner, config, "two").assess(record(1))
    assert late.status == "failed"
    assert "waited for as long as --patience 1 allows" in late.all_failures[0].message


def test_workers_share_slots_and_answers_and_what_is_learnt(tmp_path):
    with FakeServer(obliging) as server:
        server.delay = 0.03
        owner, config = owner_for(
            tmp_path, model="fake", api_base=server.url, concurrency=2, atoms_per_call=4
        )
        one, two = (worker_of(owner, config, name) for name in ("one", "two"))
        assert not two.settled
        one.assess(record(0))
        assert one.settled
        two = worker_of(owner, config, "two")
        assert two.settled
        before = server.calls
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: (one, two)[n % 2].assess(record(n // 2)), range(8)))
    assert server.calls - before == 3, "of four questions asked twice one was known"
    assert server.peak <= 2
    assert {result.status for result in found} == {"ok"}
    assert owner.in_flight() == 0


def test_the_budget_is_one_and_payments_are_written_before_answers_are_used(tmp_path):
    written = []
    owner, config = owner_for(tmp_path, written.append, model="fake", max_cost=1.0)
    budget = limits_of(owner, config, "one").budget
    with budget.reserved(lambda: 0.6, "") as reservation:
        reservation.cost = 0.5
    assert written == [0.5]
    other = limits_of(owner, config, "two").budget
    with pytest.raises(BudgetError, match=r"\$0\.5000 are spent"), other.reserved(lambda: 0.6, ""):
        pass
    assert owner.budget.spent == 0.5


def test_a_timeout_in_a_worker_lowers_the_owner_s_concurrency(tmp_path):
    owner, config = owner_for(tmp_path, model="fake", concurrency=8)
    with limits_of(owner, config, "one").limits.passed(10) as admitted:
        admitted.timed_out = True
    assert owner.limits.slots.limit == 4


def test_what_a_dead_worker_held_goes_back(tmp_path):
    written = []
    owner, _ = owner_for(tmp_path, written.append, model="fake", concurrency=1, max_cost=1.0)
    owner.enter("dead", 10)
    owner.reserve("dead", 0.25)
    assert owner.claim("dead", "key") is None
    with ThreadPoolExecutor(2) as pool:
        turn = pool.submit(owner.enter, "alive", 10)
        answer = pool.submit(owner.claim, "alive", "key")
        time.sleep(0.05)
        assert not turn.done()
        assert not answer.done()
        owner.forget("dead")
        assert turn.result(60)
        assert answer.result(60) is None, "it is the living one's to ask"
    assert owner.budget.spent == 0.25, "nobody knows what became of it"
    assert owner.in_flight() == 1
    assert written == [0.25], "a run that goes on must know of it"


def test_what_a_dead_worker_sent_counts_for_its_minute_and_what_it_never_sent_costs_nothing(tmp_path):
    owner, _ = owner_for(tmp_path, model="fake", max_cost=1.0, tokens_per_minute=100)
    owner.enter("dead", 80)
    owner.forget("dead")
    assert owner.limits.delay(50) > 0.0
    owner.reserve("dead", 0.25)
    assert owner.budget.spent == 0.0


def test_a_worker_that_dies_while_it_waits_for_another_s_answer_is_not_to_ask(tmp_path):
    owner, _ = owner_for(tmp_path, model="fake")
    assert owner.claim("asking", "key") is None
    with ThreadPoolExecutor(1) as pool:
        dead = pool.submit(owner.claim, "dead", "key")
        while not dead.running():
            time.sleep(0.001)
        owner.forget("dead")
        owner.answered("key", None)
        assert dead.result(60) is None
    alive = threading.Thread(target=owner.claim, args=("alive", "key"), daemon=True)
    alive.start()
    alive.join(60)
    assert not alive.is_alive(), "it waits for the dead one"


def test_nothing_begins_once_the_run_is_interrupted(tmp_path):
    owner, _ = owner_for(tmp_path, model="fake")
    owner.stop()
    threading.Thread(target=owner.enter, args=("one", 1), daemon=True).start()
    time.sleep(0.05)
    assert owner.in_flight() == 0
