"""Ctrl-C, `kill` and a closed terminal."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time

import pytest
from command import environment, heed_signals, record, results, summary_of, write_records
from fake_server import FakeServer, drip, hang

BEGIN = """
import hashlib, signal, threading, time
from factreasoner.cli.signals import Stopping
Stopping().install()
threading.Timer(0.5, print, ["begun"], {"flush": True}).start()
"""
LEFT_BEHIND = """
import threading, time
from factreasoner.cli import main
threading.Thread(target=time.sleep, args=(600,)).start()
main()
"""
ONE_STEP = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"  # minutes, and no Python in between
LATE = """
told = signal.pthread_kill
signal.pthread_kill = lambda *to: threading.Timer(1.5, told, to).start()
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.2)
    print("heard", flush=True)
"""
DEAF = """
while True:
    try:
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("heard", flush=True)
"""


def good(request):
    return dict.fromkeys(request.properties, "True")


@pytest.fixture
def begin(forker, tmp_path):
    def begin(server, *flags, **kwargs):
        given = ("run", "d.jsonl", "--model", "openai/fake", "--api-base", server.url, "--out", "out", *flags)
        return forker.start(given, folder=tmp_path, env=environment(tmp_path), **kwargs)

    return begin


def script(step, preexec_fn=heed_signals):
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + step],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=preexec_fn,
    )
    assert process.stdout.readline() == "begun\n"
    return process


def wait_for_calls(server, count, terminal=None):
    """Until the server has had `count` calls; what comes out at the terminal is read, as nobody else does."""
    deadline = time.monotonic() + 120
    while server.calls < count:
        assert time.monotonic() < deadline
        if terminal is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(terminal, 10_000)
        time.sleep(0.02)


def journaled(folder):
    journal = (folder / "journal.jsonl").read_bytes()
    assert journal.endswith(b"\n")
    return [json.loads(line)["id"] for line in journal.splitlines()]


def test_files_are_whole_and_every_answer_is_kept(tmp_path, begin):
    write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(12)))
    flags = ("--concurrency", 3, "--form", "tool")
    answering, waiting = threading.Event(), threading.Event()

    def answer(request):
        if server.calls > 9:
            waiting.set()
            assert answering.wait(60)
        return good(request)

    with FakeServer(answer, delay=0.3) as server:
        process = begin(server, *flags)
        assert waiting.wait(60)
        process.send_signal(signal.SIGINT)
        time.sleep(1.2)  # to notice it, less than the answers under way are given
        answering.set()
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130, stderr
        assert "Traceback" not in stderr
        assert "Interrupted" in stderr
        assert " of 12 records are assessed and saved in out." in stderr
        assert 10 <= server.calls < 10 + 2 * 3
        finished = journaled(tmp_path / "out")
        assert 0 < len(finished) < 12
        assert sorted(line["id"] for line in results(tmp_path / "out")) == sorted(finished)
        summary_of(tmp_path / "out")
        server.delay = 0.0
        assert begin(server, *flags).wait(timeout=120) == 0
        assert server.calls == 24  # also the one that was on its way


def test_interrupt_does_not_wait_for_hanging_server(tmp_path, begin):
    write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(4)))
    with FakeServer(lambda request: hang(120)) as server:
        process = begin(server, "--concurrency", 2)
        wait_for_calls(server, 1)  # until it is answered no other is made: how to ask is to be learnt
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        assert server.calls == 1


def test_slow_stream_does_not_delay_exit(tmp_path, begin):
    """Nor do threads that a library left behind: those that an interpreter would join."""
    write_records(tmp_path / "d.jsonl", record("r0"))
    with FakeServer(lambda request: drip(600)) as server:
        process = begin(server, "--no-cache", "--timeout", 1, "--max-attempts", 1, code=LEFT_BEHIND)
        out, err = process.communicate(timeout=100)
    assert (process.returncode, "summary.json" in out) == (3, True), err
    assert summary_of(tmp_path / "out")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_one_long_step_is_not_waited_for(number, code):
    process = script(ONE_STEP)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "", code)


def test_a_machine_that_is_busy_is_waited_for():
    """The main thread gets its signal late; that one is no second one, nor is the process ended before."""
    process = script(LATE)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("heard\n", "", 0)


def test_second_signal_ends_a_deaf_process():
    process = script(DEAF)
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "heard\n"
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "", 143)


def test_ignored_signal_stays_ignored():
    process = script("time.sleep(2)", lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "", 0)


def test_a_terminal_that_is_closed(tmp_path, begin):
    write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(12)))
    terminal, side = pty.openpty()
    os.set_blocking(terminal, False)
    with FakeServer(good, delay=0.3) as server:
        process = begin(server, "--concurrency", 1, stderr=side)
        os.close(side)
        wait_for_calls(server, 7, terminal)
        os.close(terminal)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=60) == 129
    finished = journaled(tmp_path / "out")
    assert [line["id"] for line in results(tmp_path / "out")] == finished != []
