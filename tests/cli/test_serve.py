"""`factreasoner serve` in a process of its own; and what it refuses to begin with."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command
import httpx
import pytest

from factreasoner.cli import execute
from factreasoner.models.formatting import number_of

JUDGE = ("--judge", "held_judge:HeldJudge")
MOST_SECONDS = 120


@pytest.fixture
def served(tmp_path):
    """The URL of a service with a thread for each core, its process and the lines it says."""
    with serving(tmp_path, "--queue", "200", "--min", "precision=1", *JUDGE) as service:
        yield service


@contextlib.contextmanager
def serving(tmp_path, *arguments, until=200):
    """As `served`, with other arguments; until `/readyz` has that status."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = started(tmp_path, port, *arguments)
    url = f"http://127.0.0.1:{port}"
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stderr))
    reader.start()
    ends = time.monotonic() + MOST_SECONDS
    while ready(url) != until:
        assert time.monotonic() < ends
        time.sleep(0.1)
    try:
        yield url, process, lines
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stderr.close()


def started(tmp_path, port, *arguments):
    """The process of a service that is starting."""
    environment = command.environment(tmp_path)
    environment["PYTHONPATH"] = os.pathsep.join(map(str, [Path(__file__).parents[1] / "serve", *sys.path]))
    return subprocess.Popen(
        [sys.executable, "-m", "factreasoner", "serve", "--port", str(port), *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=command.heed_signals,
        start_new_session=True,
    )


def ready(url):
    with contextlib.suppress(httpx.ConnectError):
        return httpx.get(f"{url}/readyz").status_code


def post(url, passage):
    return httpx.post(
        f"{url}/v1/check", json={"output": "It is tall.", "contexts": [passage]}, timeout=MOST_SECONDS
    )


def taken(url):
    """How many records have been taken so far: answered, worked on, or waiting."""
    metrics = httpx.get(f"{url}/metrics").text
    wanted = r'^factreasoner_(?:requests_total\{route="check".*\}|queued|running) (\d+)$'
    return sum(map(int, re.findall(wanted, metrics, re.MULTILINE)))


def test_dead_model_server_gives_status_502(tmp_path):
    down = ("--model", "openai/m", "--api-base", "http://127.0.0.1:9/v1", "--timeout", "10", "--no-cache")
    with serving(tmp_path, *down, "--atoms-per-call", "8") as (url, _, _lines):
        body = {"output": "It is tall.", "contexts": ["It is tall."], "atoms": ["It is tall."]}
        reply = httpx.post(f"{url}/v1/assess", json=body, timeout=MOST_SECONDS)
    assert reply.status_code == 502
    assert "127.0.0.1:9" in reply.text


def test_sigterm_costs_no_request_that_was_taken(served):
    url, process, lines = served
    with ThreadPoolExecutor(20) as clients:
        long = "It is tall. " * 30_000  # more than a socket holds, both ways
        assert len(post(url, long).content) > 300_000
        before = taken(url)
        under_way = [clients.submit(post, url, "slow") for _ in range(20)]
        while taken(url) < before + 20:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert [one.result().status_code for one in under_way] == [200] * 20
    assert process.wait(MOST_SECONDS) == 128 + signal.SIGTERM
    others = [line for line in lines if not re.match(r"\S+Z [0-9a-f]{32} \w+ \d+ \d+ ms\n", line)]
    cores = number_of(len(os.sched_getaffinity(0)), "thread")
    assert others == [f"Serving on {url} with {cores}.\n"]


def test_ctrl_c_during_start_ends_silently(tmp_path):
    long = ("--judge", "held_judge:LongMade")
    with serving(tmp_path, *long, until=503) as (_, process, lines):
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(MOST_SECONDS) == 128 + signal.SIGINT
    assert lines == []


def test_a_free_port_is_named_as_it_is(tmp_path):
    process = started(tmp_path, 0, *JUDGE)
    with process, process.stderr as lines:
        try:
            told = re.fullmatch(r"Serving on (http://127\.0\.0\.1:\d+) with .*\n", lines.readline())
            assert ready(told[1]) == 200
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "add --token-env NAME"),
        (["--token-env", "NOT_SET"], "NOT_SET: the variable is not set"),
        (["--min", "f1_at_k=0.5"], "add --k NUMBER"),
        (["--judge", "nobody"], "unknown judge"),
    ],
)
def test_invalid_serve_settings_are_refused(arguments, said, capsys):
    assert execute(["serve", "--port", "0", *arguments]) == 1
    told = capsys.readouterr().err
    assert said in told
    assert "Serving on" not in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-body", "much"], "write a number of bytes"),
        (["--min", "precission=0.8"], "did you mean 'precision'?"),
        (["--min", "failures=0"], "a single record has none"),
        (["--workers", "2"], "--workers: removed: a service works in threads"),
    ],
)
def test_values_that_its_flags_do_not_take(arguments, said, capsys):
    assert execute(["serve", "--port", "0", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_missing_key_is_reported_at_start(command, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    port = ["--port", "0"] if command == "serve" else []
    assert execute([command, "--model", "openai/x", "--no-cache", *port]) == 1
    assert "model openai/x: there is no key; set $OPENAI_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "flag"), [("serve", "--port"), ("mcp", "--http")])
def test_occupied_port_is_reported_with_fix(command, flag, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert execute([command, flag, port]) == 1
    assert f"{flag} {port}: another program listens there; choose another port" in capsys.readouterr().err
