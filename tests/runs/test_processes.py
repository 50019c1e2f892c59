"""Processes give what threads give, and lose nothing when one of them dies."""

import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from word_judge import NAME

from factreasoner.errors import ConfigError, InputError, InputProblem, MissingExtraError, RunError
from factreasoner.models import Context, Record
from factreasoner.models.journal import unpack
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.runs.processes import processes_at_once
from factreasoner.runs.runner import lines_of
from factreasoner.tasks.factuality import TASK

PROCESSES = {"executor": "processes", "workers": 2}
BARE = {"usage", "seconds", "elapsed"}


def records(*texts):
    return [
        Record(id=f"r{i}", response="Oslo is cold.", contexts=(Context(id="c0", text=text),))
        for i, text in enumerate(texts)
    ]


def test_script_without_guard_is_named(tmp_path):
    script = tmp_path / "script.py"
    call = "assess_many([{'output': 'Oslo is cold.', 'contexts': ['Oslo is cold.']}], executor='processes')"
    for begin, code in (("", 1), ("if __name__ == '__main__':\n    ", 0), ("if __name__ == '__main__': ", 0)):
        script.write_text(f"from factreasoner import assess_many\n{begin}{call}\n", encoding="utf-8")
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
        assert (done.returncode, f"{script}, which starts processes" in done.stderr) == (code, bool(code))


def found(config, given):
    lines = lines_of(TASK.worker(config, Calls()), TASK, iter(given))
    return {
        line.record_id: TASK.result.model_validate_json(unpack(line.text).result)
        for some in lines
        for line in some
    }


def test_processes_find_what_threads_find():
    given = records(*(f"Oslo is {word} in winter." for word in ("cold", "not cold", "dark", "icy", "busy")))
    threads = found(Config(judge=NAME), given)
    processes = found(Config(**PROCESSES, judge=NAME), given)
    assert len(processes) == len(given)
    assert {i: r.model_dump(exclude=BARE) for i, r in processes.items()} == {
        i: r.model_dump(exclude=BARE) for i, r in threads.items()
    }


@pytest.mark.parametrize("dies", ["always", "once"])
def test_dying_process_costs_only_its_deadly_record(tmp_path, monkeypatch, dies):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    passage = "deadly" if dies == "always" else str(tmp_path / "mark")
    given = records("fine", "fine", passage, "fine", "fine", "fine", "fine")
    results = found(Config(**PROCESSES, judge="judges_that_end:Deadly"), given)
    assert set(results) == {record.id for record in given}
    failed = {i: result.failures[0].message for i, result in results.items() if result.status != "ok"}
    assert set(failed) == ({"r2"} if dies == "always" else set())
    assert all("killed, or out of memory" in message for message in failed.values())
    assert dies == "always" or (tmp_path / "mark").exists()


def begun(tmp_path, **how):
    """A run in processes, by a slow judge, in a group of its own; its first record is done."""
    data = tmp_path / "d.jsonl"
    lines = [{"id": f"r{i}", "output": "Oslo is cold.", "contexts": ["Oslo is cold."]} for i in range(200)]
    data.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    command = [sys.executable, "-m", "factreasoner", "run", data, "--out", tmp_path / "out", "--quiet"]
    command += ["--executor", "processes", "--workers", "1", "--judge", "judges_that_end:Slow"]
    path = {"PYTHONPATH": str(Path(__file__).parent)}
    driver = subprocess.Popen(
        command, start_new_session=True, env=os.environ | path, stderr=subprocess.PIPE, text=True, **how
    )
    journal = tmp_path / "out" / "journal.jsonl"
    while not (journal.exists() and journal.stat().st_size):
        assert driver.poll() is None
        time.sleep(0.05)
    return driver


def test_processes_ending_at_start_end_the_run(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setattr(
        "factreasoner.runs.processes._begin", importlib.import_module("judges_that_end").end_at_once
    )
    with pytest.raises(RunError, match=r"no process can start: 6 in a row .*`workers`"):
        found(Config(**PROCESSES), records("fine"))


def test_ctrl_c_ends_processes_silently(tmp_path):
    """A terminal sends it to all of them."""
    driver = begun(tmp_path, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    os.killpg(driver.pid, signal.SIGINT)
    _, said = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert said == "Interrupted; rerun to resume.\n"
    assert _ends(driver.pid)


def test_processes_end_silently_without_their_driver(tmp_path):
    driver = begun(tmp_path)
    driver.kill()
    _, said = driver.communicate(timeout=60)
    assert said == ""
    assert _ends(driver.pid), "processes outlive their driver"


def _ends(group):
    """Whether a group of processes ends by itself; if not it is ended."""
    for _ in range(1200):
        if not _alive(group):
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def _alive(group):
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of_group) == group and state != "Z":
            return True
    return False


def test_default_is_one_process_per_core():
    assert processes_at_once(Config(executor="processes")) == len(os.sched_getaffinity(0))
    assert processes_at_once(Config(executor="processes", workers=5)) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"executor": "processes", "model": "openai/x"}, "this run calls model 'openai/x'"),
        ({"executor": "processes", "retriever": "corpus,web"}, "this run calls retriever 'web'"),
        ({"executor": "processes", "max_cost": 1.0}, "counted in one process only"),
        ({"executor": "ray", "retriever": "corpus,web"}, "this run calls retriever 'web'"),
        ({"executor": "ray", "model": "openai/x"}, "this run calls model 'openai/x'"),
    ],
)
def test_settings_multiplied_by_processes_are_refused(settings, words):
    with pytest.raises(ConfigError, match=words):
        Config(**settings)


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("no"),
        MissingExtraError("x", "verifiers"),
        InputError([InputProblem("f", "id", "is missing")]),
    ],
)
def test_errors_travel_between_processes(error):
    error.add_note("kept")
    arrived = pickle.loads(pickle.dumps(error))
    assert (type(arrived), str(arrived), arrived.__dict__) == (type(error), str(error), error.__dict__)
