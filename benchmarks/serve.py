"""The service under load, beside the same records assessed in process by as many processes.

    python benchmarks/serve.py [--seconds 20] [--clients 8] [--workers 2] [--memory 20000]

Prints for two sizes of record: records a second in process and served, the served share, p50 and p99 of the
requests in milliseconds, and p99 of `/livez` asked every 20 ms meanwhile. `--memory N` sends N records more
and prints the resident memory of the service's process and of its workers before and after. Everything runs
on this machine, the clients too; figures say little while it is busy, so its load is printed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from factreasoner.inputs.parsing import parse_record
from factreasoner.pipeline import build_pipeline

SIZES = ((14, 14), (2, 3))
TRADES = ("mason", "baker", "farrier", "printer", "glazier", "cooper", "weaver")


def record(sentences: int, contexts: int, number: int) -> dict[str, Any]:
    """An answer of short sentences, and passages of which one speaks of each."""
    facts = [
        f"The {TRADES[i % 7]} of house {number % 97 + i} came in {1800 + i + number % 50}" for i in range(14)
    ]
    passages = [
        f"{fact} and stayed for {i + 2} years with a family of {i + 3}." for i, fact in enumerate(facts)
    ]
    return {"output": ". ".join(facts[:sentences]) + ".", "contexts": passages[:contexts]}


def assessed(made: partial[dict[str, Any]], seconds: float) -> int:
    """Assess records in this process for so long, once it is warm; how many."""
    pipeline, done = build_pipeline(), 0
    pipeline.assess(parse_record(made(0), where="", default_id="r"))
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        pipeline.assess(parse_record(made(done), where="", default_id="r"))
        done += 1
    return done


def in_process(made: partial[dict[str, Any]], seconds: float, workers: int) -> float:
    """Records a second by so many processes."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return sum(pool.starmap(assessed, [(made, seconds)] * workers)) / seconds


class Served:
    """The service as a process of its own."""

    def __init__(self, workers: int) -> None:
        command = [sys.executable, "-m", "factreasoner", "serve", "--port", "0", "--workers", str(workers)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r":(\d+) with", self.process.stderr.readline())
        assert found is not None
        self.port = int(found[1])
        threading.Thread(target=lambda: list(self.process.stderr or ()), daemon=True).start()
        while self.ask("GET", "/readyz")[0] != 200:
            time.sleep(0.1)

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, float]:
        """Status and seconds of one request."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {"content-type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        return status, time.perf_counter() - started

    def pids(self) -> Iterator[int]:
        """The service's process, then its workers."""
        yield self.process.pid
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())

    def memory(self) -> str:
        """Resident memory in MB of each of them."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids()]
        return " + ".join(f"{count * os.sysconf('SC_PAGE_SIZE') / 1e6:.0f}" for count in pages) + " MB"


def client(served: Served, made: partial[dict[str, Any]], ends: float, start: int) -> list[float]:
    """One client's requests until then: the seconds of each."""
    found = []
    while time.perf_counter() < ends:
        status, seconds = served.ask("POST", "/v1/assess", json.dumps(made(start + len(found))).encode())
        assert status == 200, status
        found.append(seconds)
    return found


def watched(served: Served, ends: float) -> list[float]:
    """The seconds of each `/livez`, every 20 ms until then."""
    found = []
    while time.perf_counter() < ends:
        found.append(served.ask("GET", "/livez")[1])
        time.sleep(0.02)
    return found


def percentile(values: list[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("seconds", 20), ("clients", 8), ("workers", 2), ("memory", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    served = Served(given.workers)
    try:
        for sentences, contexts in SIZES:
            made = partial(record, sentences, contexts)
            alone = in_process(made, given.seconds, given.workers)
            ends = time.perf_counter() + given.seconds
            with ThreadPoolExecutor(given.clients + 1) as pool:
                live = pool.submit(watched, served, ends)
                asked = [pool.submit(client, served, made, ends, 1000 * i) for i in range(given.clients)]
                times = [seconds for one in asked for seconds in one.result()]
            rate, slowest = len(times) / given.seconds, percentile(times, 0.99)
            print(
                f"{sentences} sentences x {contexts} contexts: in process {alone:.0f}/s, served {rate:.0f}/s "
                f"({rate / alone:.2f}), p50 {percentile(times, 0.5):.0f} ms, p99 {slowest:.0f} ms, "
                f"livez p99 {percentile(live.result(), 0.99):.1f} ms, load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
        if given.memory:
            before = served.memory()
            body = [json.dumps(record(2, 3, number)).encode() for number in range(500)]
            with ThreadPoolExecutor(given.clients) as pool:
                sent = (body[number % 500] for number in range(given.memory))
                statuses = {status for status, _ in pool.map(partial(served.ask, "POST", "/v1/assess"), sent)}
            print(f"memory over {given.memory:,} records ({statuses}): {before} -> {served.memory()}")
    finally:
        served.process.send_signal(signal.SIGTERM)
        print(f"exit code {served.process.wait(60)}")


if __name__ == "__main__":
    main()
