"""Processes give what threads give, and lose nothing when one of them dies."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factreasoner.config import Config
from factreasoner.errors import ConfigError, InputError, InputProblem, MissingExtraError
from factreasoner.models import Context, Record
from factreasoner.runs.executors import lines_of
from factreasoner.runs.processes import processes_at_once
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import Calls

PROCESSES = {"executor": "processes", "workers": 2, "spacy_model": "none"}
BARE = {"usage", "seconds", "elapsed"}


def records(*texts):
    return [
        Record(id=f"r{i}", response="Oslo is cold.", contexts=(Context(id="c0", text=text),))
        for i, text in enumerate(texts)
    ]


def found(config, given):
    lines = lines_of(TASK.worker(config, Calls()), TASK, iter(given), Calls())
    return {line.record_id: TASK.result.model_validate_json(line.text) for some in lines for line in some}


def test_processes_find_what_threads_find():
    given = records(*(f"Oslo is {word} in winter." for word in ("cold", "not cold", "dark", "icy", "busy")))
    threads = found(Config(spacy_model="none"), given)
    processes = found(Config(**PROCESSES), given)
    assert len(processes) == len(given)
    assert {i: r.model_dump(exclude=BARE) for i, r in processes.items()} == {
        i: r.model_dump(exclude=BARE) for i, r in threads.items()
    }


@pytest.mark.parametrize("dies", ["always", "once"])
def test_a_process_that_dies_costs_nothing_but_the_record_that_always_kills_it(tmp_path, monkeypatch, dies):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    passage = "deadly" if dies == "always" else str(tmp_path / "mark")
    given = records("fine", "fine", passage, "fine", "fine", "fine", "fine")
    results = found(Config(**PROCESSES, judge="judges_that_end:Deadly"), given)
    assert set(results) == {record.id for record in given}
    failed = {i: result.failures[0].message for i, result in results.items() if result.status != "ok"}
    assert set(failed) == ({"r2"} if dies == "always" else set())
    assert all("killed, or out of memory" in message for message in failed.values())
    assert dies == "always" or (tmp_path / "mark").exists()


def test_without_a_driver_no_process_goes_on(tmp_path):
    data = tmp_path / "d.jsonl"
    lines = [{"id": f"r{i}", "output": "Oslo is cold.", "contexts": ["Oslo is cold."]} for i in range(200)]
    data.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    command = [sys.executable, "-m", "factreasoner", "run", data, "--out", tmp_path / "out", "--quiet"]
    command += ["--executor", "processes", "--workers", "1", "--judge", "judges_that_end:Slow"]
    path = {"PYTHONPATH": str(Path(__file__).parent)}
    driver = subprocess.Popen(command, start_new_session=True, env=os.environ | path)
    group = driver.pid
    journal = tmp_path / "out" / "journal.jsonl"
    while not (journal.exists() and journal.stat().st_size):
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    for _ in range(400):
        if not _alive(group):
            return
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    pytest.fail("processes outlive their driver")


def _alive(group):
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of_group) == group and state != "Z":
            return True
    return False


def test_one_process_a_core_unless_told_otherwise():
    assert processes_at_once(Config(executor="processes")) == len(os.sched_getaffinity(0))
    assert processes_at_once(Config(executor="processes", workers=5)) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"executor": "processes", "model": "openai/x"}, "for model 'openai/x' threads wait"),
        ({"executor": "processes", "retriever": "corpus,web"}, "for retriever 'web' threads wait"),
        ({"executor": "processes", "max_cost": 1.0}, "counted within one process"),
        ({"workers": 2}, "add --executor processes"),
        ({"executor": "ray", "retriever": "corpus,web"}, "politeness towards 'web'"),
        ({"ray_address": "auto"}, "add that"),
    ],
)
def test_what_processes_would_multiply_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        Config(**settings)


@pytest.mark.parametrize(
    "error",
    [ConfigError("no"), MissingExtraError("x", "nli"), InputError([InputProblem("f", "id", "is missing")])],
)
def test_errors_travel_between_processes(error):
    error.add_note("kept")
    arrived = pickle.loads(pickle.dumps(error))
    assert (type(arrived), str(arrived), arrived.__dict__) == (type(error), str(error), error.__dict__)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"factreasoner\[ray\]"):
        found(Config(executor="ray"), records("fine"))
