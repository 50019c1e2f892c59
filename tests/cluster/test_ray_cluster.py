"""Runs on a real Ray cluster of several nodes on this machine: what threads find, whatever dies."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

os.environ |= {"RAY_agent_register_timeout_ms": "300000"}  # a busy machine takes its time
ray = pytest.importorskip("ray")

from fake_server import FakeServer
from ray.cluster_utils import Cluster

from factreasoner.errors import ConfigError, RunError
from factreasoner.pipeline.config import Config
from factreasoner.runs.ray_cluster import RayCluster

BARE = ("usage", "seconds", "elapsed")
WAIT = 600


@pytest.fixture(scope="module")
def cluster():
    made = Cluster()
    add_node(made, num_cpus=0, include_dashboard=False)
    add_node(made, num_cpus=1)
    add_node(made, num_cpus=1)
    yield made
    made.shutdown()


def add_node(cluster, **options):
    """The node, begun: Ray gives each try 30 s, which are too few where a machine is busy."""
    for _ in range(4):
        with contextlib.suppress(Exception):
            return cluster.add_node(**options)
    return cluster.add_node(**options)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a judge that lies nowhere else."""
    shutil.copy(Path(__file__).parent / "judges_shipped.py", tmp_path)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "*")
    return tmp_path


def data(home, count, passage="Oslo is cold."):
    path = home / "d.jsonl"
    lines = [
        {"id": f"r{i}", "output": f"Oslo is cold {i}.", "contexts": [passage if i == 3 else "Oslo is cold."]}
        for i in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def started(home, cluster, *options, out="out", count=12, passage="Oslo is cold."):
    command = [sys.executable, "-m", "factreasoner", "run", data(home, count, passage), "--out", home / out]
    where = ["--executor", "ray"] if cluster else []
    address = {"RAY_ADDRESS": cluster.address} if cluster else {}
    return subprocess.Popen(
        [*command, "--quiet", *where, *options],
        cwd=home,
        env=os.environ | address,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def ended(process):
    """The exit code, with what was said."""
    _, said = process.communicate(timeout=WAIT)
    return process.returncode, said


def results(home, out="out"):
    """By id, without times; the last line of a record counts."""
    lines = (home / out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    found = {line["id"]: line["result"] for line in map(json.loads, lines)}
    return {i: {k: v for k, v in line.items() if k not in BARE} for i, line in sorted(found.items())}


def until(true):
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def some_done(home, count=1, out="out"):
    journal = home / out / "journal.jsonl"
    return journal.exists() and journal.read_bytes().count(b"\n") >= count


def workers():
    """Ids of the processes of workers."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if line.read_bytes().startswith(b"ray::RayWorker"):
                found.append(int(line.parent.name))
    return found


def test_shipped_judge_gives_the_same_as_threads(home, cluster):
    own = ("--judge", "judges_shipped:Slow")
    assert ended(started(home, cluster, *own)) == (0, "")
    sent = Path(cluster.head_node.get_session_dir_path()).glob("runtime_resources/py_modules_files/*/*")
    assert [path.name for path in sent if path.name == "judges_shipped.py"]
    assert ended(started(home, None, *own, out="threads"))[0] == 0
    assert results(home) == results(home, "threads")


def test_bundled_judge_is_identical_on_ray(home, cluster):
    assert ended(started(home, cluster, count=40)) == (0, "")
    assert ended(started(home, None, count=40, out="threads"))[0] == 0
    assert results(home) == results(home, "threads")


def test_killed_worker_is_replaced_and_deadly_record_fails(home, cluster):
    process = started(home, cluster, "--judge", "judges_shipped:Slow", count=30, passage="deadly")
    until(lambda: some_done(home, 2))
    os.kill(workers()[0], signal.SIGKILL)
    assert ended(process)[0] == 3
    found = results(home)
    assert {i for i, result in found.items() if result["status"] != "ok"} == {"r3"}
    assert "killed, or out of memory" in found["r3"]["failures"][0]["message"]
    assert len(found) == 30


def test_leaving_node_reruns_its_records(home, cluster):
    leaving = add_node(cluster, num_cpus=1)
    process = started(home, cluster, "--judge", "judges_shipped:Slow", count=60)
    until(lambda: some_done(home, 5))
    cluster.remove_node(leaving, allow_graceful=False)
    assert ended(process) == (0, "")
    assert len(results(home)) == 60


def test_killed_driver_resumes(home, cluster):
    own = ("--judge", "judges_shipped:Slow")
    process = started(home, cluster, *own, count=40)
    until(lambda: some_done(home, 3))
    process.kill()
    process.wait()
    before = (home / "out" / "journal.jsonl").read_bytes()
    until(lambda: not workers())
    assert ended(started(home, cluster, *own, count=40)) == (0, "")
    after = (home / "out" / "journal.jsonl").read_bytes()
    whole = before[: before.rfind(b"\n") + 1]
    assert after.startswith(whole)
    assert len(results(home)) == 40 == after.count(b"\n")


def test_interrupt_ends_workers_and_run_resumes(home, cluster):
    own = ("--judge", "judges_shipped:Slow")
    process = started(home, cluster, *own, count=30)
    until(lambda: some_done(home, 3))
    os.killpg(process.pid, signal.SIGINT)
    assert ended(process)[0] == 130
    until(lambda: not workers())
    assert ended(started(home, cluster, *own, count=30)) == (0, "")
    assert len(results(home)) == 30


def test_a_cluster_that_is_not_there_is_named(home):
    class Nowhere:
        address = "127.0.0.1:1"

    code, said = ended(started(home, Nowhere))
    assert code == 1
    assert "RAY_ADDRESS: no Ray cluster at 127.0.0.1:1" in said


def joined(monkeypatch, error, address="local"):
    """Join a cluster where Ray itself meets an error."""

    def fail(**options):
        raise error

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    monkeypatch.setenv("RAY_ADDRESS", address)
    RayCluster("run", Config(executor="ray")).__enter__()


def test_cluster_start_timeout_is_reported(monkeypatch):
    with pytest.raises(RunError, match=r"timed out during startup.*try again"):
        joined(monkeypatch, Exception("The current node timed out during startup."))


def test_cluster_requiring_a_token_is_reported(monkeypatch):
    """Somebody listens there, and Ray does not get in."""
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    error = ConnectionError("Failed to connect to Ray cluster at 127.0.0.1")
    with FakeServer() as server:
        address = server.url.removeprefix("http://").removesuffix("/v1")
        with pytest.raises(ConfigError, match="set RAY_AUTH_MODE=token"):
            joined(monkeypatch, error, address)
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        with pytest.raises(ConfigError, match=r"127\.0\.0\.1$"):
            joined(monkeypatch, error, address)
