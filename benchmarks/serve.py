"""The service under load, in a thread for each core, beside the same records assessed by processes.

    python benchmarks/serve.py [--seconds 5] [--rounds 4] [--clients 8]

Prints records a second in process and served, the served share of all rounds and of the least and the most,
p50 and p99 of the requests in milliseconds, and p50, p99 and the longest of `/livez`, asked every 50 ms
meanwhile. Both ways take turns of so many seconds; each client keeps its connection. Nothing is kept in a
cache.
Everything runs on this machine, the clients too; figures say little while it is busy, so its load is printed.
"""

from __future__ import annotations

import argparse
import functools
import http.client
import itertools
import json
import multiprocessing
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import Pool
from typing import Any, NamedTuple

from factreasoner.inputs.parsing import Reader
from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import Pipeline, build_pipeline

TRADES = ("mason", "baker", "farrier")


def record(number: int) -> dict[str, Any]:
    """An answer of two sentences, and three passages, of which two speak of one each."""
    facts = [
        f"The {trade} of house {number % 97 + i} came in {1800 + i + number % 50}"
        for i, trade in enumerate(TRADES)
    ]
    passages = [
        f"{fact} and stayed for {i + 2} years with a family of {i + 3}." for i, fact in enumerate(facts)
    ]
    return {"output": ". ".join(facts[:2]) + ".", "contexts": passages}


@functools.cache
def made() -> tuple[Pipeline, Iterator[int]]:
    """This process's pipeline, once it is warm, and the numbers of its records, of which none comes twice."""
    use_one_thread()
    pipeline, numbers = build_pipeline(Config(cache=False)), itertools.count()
    pipeline.assess(Reader().record(record(next(numbers)), where="", default_id="r"))
    return pipeline, numbers


def assessed(seconds: float) -> float:
    """Records a second that this process assesses."""
    pipeline, numbers = made()
    done, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        pipeline.assess(Reader().record(record(next(numbers)), where="", default_id="r"))
        done += 1
    return done / spent


class Served:
    """The service as a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "factreasoner", "serve", "--no-cache", "--port", "0"]
        self._own = threading.local()
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r":(\d+) with", self.process.stderr.readline())
        assert found is not None
        self.port = int(found[1])
        threading.Thread(target=lambda: list(self.process.stderr or ()), daemon=True).start()
        while self.ask("GET", "/readyz")[0] != 200:
            time.sleep(0.1)

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, float]:
        """Status and seconds of one request, over this thread's connection."""
        if not hasattr(self._own, "connection"):
            self._own.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        started = time.perf_counter()
        self._own.connection.request(method, path, body, {"content-type": "application/json"})
        response = self._own.connection.getresponse()
        response.read()
        return response.status, time.perf_counter() - started


def client(served: Served, numbers: Iterator[int], ends: float) -> list[float]:
    """One client's requests until then: the seconds of each."""
    found = []
    while time.perf_counter() < ends:
        body = json.dumps(record(next(numbers))).encode()
        status, seconds = served.ask("POST", "/v1/assess", body)
        assert status == 200, status
        found.append(seconds)
    return found


def watched(served: Served, ends: float) -> list[float]:
    """The seconds of each `/livez`, every 50 ms until then."""
    found = []
    while time.perf_counter() < ends:
        found.append(served.ask("GET", "/livez")[1])
        time.sleep(0.05)
    return found


def percentile(values: list[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Seen(NamedTuple):
    """Records a second in process and served, the seconds of the requests, and those of `/livez`."""

    alone: list[float]
    served: list[float]
    requests: list[float]
    live: list[float]

    def __str__(self) -> str:
        alone, served = statistics.mean(self.alone), statistics.mean(self.served)
        shares = [served / alone for alone, served in zip(self.alone, self.served, strict=True)]
        return (
            f"in process {alone:.1f}/s, served {served:.1f}/s ({served / alone:.2f}; {min(shares):.2f} to "
            f"{max(shares):.2f}), p50 {percentile(self.requests, 0.5):.0f} ms, "
            f"p99 {percentile(self.requests, 0.99):.0f} ms, livez p50 {percentile(self.live, 0.5):.1f} ms, "
            f"p99 {percentile(self.live, 0.99):.1f} ms, longest {percentile(self.live, 1.0):.1f} ms"
        )


def seen(served: Served, alone: Pool, given: argparse.Namespace) -> Seen:
    """Both ways in turn, so that what else the machine does meets both."""
    found, numbers = Seen([], [], [], []), itertools.count()
    alone.map(assessed, [1] * given.workers, chunksize=1)  # each is warm then
    for _ in range(given.rounds):
        found.alone.append(sum(alone.map(assessed, [given.seconds] * given.workers, chunksize=1)))
        begun = time.perf_counter()
        ends = begun + given.seconds
        with ThreadPoolExecutor(given.clients + 1) as pool:
            live = pool.submit(watched, served, ends)
            asked = [pool.submit(client, served, numbers, ends) for _ in range(given.clients)]
            times = [seconds for one in asked for seconds in one.result()]
        found.served.append(len(times) / (time.perf_counter() - begun))
        found.requests.extend(times)
        found.live.extend(live.result())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("seconds", 5), ("rounds", 4), ("clients", 8), ("workers", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    served = Served()
    try:
        with multiprocessing.get_context("spawn").Pool(given.workers) as alone:
            print(f"{seen(served, alone, given)}, load {os.getloadavg()[0]:.1f}", flush=True)
    finally:
        served.process.send_signal(signal.SIGTERM)
        print(f"exit code {served.process.wait(60)}")


if __name__ == "__main__":
    main()
